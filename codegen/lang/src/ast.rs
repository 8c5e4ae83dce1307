//! The shape of a rule as it was written: comparisons joined by `&&` and `||`, names unresolved.

use crate::plan::Op;
use crate::span::Span;

/// An expression. Groups that hold one item, or that repeat the join around them, are dissolved,
/// so the depth of the tree never exceeds the number of comparisons.
#[derive(Debug, Clone, PartialEq)]
pub enum Expr {
    /// Joined by `&&`; two or more.
    All(Vec<Expr>),
    /// Joined by `||`; two or more.
    Any(Vec<Expr>),
    /// One comparison.
    Compare(Box<Comparison>),
}

/// `left op right`
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// Left operand.
    pub left: Operand,
    /// The operator without its `?`.
    pub op: Op,
    /// Was the operator written with `?` (at least one value)?
    pub any: bool,
    /// Where the operator is.
    pub op_span: Span,
    /// Right operand.
    pub right: Operand,
}

impl Comparison {
    /// From the left operand to the right one.
    pub fn span(&self) -> Span {
        Span {
            start: self.left.span.start,
            end: self.right.span.end,
        }
    }
}

/// One side of a comparison, or one argument of a function.
#[derive(Debug, Clone, PartialEq)]
pub struct Operand {
    /// What it is.
    pub kind: OperandKind,
    /// Where it is.
    pub span: Span,
}

/// What an operand is.
#[derive(Debug, Clone, PartialEq)]
pub enum OperandKind {
    /// `null`
    Null,
    /// `true`, `false`
    Bool(bool),
    /// A number.
    Number(f64),
    /// A quoted text, escapes resolved.
    Text(String),
    /// A path, a macro or a part of `@request`, with its modifier.
    Name(String),
    /// A function with its arguments.
    Call(String, Vec<Operand>),
}
