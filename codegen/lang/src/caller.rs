//! `@request.auth.…`: the record of whoever asks.

use crate::back;
use crate::error::{Code, Error};
use crate::name::{Modifier, Name, Part};
use crate::path::{Found, Start, follow};
use crate::plan::{Column, Value};
use crate::request::{Given, lower, no_modifier};
use crate::schema::{CollectionId, Field, FieldType};
use crate::scope::{Scope, did_you_mean};
use crate::typed::{CallerPath, Node, Root, Type};

/// Resolves `@request.auth.KEY.MORE…`.
pub(crate) fn resolve<'a>(
    scope: &Scope<'a>,
    name: &Name<'_>,
    key: Part<'_>,
    more: &[Part<'_>],
) -> Result<Given<'a>, Error> {
    let fields: Vec<Field<'a>> = scope
        .auth_collections()
        .filter_map(|id| scope.field(id, key.text))
        .collect();
    let single = |field: &Field<'_>| matches!(field.kind, FieldType::One(_));
    let own_id = matches!(more, [id] if id.text == "id") && fields.iter().all(single);
    if fields.is_empty() && back::is_back(key.text) || !more.is_empty() && !own_id {
        return path(scope, name);
    }
    let items = fields.iter().any(|field| field.kind.has_items());
    match name.modifier()? {
        Some((Modifier::Each | Modifier::Length, _)) if items => path(scope, name),
        _ => direct(scope, name, key, &fields),
    }
}

/// A field of the record itself.
fn direct<'a>(
    scope: &Scope<'a>,
    name: &Name<'_>,
    key: Part<'_>,
    fields: &[Field<'a>],
) -> Result<Given<'a>, Error> {
    let system = matches!(key.text, "id" | "collectionId" | "collectionName");
    if fields.is_empty() && !system && scope.strict() {
        return Err(unknown(scope, key));
    }
    let value = Value::Auth(key.text.to_owned());
    let ty = match fields.split_first() {
        _ if system => Type::Text,
        Some((first, rest)) if rest.iter().all(|field| field.kind == first.kind) => {
            first.kind.into()
        }
        _ => Type::Unknown,
    };
    match name.modifier()? {
        None => Ok(Given::new(value, ty)),
        Some((Modifier::Lower, _)) => Ok(Given::new(lower(value), Type::Text)),
        Some(_) if !scope.strict() => Ok(Given::new(value, ty)),
        Some((modifier, span)) => Err(no_modifier(modifier, span)),
    }
}

/// What the record leads to, or holds inside: one way for each auth collection that has it.
fn path<'a>(scope: &Scope<'a>, name: &Name<'_>) -> Result<Given<'a>, Error> {
    let parts = name.parts.get(2..).unwrap_or(&[]);
    let mut found = Vec::new();
    let mut failed = Vec::new();
    for at in scope.auth_collections() {
        let root = Root::Caller(at);
        match follow(scope, Start { root, at }, parts, name.suffix) {
            Ok(way) => found.push((at, way)),
            Err(error) => failed.push(error),
        }
    }
    if found.is_empty() {
        return nowhere(scope, name, failed);
    }
    Ok(given(scope, found))
}

fn given<'a>(scope: &Scope<'a>, mut found: Vec<(CollectionId, Found<'a>)>) -> Given<'a> {
    let same = found.windows(2).all(|pair| match pair {
        [(_, one), (_, other)] => one.ty == other.ty && one.values == other.values,
        _ => true,
    });
    let (ty, values) = match found.first() {
        Some((_, way)) if same => (way.ty, way.values),
        _ => (Type::Unknown, [].as_slice()),
    };
    // A caller of another collection has the literal NULL. The columns of a record that is missing
    // compare as that does, but for these.
    let differs = |way: &Found<'_>| way.path.strict || matches!(way.path.column, Column::Length(_));
    let node = match found.pop() {
        Some((_, only)) if found.is_empty() && !differs(&only) => Node::Path(only.path),
        last => {
            let ways = found.into_iter().chain(last);
            Node::Caller(
                ways.map(|(at, way)| CallerPath {
                    collection: scope.schema.name(at).to_owned(),
                    path: way.path,
                })
                .collect(),
            )
        }
    };
    Given {
        node,
        ty,
        values,
        warning: None,
    }
}

/// No auth collection has it: a mistake in a rule, NULL in a filter.
fn nowhere<'a>(scope: &Scope<'a>, name: &Name<'_>, failed: Vec<Error>) -> Result<Given<'a>, Error> {
    let key = name.parts.get(2).copied();
    // What fails behind the first name tells more than that another collection lacks that name.
    let first = key.map(|key| key.span);
    let deep = failed.iter().position(|error| Some(error.span) != first);
    let error = failed.into_iter().nth(deep.unwrap_or(0));
    let unknown_name =
        |error: &Error| matches!(error.code, Code::UnknownField | Code::UnknownCollection);
    match (error, key) {
        (Some(error), _) if !scope.strict() && unknown_name(&error) => {
            Ok(Given::new(Value::Null, Type::Unknown))
        }
        (Some(error), Some(key)) if deep.is_none() && error.code == Code::UnknownField => {
            Err(if back::is_back(key.text) {
                error
            } else {
                unknown(scope, key)
            })
        }
        (Some(error), _) => Err(error),
        // There is no auth collection at all.
        (None, _) if !scope.strict() => Ok(Given::new(Value::Null, Type::Unknown)),
        (None, key) => Err(unknown(scope, key.unwrap_or_default())),
    }
}

fn unknown(scope: &Scope<'_>, key: Part<'_>) -> Error {
    let near = scope
        .auth_collections()
        .find_map(|id| scope.near_field(id, key.text));
    let message = format!("no auth collection has a field `{}`", key.text);
    Error::new(Code::UnknownRequestPart, key.span, message, "no such field")
        .with_maybe_help(did_you_mean(near))
}
