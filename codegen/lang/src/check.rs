//! The tree to its typed form: resolves names, and tells what can't be or is odd.

use crate::ast::{self, OperandKind};
use crate::call::{self, Function};
use crate::error::{Code, Error, Severity};
use crate::literal;
use crate::name::split;
use crate::path;
use crate::plan::Value;
use crate::request;
use crate::scope::Scope;
use crate::span::Span;
use crate::typed::{Call, Comparison, Expr, Node, Operand, Type};

/// The deepest tree: `&&` in `||` in `&&` and so on. All later stages recurse over it, here and in
/// what consumes the plan, so that this bounds their stack.
pub const MAX_DEPTH: usize = 50;

/// The typed form with its warnings, or every error.
pub(crate) fn check(
    text: &str,
    expr: &ast::Expr,
    scope: &Scope<'_>,
) -> Result<(Expr, Vec<Error>), Vec<Error>> {
    let mut checker = Checker {
        text,
        scope,
        findings: Vec::new(),
    };
    let typed = checker.expr(expr, 0);
    let (errors, warnings): (Vec<_>, Vec<_>) = checker
        .findings
        .into_iter()
        .partition(|it| it.severity() == Severity::Error);
    match typed {
        Some(typed) if errors.is_empty() => Ok((typed, warnings)),
        _ => Err(errors),
    }
}

struct Checker<'t, 'a> {
    text: &'t str,
    scope: &'t Scope<'a>,
    findings: Vec<Error>,
}

/// An operand with what only the checks need.
pub(crate) struct Checked<'a> {
    pub operand: Operand,
    /// What a select allows; empty if it isn't one.
    pub values: &'a [String],
    /// Can it be NULL, as far as the schema tells?
    pub nullable: bool,
}

impl<'a> Checker<'_, 'a> {
    /// `None` if something in it is broken; the findings tell what.
    fn expr(&mut self, expr: &ast::Expr, depth: usize) -> Option<Expr> {
        match expr {
            ast::Expr::All(items) => self.items(items, depth).map(Expr::All),
            ast::Expr::Any(items) => self.items(items, depth).map(Expr::Any),
            ast::Expr::Compare(comparison) => self
                .comparison(comparison)
                .map(|typed| Expr::Compare(Box::new(typed))),
        }
    }

    /// Looks at every item, also behind a broken one.
    fn items(&mut self, items: &[ast::Expr], depth: usize) -> Option<Vec<Expr>> {
        if depth >= MAX_DEPTH {
            let message = format!("`&&` and `||` alternate more than {MAX_DEPTH} levels deep");
            let span = first_span(items);
            self.findings.push(Error::new(
                Code::TooDeep,
                span,
                message,
                "one level too deep",
            ));
            return None;
        }
        let typed: Vec<Option<Expr>> = items
            .iter()
            .map(|item| self.expr(item, depth + 1))
            .collect();
        typed.into_iter().collect()
    }

    fn comparison(&mut self, comparison: &ast::Comparison) -> Option<Comparison> {
        let left = self.operand(&comparison.left);
        let right = self.operand(&comparison.right);
        let (left, right) = (left?, right?);
        if self.scope.strict() {
            let before = self.findings.len();
            literal::check(&left, &right, comparison, &mut self.findings);
            literal::check(&right, &left, comparison, &mut self.findings);
            if self.findings.len() == before && left.operand.node == right.operand.node {
                self.same(comparison, &left.operand);
            }
        }
        Some(Comparison {
            left: left.operand,
            op: comparison.op,
            any: comparison.any,
            right: right.operand,
            span: comparison.span(),
        })
    }

    fn same(&mut self, comparison: &ast::Comparison, operand: &Operand) {
        if !is_literal(&operand.node) {
            let message = format!("`{}` is compared with itself", operand.text);
            let label = "the same on both sides";
            self.findings.push(Error::new(
                Code::SameOperand,
                comparison.span(),
                message,
                label,
            ));
        }
    }

    fn operand(&mut self, operand: &ast::Operand) -> Option<Checked<'a>> {
        let literal = |value, ty| Some((Node::Value(value), ty, [].as_slice(), true));
        let (node, ty, values, nullable) = match &operand.kind {
            OperandKind::Null => literal(Value::Null, Type::Null),
            OperandKind::Bool(bool) => literal(Value::Bool(*bool), Type::Bool),
            OperandKind::Number(number) => literal(Value::Number(*number), Type::Number),
            OperandKind::Text(text) => literal(Value::Text(text.clone()), Type::Text),
            OperandKind::Name(name) => {
                let found = self.name(name, operand);
                self.noted(found)
            }
            OperandKind::Call(name, args) => {
                let called = self.call(name, args, operand);
                called.map(|(call, ty)| (Node::Call(call), ty, [].as_slice(), true))
            }
        }?;
        let text = self
            .text
            .get(operand.span.start..operand.span.end)
            .unwrap_or("")
            .to_owned();
        let operand = Operand {
            node,
            ty,
            text,
            span: operand.span,
        };
        Some(Checked {
            operand,
            values,
            nullable,
        })
    }

    fn name(
        &mut self,
        name: &str,
        operand: &ast::Operand,
    ) -> Result<(Node, Type, &'a [String], bool), Error> {
        if name.starts_with('@') {
            let given = request::resolve(self.scope, name, operand.span)?;
            self.findings
                .extend(given.warning.filter(|_| self.scope.strict()));
            return Ok((given.node, given.ty, given.values, true));
        }
        let found = path::resolve(self.scope, &split(name, operand.span)?)?;
        // A relation that points to nothing gives NULL, whatever the field at its end.
        let nullable = found.nullable || !found.path.hops.is_empty();
        Ok((Node::Path(found.path), found.ty, found.values, nullable))
    }

    fn call(
        &mut self,
        name: &str,
        args: &[ast::Operand],
        whole: &ast::Operand,
    ) -> Option<(Call, Type)> {
        let function = self.noted(Function::find(name, whole.span))?;
        let fits = self.noted(function.check(args, whole.span));
        let looked_up = function.looked_up(args);
        let found: Vec<Option<Node>> = looked_up
            .iter()
            .map(|arg| {
                let node = self.operand(arg)?.operand.node;
                self.noted(call::one_value(&node, arg.span))?;
                Some(node)
            })
            .collect();
        let found: Option<Vec<Node>> = found.into_iter().collect();
        fits?;
        Some((function.call(args, found?)?, function.ty()))
    }

    /// Keeps an error.
    fn noted<T>(&mut self, result: Result<T, Error>) -> Option<T> {
        match result {
            Ok(it) => Some(it),
            Err(error) => {
                self.findings.push(error);
                None
            }
        }
    }
}

fn first_span(items: &[ast::Expr]) -> Span {
    let mut items = items;
    loop {
        match items.first() {
            Some(ast::Expr::All(inner) | ast::Expr::Any(inner)) => items = inner,
            Some(ast::Expr::Compare(comparison)) => return comparison.span(),
            None => return Span::default(),
        }
    }
}

/// Is it written out in the rule?
pub(crate) fn is_literal(node: &Node) -> bool {
    matches!(
        node,
        Node::Value(Value::Null | Value::Bool(_) | Value::Number(_) | Value::Text(_))
    )
}
