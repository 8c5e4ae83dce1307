//! `@request.auth.…`: the record of whoever asks.

use crate::back;
use crate::error::{Code, Error};
use crate::name::{Modifier, Name, Part};
use crate::path::{Found, Start, follow};
use crate::plan::Value;
use crate::request::{Given, lower, no_modifier};
use crate::schema::{CollectionId, Field, FieldType};
use crate::scope::{Scope, did_you_mean};
use crate::typed::{CallerPath, Node, Root, Type};

/// The collection of superusers, who ask all filters that may name `@request`.
const SUPERUSERS: &str = "_superusers";

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
    // Without a field behind it, a back-relation is a field that no record has.
    let way = scope.strict() || !more.is_empty();
    if way && fields.is_empty() && back::is_back(key.text) || !more.is_empty() && !own_id {
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

/// A way from the record of one auth collection, if it can be gone.
type Way<'a> = (CollectionId, Option<Found<'a>>);

/// What the record leads to, or holds inside: one way for each auth collection that has it.
fn path<'a>(scope: &Scope<'a>, name: &Name<'_>) -> Result<Given<'a>, Error> {
    let parts = name.parts.get(2..).unwrap_or(&[]);
    let mut ways: Vec<Way<'a>> = Vec::new();
    let mut failed = Vec::new();
    for at in scope.auth_collections() {
        let root = Root::Caller(at);
        match follow(scope, Start { root, at }, parts, name.suffix) {
            Ok(way) => ways.push((at, Some(way))),
            Err(error) => {
                // PocketBase answers such callers with an error.
                if !is_unknown(&error, parts) {
                    ways.push((at, None));
                }
                failed.push((at, error));
            }
        }
    }
    let leads = ways.iter().any(|(_, way)| way.is_some());
    let superusers = scope.schema.collection(SUPERUSERS);
    let refused = |(at, error): &(CollectionId, Error)| {
        !is_unknown(error, parts) && (scope.strict() || !scope.imported && Some(*at) == superusers)
    };
    if !leads && (scope.strict() || failed.iter().any(refused)) {
        return Err(nowhere(scope, name, failed));
    }
    Ok(given(scope, ways))
}

/// Is it only that the record has no such field? A back-relation that points elsewhere is none either.
fn is_unknown(error: &Error, parts: &[Part<'_>]) -> bool {
    let elsewhere = parts.first().is_some_and(|first| {
        parts.len() > 1 && back::is_back(first.text) && error.span == first.span
    });
    elsewhere || matches!(error.code, Code::UnknownField | Code::UnknownCollection)
}

fn given<'a>(scope: &Scope<'a>, mut ways: Vec<Way<'a>>) -> Given<'a> {
    let mut found = ways.iter().filter_map(|(_, way)| way.as_ref());
    let first = found.next();
    let same =
        found.all(|other| first.is_some_and(|it| (it.ty, it.values) == (other.ty, other.values)));
    let (ty, values) = match first {
        Some(way) if same => (way.ty, way.values),
        _ => (Type::Unknown, [].as_slice()),
    };
    // A caller of another collection has the literal NULL. The columns of a record that is missing
    // compare as that does, but for these.
    let differs = |way: &Found<'_>| way.path.tells_missing();
    let node = match ways.pop() {
        None => Node::Value(Value::Null),
        Some((_, Some(only))) if ways.is_empty() && !differs(&only) => Node::Path(only.path),
        last => Node::Caller(
            ways.into_iter()
                .chain(last)
                .map(|(at, way)| CallerPath {
                    collection: scope.schema.name(at).to_owned(),
                    path: way.map(|way| way.path),
                })
                .collect(),
        ),
    };
    Given {
        node,
        ty,
        values,
        warning: None,
    }
}

/// Why no auth collection has it.
fn nowhere(scope: &Scope<'_>, name: &Name<'_>, failed: Vec<(CollectionId, Error)>) -> Error {
    let key = name.parts.get(2).copied().unwrap_or_default();
    // What fails behind the first name tells more than that another collection lacks that name.
    let deep = failed
        .iter()
        .position(|(_, error)| error.span != key.span)
        .unwrap_or(0);
    match failed.into_iter().nth(deep) {
        Some((_, error)) if error.span != key.span || back::is_back(key.text) => error,
        _ => unknown(scope, key),
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
