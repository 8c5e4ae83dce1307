//! The checked form of a rule: every name resolved, every operand with its type.

use std::fmt;

use crate::plan::{Column, Op, Value};
use crate::schema::{CollectionId, FieldId, FieldType};
use crate::span::Span;

/// An expression.
#[derive(Debug, Clone, PartialEq)]
pub enum Expr {
    /// Joined by `&&`.
    All(Vec<Expr>),
    /// Joined by `||`.
    Any(Vec<Expr>),
    /// One comparison.
    Compare(Box<Comparison>),
}

/// `left op right`
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// Left operand.
    pub left: Operand,
    /// The operator.
    pub op: Op,
    /// Does one value suffice (`?op`)?
    pub any: bool,
    /// Right operand.
    pub right: Operand,
    /// From the left operand to the right one.
    pub span: Span,
}

/// One side of a comparison.
#[derive(Debug, Clone, PartialEq)]
pub struct Operand {
    /// What it is.
    pub node: Node,
    /// What it holds.
    pub ty: Type,
    /// As it was written.
    pub text: String,
    /// Where it was written.
    pub span: Span,
}

/// What an operand is.
#[derive(Debug, Clone, PartialEq)]
pub enum Node {
    /// A literal, a macro or a part of the request.
    Value(Value),
    /// A value of the row, or of rows that it points to.
    Path(Path),
    /// `:changed`: was the body field sent, and is it another value than the row's own field?
    Changed {
        /// The field of the row.
        field: Path,
        /// The field of the body.
        sent: Value,
    },
}

/// A way from the row to a value.
#[derive(Debug, Clone, PartialEq)]
pub struct Path {
    /// The relations on the way.
    pub hops: Vec<Hop>,
    /// The value, of the row where the hops end.
    pub column: Column,
    /// Does NULL equal only NULL here (json fields, places in json and geoPoint fields)?
    pub strict: bool,
    /// The field that must be true beside each comparison: `emailVisibility` of a guarded email.
    pub guard: Option<FieldId>,
    /// After how many hops a row stands whose list rule the caller must satisfy (clients only).
    pub ruled: Vec<usize>,
}

impl Path {
    /// Can it yield several values for one row?
    pub fn is_multi(&self) -> bool {
        self.hops.iter().any(|hop| hop.is_multi())
    }

    /// The ways to the rows that the caller must be allowed to list, with their collections.
    pub(crate) fn ruled(&self) -> impl Iterator<Item = (&[Hop], CollectionId)> {
        self.ruled.iter().filter_map(|length| {
            let hops = self.hops.get(..*length)?;
            match hops.last()?.step {
                Step::One(target) | Step::Many(target) => Some((hops, target)),
                Step::Items => None,
            }
        })
    }
}

/// One step of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hop {
    /// The field that is followed.
    pub field: FieldId,
    /// To what.
    pub step: Step,
}

impl Hop {
    /// Can it yield several values for one row?
    pub fn is_multi(&self) -> bool {
        !matches!(self.step, Step::One(_))
    }
}

/// Where a step leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// To the record that a single relation points to.
    One(CollectionId),
    /// To the records that a multiple relation points to.
    Many(CollectionId),
    /// To the items of a multiple select.
    Items,
}

/// What an operand holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Type {
    /// The literal `null`.
    Null,
    /// True or false.
    Bool,
    /// A number.
    Number,
    /// Text.
    Text,
    /// A date as text.
    Date,
    /// Anything that JSON can hold.
    Json,
    /// One value of a select.
    Choice,
    /// Several values of a select, as JSON text.
    Choices,
    /// A record's id.
    Record,
    /// Several ids, as JSON text.
    Records,
    /// Not known before the request.
    Unknown,
}

impl From<FieldType> for Type {
    fn from(kind: FieldType) -> Self {
        match kind {
            FieldType::Text => Self::Text,
            FieldType::Number => Self::Number,
            FieldType::Bool => Self::Bool,
            FieldType::Date => Self::Date,
            FieldType::Json | FieldType::GeoPoint => Self::Json,
            FieldType::Choices => Self::Choices,
            FieldType::Choice => Self::Choice,
            FieldType::One(_) => Self::Record,
            FieldType::Many(_) => Self::Records,
        }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Null => "null",
            Self::Bool => "bool",
            Self::Number => "number",
            Self::Text => "text",
            Self::Date => "date",
            Self::Json => "json",
            Self::Choice => "choice",
            Self::Choices => "choices",
            Self::Record => "record",
            Self::Records => "records",
            Self::Unknown => "unknown",
        })
    }
}
