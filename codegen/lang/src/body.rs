//! `@request.body.…`: what was sent.

use crate::error::{Code, Error};
use crate::name::{Modifier, Name, Part};
use crate::path::{self, Start, follow, not_a_relation};
use crate::plan::{Quantifier, Value};
use crate::request::{Given, is_set, lower, no_modifier, numeric};
use crate::schema::{Field, FieldType};
use crate::scope::{Scope, did_you_mean};
use crate::typed::{Node, Root, Type};

/// Resolves `@request.body.KEY.MORE…`.
pub(crate) fn resolve<'a>(
    scope: &Scope<'a>,
    name: &Name<'_>,
    key: Part<'_>,
    more: &[Part<'_>],
) -> Result<Given<'a>, Error> {
    let field = scope.field(scope.collection, key.text);
    let keys = std::iter::once(&key)
        .chain(more)
        .map(|part| part.text.to_owned())
        .collect();
    let value = Value::Body(keys);
    let Some(field) = field else {
        if scope.strict() {
            known_key(scope, key)?;
        }
        return untyped(scope, value, name);
    };
    if let Some(next) = more.first() {
        return match field.kind {
            FieldType::One(_) | FieldType::Many(_) => submitted(scope, &field, name, more),
            FieldType::Json | FieldType::GeoPoint | FieldType::Choices => {
                untyped(scope, value, name)
            }
            kind if scope.strict() => Err(not_a_relation(field.name, kind, next.span)),
            _ => untyped(scope, value, name),
        };
    }
    let ty = Type::from(field.kind);
    let given = match name.modifier()? {
        None => Given {
            values: field.values,
            ..Given::new(numeric(scope, value, name), ty)
        },
        Some((Modifier::Lower, _)) => Given::new(lower(numeric(scope, value, name)), Type::Text),
        Some((Modifier::IsSet, _)) => Given::new(is_set(value), Type::Bool),
        Some((Modifier::Changed, _)) => Given {
            node: Node::Changed {
                field: path::own(&field),
                sent: value,
            },
            ty: Type::Bool,
            values: &[],
            warning: None,
        },
        Some((Modifier::Length, _)) if field.kind.has_items() => {
            Given::new(Value::Length(Box::new(value)), Type::Number)
        }
        Some((Modifier::Each, _)) if field.kind.has_items() => {
            let ty = match field.kind {
                FieldType::Choice | FieldType::Choices => Type::Choice,
                _ => Type::Record,
            };
            // The comparison decides the quantifier.
            let each = Value::Each(Box::new(value), Quantifier::Some);
            Given {
                values: field.values,
                ..Given::new(each, ty)
            }
        }
        Some((modifier, span)) => {
            let name = modifier.as_str();
            let message = format!("a {ty} field can't have `:{name}`");
            let error = Error::new(Code::Modifier, span, message, "has no meaning here");
            return Err(error.with_help(format!("`:{name}` is for selects and relations")));
        }
    };
    Ok(given)
}

/// What the records hold, or lead to, whose ids were sent.
fn submitted<'a>(
    scope: &Scope<'a>,
    field: &Field<'a>,
    name: &Name<'_>,
    more: &[Part<'_>],
) -> Result<Given<'a>, Error> {
    let (target, multi) = match field.kind {
        FieldType::One(target) => (target, false),
        FieldType::Many(target) => (target, true),
        kind => return Err(not_a_relation(field.name, kind, name.end())),
    };
    let root = Root::Submitted {
        key: field.name.to_owned(),
        target,
        multi,
    };
    match follow(scope, Start { root, at: target }, more, name.suffix) {
        Ok(found) => Ok(Given {
            node: if found.path.tells_missing() {
                Node::Submitted(found.path)
            } else {
                Node::Path(found.path)
            },
            ty: found.ty,
            values: found.values,
            warning: None,
        }),
        Err(error)
            if !scope.strict()
                && matches!(error.code, Code::UnknownField | Code::UnknownCollection) =>
        {
            Ok(Given::new(Value::Null, Type::Unknown))
        }
        Err(error) => Err(error),
    }
}

/// A key that is no field is fine, unless it looks like a field misspelt.
fn known_key(scope: &Scope<'_>, key: Part<'_>) -> Result<(), Error> {
    let is_auth = scope.schema.is_auth(scope.collection);
    if is_auth && matches!(key.text, "passwordConfirm" | "oldPassword") {
        return Ok(());
    }
    let Some(near) = scope.near_field(scope.collection, key.text) else {
        return Ok(());
    };
    let collection = scope.schema.name(scope.collection);
    let message = format!("unknown field `{}` in collection `{collection}`", key.text);
    Err(
        Error::new(Code::UnknownField, key.span, message, "no such field")
            .with_maybe_help(did_you_mean(Some(near))),
    )
}

/// A place in the body whose type the schema doesn't tell.
fn untyped<'a>(scope: &Scope<'a>, value: Value, name: &Name<'_>) -> Result<Given<'a>, Error> {
    match name.modifier()? {
        None => Ok(Given::new(numeric(scope, value, name), Type::Unknown)),
        Some((Modifier::Lower, _)) => {
            let value = lower(numeric(scope, value, name));
            Ok(Given::new(value, Type::Text))
        }
        Some((Modifier::IsSet, _)) => Ok(Given::new(is_set(value), Type::Bool)),
        Some((modifier, span)) => Err(no_modifier(modifier, span)),
    }
}
