//! What is valid in a rule, but hardly meant: comparisons that never hold, conditions that exclude
//! each other, and rules that let guests in by what guests lack.

use crate::assume::Kind;
use crate::check::is_literal;
use crate::condition::literal;
use crate::error::{Code, Error};
use crate::eval::compare;
use crate::lower::lower;
use crate::plan::{Column, Op, Plan, Value};
use crate::schema::{CollectionId, Field, FieldId, FieldType};
use crate::scope::{Scope, did_you_mean, nearest};
use crate::span::Span;
use crate::typed::{Call, Comparison, Expr, Node, Operand, Path, Root, Step, Type};

const METHODS: [&str; 6] = ["GET", "POST", "PATCH", "DELETE", "PUT", "HEAD"];
const CONTEXTS: [&str; 8] = [
    "default",
    "expand",
    "batch",
    "realtime",
    "protectedFile",
    "oauth2",
    "otp",
    "password",
];

/// Everything odd about a rule, in no order.
pub(crate) fn find(expr: &Expr, scope: &Scope<'_>) -> Vec<Error> {
    let mut found = Vec::new();
    each(expr, scope, &mut found);
    if !scope.of_users {
        guests(expr, scope, &mut found);
    }
    found
}

fn each(expr: &Expr, scope: &Scope<'_>, found: &mut Vec<Error>) {
    match expr {
        Expr::All(items) => {
            items.iter().for_each(|item| each(item, scope, found));
            conflicts(items, found);
        }
        Expr::Any(items) => items.iter().for_each(|item| each(item, scope, found)),
        Expr::Compare(comparison) => {
            let never = never_equal(comparison, scope);
            if never.is_none() {
                found.extend(constant(comparison));
            }
            found.extend(never);
        }
    }
}

/// A comparison that always comes out the same, whatever the record and the request.
fn constant(comparison: &Comparison) -> Option<Error> {
    let sides = [&comparison.left, &comparison.right];
    let known = |operand: &Operand| operand.node == Node::Value(Value::Null);
    // What is never set has its own warning.
    if sides.iter().any(|it| known(it) && it.text.starts_with('@')) {
        return None;
    }
    let result = match lower(&Expr::Compare(Box::new(comparison.clone()))).fold() {
        Plan::Always => "is always true",
        Plan::Never => "is never true",
        _ => return None,
    };
    let (message, label) = if sides.iter().all(|it| is_literal(&it.node)) {
        let message = "this comparison always comes out the same".to_owned();
        (message, "compares two literals")
    } else {
        (format!("this comparison {result}"), "decides nothing")
    };
    let error = Error::new(Code::ConstantPart, comparison.span, message, label);
    let null = sides.iter().any(|it| known(it));
    let null = null && !matches!(comparison.op, Op::Equal | Op::NotEqual);
    Some(error.with_maybe_help(null.then(|| "compare with `null` by `=` or `!=`".to_owned())))
}

/// `=` or `!=` of two things that are never alike.
fn never_equal(comparison: &Comparison, scope: &Scope<'_>) -> Option<Error> {
    if !matches!(comparison.op, Op::Equal | Op::NotEqual) {
        return None;
    }
    let (left, right) = (&comparison.left, &comparison.right);
    let error = |message: String, label: &str| {
        Error::new(Code::NeverEqual, comparison.span, message, label)
    };
    for (side, other) in [(left, right), (right, left)] {
        if let Some((span, message, near)) = unknown_word(side, other, scope) {
            let error = Error::new(Code::NeverEqual, span, message, "never equal");
            return Some(error.with_maybe_help(did_you_mean(near)));
        }
        if is_time(&side.node) && matches!(other.node, Node::Value(Value::Number(_))) {
            let message = format!("the text `{}` never equals a number", side.text);
            let error = Error::new(Code::NeverEqual, other.span, message, "a number");
            return Some(error.with_help("put the value in quotes"));
        }
        if is_text_column(side) && is_number_column(other) {
            let message = format!(
                "the {} `{}` never equals the {} `{}`",
                side.ty, side.text, other.ty, other.text
            );
            let help = "compare fields of one type";
            return Some(error(message, "values of different types").with_help(help));
        }
    }
    let (ours, theirs) = (records(left, scope)?, records(right, scope)?);
    if ours.iter().any(|one| theirs.contains(one)) {
        return None;
    }
    let names = |ids: &[CollectionId]| {
        let names = ids.iter().map(|id| format!("`{}`", scope.schema.name(*id)));
        names.collect::<Vec<_>>().join(" or ")
    };
    let message = format!(
        "`{}` is the id of a record in {}, `{}` of one in {}",
        left.text,
        names(&ours),
        right.text,
        names(&theirs)
    );
    let help = "compare relations to the same collection, or fields of the records behind them";
    Some(error(message, "ids of different collections").with_help(help))
}

/// A word that the request never says in this place.
fn unknown_word<'s>(
    side: &Operand,
    other: &Operand,
    scope: &Scope<'s>,
) -> Option<(Span, String, Option<&'s str>)> {
    let Node::Value(Value::Text(word)) = &other.node else {
        return None;
    };
    let words: Vec<&str> = match &side.node {
        Node::Value(Value::Method) => METHODS.to_vec(),
        Node::Value(Value::Context) => CONTEXTS.to_vec(),
        Node::Value(Value::Auth(name)) if name == "collectionName" => scope
            .auth_collections()
            .map(|id| scope.schema.name(id))
            .collect(),
        _ => return None,
    };
    if word.is_empty() || words.contains(&word.as_str()) {
        return None;
    }
    let message = format!("`{}` is never `{word}`", side.text);
    let near = nearest(word, words);
    Some((other.span, message, near))
}

fn is_time(node: &Node) -> bool {
    matches!(node, Node::Call(Call::Time { .. }))
}

/// Between columns SQLite converts nothing for `=`.
fn is_text_column(operand: &Operand) -> bool {
    let text = matches!(
        operand.ty,
        Type::Text | Type::Date | Type::Choice | Type::Record
    );
    text && is_column(operand)
}

fn is_number_column(operand: &Operand) -> bool {
    matches!(operand.ty, Type::Number | Type::Bool) && is_column(operand)
}

fn is_column(operand: &Operand) -> bool {
    matches!(&operand.node, Node::Path(path) | Node::Submitted(path) if matches!(path.column, Column::Field(_)))
}

/// The collections of whose records it holds an id, if that is known. (The ids of a view's own
/// records may be those of another collection.)
fn records(operand: &Operand, scope: &Scope<'_>) -> Option<Vec<CollectionId>> {
    let path = match &operand.node {
        Node::Value(Value::Auth(name)) if name == "id" => {
            return Some(scope.auth_collections().collect());
        }
        Node::Path(path) | Node::Submitted(path) => path,
        _ => return None,
    };
    let field = field(path, scope)?;
    match field.kind {
        FieldType::One(target) => Some(vec![target]),
        _ if field.id == FieldId(0) && !path.hops.is_empty() => Some(vec![end(path, scope)?]),
        _ => None,
    }
}

/// The field that a path ends at.
fn field<'a>(path: &Path, scope: &Scope<'a>) -> Option<Field<'a>> {
    let Column::Field(id) = path.column else {
        return None;
    };
    let mut fields = scope.schema.fields(end(path, scope)?).into_iter();
    fields.find(|field| field.id == id)
}

/// The collection of the row where a path ends.
fn end(path: &Path, scope: &Scope<'_>) -> Option<CollectionId> {
    match path.hops.last().map(|hop| hop.step) {
        Some(Step::One(to) | Step::Many(to) | Step::Back { source: to, .. }) => Some(to),
        Some(Step::Items) => None,
        None => Some(match &path.root {
            Root::Row => scope.collection,
            Root::Every { collection, .. } => *collection,
            Root::Caller(collection) => *collection,
            Root::Submitted { target, .. } => *target,
        }),
    }
}

/// One value that must equal two different literals: joined by `&&`, comparisons of one path speak
/// of one record, also with `?=`.
fn conflicts(items: &[Expr], found: &mut Vec<Error>) {
    let mut known: Vec<(&Path, &Operand, &Value)> = Vec::new();
    for item in items {
        let Expr::Compare(comparison) = item else {
            continue;
        };
        let Some((path, operand, value)) = demanded(comparison) else {
            continue;
        };
        let earlier = known
            .iter()
            .find(|(other, _, wanted)| *other == path && differ(wanted, value));
        if let Some((_, first, wanted)) = earlier {
            let message = format!("`{}` can't be {wanted} and {value} at once", first.text);
            let label = "excludes what was asked before";
            let error = Error::new(Code::Conflict, comparison.span, message, label);
            found.push(error.with_help(match path.is_multi() {
                true => advice(path, first, wanted, value),
                false => "write `||` if either will do".to_owned(),
            }));
        }
        known.push((path, operand, value));
    }
}

fn advice(path: &Path, operand: &Operand, one: &Value, other: &Value) -> String {
    if let (Column::Item, Value::Text(one), Value::Text(other)) = (&path.column, one, other) {
        let field = operand.text.trim_end_matches(":each");
        return format!(
            "both look at the same item; to ask for both items: \
             `{field} ~ '\"{one}\"' && {field} ~ '\"{other}\"'`"
        );
    }
    "both look at the same record; another record is reached by another path, for example \
     `@collection.NAME:alias`"
        .to_owned()
}

fn demanded(comparison: &Comparison) -> Option<(&Path, &Operand, &Value)> {
    if comparison.op != Op::Equal {
        return None;
    }
    let (left, right) = (&comparison.left, &comparison.right);
    match (&left.node, &right.node) {
        (Node::Path(path) | Node::Submitted(path), Node::Value(value))
            if is_literal(&right.node) =>
        {
            Some((path, left, value))
        }
        (Node::Value(value), Node::Path(path) | Node::Submitted(path))
            if is_literal(&left.node) =>
        {
            Some((path, right, value))
        }
        _ => None,
    }
}

/// Two literals of one kind that no value equals both.
fn differ(one: &Value, other: &Value) -> bool {
    let alike = std::mem::discriminant(one) == std::mem::discriminant(other);
    let sides = literal(one).zip(literal(other));
    alike && sides.is_some_and(|(one, other)| compare(&one, Op::Equal, &other) == Some(false))
}

/// Comparisons with the caller's record that let guests in: theirs is NULL, which equals whatever
/// is empty and differs from everything else.
fn guests(expr: &Expr, scope: &Scope<'_>, found: &mut Vec<Error>) {
    let mut suspects = Vec::new();
    suspicious(expr, scope, &mut suspects);
    if suspects.is_empty() {
        return;
    }
    let for_guests = |expr: &Expr| lower(expr).assume(scope.schema, Kind::Guest);
    let whole = for_guests(expr);
    for (comparison, message, label) in suspects {
        if for_guests(&without(expr, comparison.span)) != whole {
            let error = Error::new(Code::Guests, comparison.span, message, label);
            let help = "guests have no record: add `@request.auth.id != ''` to keep them out";
            found.push(error.with_help(help));
        }
    }
}

type Suspect<'e> = (&'e Comparison, String, &'static str);

fn suspicious<'e>(expr: &'e Expr, scope: &Scope<'_>, found: &mut Vec<Suspect<'e>>) {
    let comparison = match expr {
        Expr::All(items) | Expr::Any(items) => {
            return items.iter().for_each(|item| suspicious(item, scope, found));
        }
        Expr::Compare(comparison) => comparison.as_ref(),
    };
    let (left, right) = (&comparison.left, &comparison.right);
    let pair = match (of_the_caller(&left.node), of_the_caller(&right.node)) {
        (true, false) => (left, right),
        (false, true) => (right, left),
        _ => return,
    };
    let (caller, other) = pair;
    match comparison.op {
        Op::Equal if may_be_empty(&other.node, scope) => {
            let message = format!("this holds for guests where `{}` is empty", other.text);
            found.push((comparison, message, "empty on both sides"));
        }
        Op::NotEqual if !is_empty(&other.node) => {
            let message = format!("guests have no `{}`, so this holds for them", caller.text);
            found.push((comparison, message, "holds for guests"));
        }
        _ => {}
    }
}

fn of_the_caller(node: &Node) -> bool {
    match node {
        Node::Value(Value::Auth(_)) | Node::Caller(_) => true,
        Node::Path(path) => matches!(path.root, Root::Caller(_)),
        _ => false,
    }
}

fn is_empty(node: &Node) -> bool {
    match node {
        Node::Value(Value::Null) => true,
        Node::Value(Value::Text(text)) => text.is_empty(),
        _ => false,
    }
}

/// Can a record have nothing there? Numbers and bools never have.
fn may_be_empty(node: &Node, scope: &Scope<'_>) -> bool {
    let (Node::Path(path) | Node::Submitted(path)) = node else {
        return false;
    };
    let Some(field) = field(path, scope) else {
        return false;
    };
    let zero = matches!(field.kind, FieldType::Number | FieldType::Bool);
    let list = matches!(field.kind, FieldType::Choices | FieldType::Many(_));
    let given = field.required || field.id == FieldId(0) || zero || list;
    field.nullable || !path.hops.is_empty() || !given
}

/// The rule, if this comparison never held.
fn without(expr: &Expr, span: Span) -> Expr {
    let each = |items: &[Expr]| items.iter().map(|item| without(item, span)).collect();
    match expr {
        Expr::All(items) => Expr::All(each(items)),
        Expr::Any(items) => Expr::Any(each(items)),
        Expr::Compare(comparison) if comparison.span == span => Expr::Any(Vec::new()),
        other => other.clone(),
    }
}
