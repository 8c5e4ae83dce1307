//! What the operands of a rule look at: fields that not everyone sees, and what the caller sends.

use basalt_lang::plan::{Column, Value};
use basalt_lang::schema::{CollectionId, FieldId};
use basalt_lang::typed::{Comparison, Expr, Node, Path, Root, Step};

use crate::ir::{self, CollectionKind, Rule};

/// Why not everyone sees a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Secrecy {
    /// `hidden`
    Hidden,
    /// The email of an account, which its owner may hide.
    Email,
    /// It has a `read` rule.
    Ruled,
}

impl Secrecy {
    /// Of a field.
    pub(super) fn of(collection: &ir::Collection, field: &ir::Field) -> Option<Self> {
        let auth = matches!(collection.kind, CollectionKind::Auth(_));
        if field.hidden {
            Some(Self::Hidden)
        } else if auth && field.system && field.name.wire == "email" {
            Some(Self::Email)
        } else if field.read != Rule::Public {
            Some(Self::Ruled)
        } else {
            None
        }
    }

    /// In words: the field … .
    pub(super) fn words(self) -> &'static str {
        match self {
            Self::Hidden => "is hidden",
            Self::Email => "is an email address that its owner may hide",
            Self::Ruled => "has a `read` rule",
        }
    }
}

/// A field that not everyone sees, found on a path.
#[derive(Debug, Clone)]
pub(super) struct Touched<'a> {
    pub name: &'a str,
    pub collection: &'a str,
    pub secrecy: Secrecy,
    /// A field of the row itself, without any step.
    pub own: bool,
}

/// All comparisons of a rule.
pub(super) fn comparisons(expr: &Expr) -> Vec<&Comparison> {
    match expr {
        Expr::All(items) | Expr::Any(items) => items.iter().flat_map(comparisons).collect(),
        Expr::Compare(comparison) => vec![comparison],
    }
}

/// The first field on an operand's way that not everyone sees. The fields of the caller's own record
/// are not looked at: what they say of the caller is for rules to use. What lies behind it is.
pub(super) fn touched<'a>(
    schema: &'a ir::Schema,
    at: CollectionId,
    node: &Node,
) -> Option<Touched<'a>> {
    match node {
        Node::Path(path) | Node::Submitted(path) | Node::Changed { field: path, .. } => {
            on_path(schema, at, path)
        }
        Node::Call(call) => {
            let mut found = call.arguments().iter();
            found.find_map(|argument| touched(schema, at, argument))
        }
        Node::Value(_) | Node::Caller(_) => None,
    }
}

fn on_path<'a>(schema: &'a ir::Schema, at: CollectionId, path: &Path) -> Option<Touched<'a>> {
    let mut place = match &path.root {
        Root::Row => at,
        Root::Every { collection, .. } => *collection,
        Root::Submitted { target, .. } => *target,
        Root::Caller(accounts) => *accounts,
    };
    let own = path.root == Root::Row && path.hops.is_empty();
    let mut of_caller = matches!(path.root, Root::Caller(_));
    let look = |collection: CollectionId, field: FieldId| {
        let collection = schema.collections.get(collection.0)?;
        let field = collection.fields.get(field.0)?;
        Some(Touched {
            name: &field.name.wire,
            collection: &collection.name.wire,
            secrecy: Secrecy::of(collection, field)?,
            own,
        })
    };
    for hop in &path.hops {
        let (holder, next) = match hop.step {
            Step::One(target) | Step::Many(target) => (place, target),
            Step::Items => (place, place),
            Step::Back { source, .. } => (source, source),
        };
        of_caller &= !matches!(hop.step, Step::Back { .. });
        if !of_caller && let Some(found) = look(holder, hop.field) {
            return Some(found);
        }
        of_caller = of_caller && hop.step == Step::Items;
        place = next;
    }
    if of_caller {
        return None;
    }
    match &path.column {
        Column::Field(field)
        | Column::Lower(field)
        | Column::Single(field)
        | Column::Length(field)
        | Column::Path(field, _) => look(place, *field),
        _ => None,
    }
}

/// Is it a value that the caller chooses? Whether something was sent at all is none.
pub(super) fn is_sent(node: &Node) -> bool {
    match node {
        Node::Value(value) => is_sent_value(value),
        Node::Changed { .. } => true,
        Node::Call(call) => call.arguments().iter().any(is_sent),
        // The caller chooses the record that it is read from.
        Node::Path(path) | Node::Submitted(path) => matches!(path.root, Root::Submitted { .. }),
        Node::Caller(_) => false,
    }
}

fn is_sent_value(value: &Value) -> bool {
    match value {
        Value::Body(_) | Value::Query(_) | Value::Header(_) => true,
        Value::Lower(inner)
        | Value::Length(inner)
        | Value::Numeric(inner)
        | Value::Each(inner, _) => is_sent_value(inner),
        _ => false,
    }
}

/// The key of the body that an operand begins with.
pub(super) fn body_key(node: &Node) -> Option<&str> {
    match node {
        Node::Value(value) | Node::Changed { sent: value, .. } => body_key_of(value),
        Node::Path(path) | Node::Submitted(path) => match &path.root {
            Root::Submitted { key, .. } => Some(key),
            _ => None,
        },
        Node::Caller(_) | Node::Call(_) => None,
    }
}

fn body_key_of(value: &Value) -> Option<&str> {
    match value {
        Value::Body(path) => path.first().map(String::as_str),
        Value::IsSet(inner)
        | Value::Lower(inner)
        | Value::Length(inner)
        | Value::Numeric(inner)
        | Value::Each(inner, _) => body_key_of(inner),
        _ => None,
    }
}
