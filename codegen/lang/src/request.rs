//! Names that begin with `@`: the request, macros, other collections.

use crate::error::{Code, Error};
use crate::every;
use crate::name::{Modifier, Name, Part, split};
use crate::path::{self, not_a_relation, unsupported};
use crate::plan::{Macro, Quantifier, Value};
use crate::schema::{Field, FieldType};
use crate::scope::{Caller, Scope, did_you_mean, nearest};
use crate::span::Span;
use crate::typed::{Node, Type};

/// A resolved value with what the checks need to know of it.
#[derive(Debug)]
pub(crate) struct Given<'a> {
    pub node: Node,
    pub ty: Type,
    pub values: &'a [String],
    pub warning: Option<Error>,
}

impl Given<'_> {
    fn new(value: Value, ty: Type) -> Self {
        Self {
            node: Node::Value(value),
            ty,
            values: &[],
            warning: None,
        }
    }
}

const PARTS: [&str; 6] = ["method", "context", "query", "headers", "body", "auth"];

/// Resolves a name that begins with `@`.
pub(crate) fn resolve<'a>(scope: &Scope<'a>, text: &str, span: Span) -> Result<Given<'a>, Error> {
    let head = text.split(['.', ':']).next().unwrap_or(text);
    if matches!(head, "@request" | "@collection") && scope.caller == Caller::Client {
        let message = format!("only superusers can filter by `{head}`");
        return Err(Error::new(
            Code::Forbidden,
            span,
            message,
            "not allowed here",
        ));
    }
    match head {
        "@request" => request(scope, &split(text, span)?, span),
        "@collection" => {
            let found = every::resolve(scope, text, span)?;
            Ok(Given {
                node: Node::Path(found.path),
                ty: found.ty,
                values: found.values,
                warning: None,
            })
        }
        _ => constant(text, span),
    }
}

fn constant<'a>(text: &str, span: Span) -> Result<Given<'a>, Error> {
    let (name, behind) = text.split_at(text.find(['.', ':']).unwrap_or(text.len()));
    let Some((_, value)) = Macro::NAMES.iter().find(|(known, _)| *known == name) else {
        let known = Macro::NAMES.iter().map(|(name, _)| *name);
        let near = nearest(name, known.chain(["@request", "@collection"]));
        let message = format!("unknown macro `{name}`");
        return Err(
            Error::new(Code::UnknownMacro, span, message, "no such macro")
                .with_maybe_help(did_you_mean(near)),
        );
    };
    if !behind.is_empty() {
        let span = Span {
            start: span.start + name.len(),
            end: span.end,
        };
        let message = format!("nothing can follow the macro `{name}`");
        return Err(Error::new(
            Code::Modifier,
            span,
            message,
            "has no meaning here",
        ));
    }
    let ty = if value.is_number() {
        Type::Number
    } else {
        Type::Date
    };
    Ok(Given::new(Value::Macro(*value), ty))
}

fn request<'a>(scope: &Scope<'a>, name: &Name<'_>, span: Span) -> Result<Given<'a>, Error> {
    let Some(part) = name.parts.get(1) else {
        let message = "`@request` needs a part behind it";
        return Err(
            Error::new(Code::UnknownRequestPart, span, message, "ends here")
                .with_help("the parts are `method`, `context`, `query`, `headers`, `body`, `auth`"),
        );
    };
    let rest = name.parts.get(2..).unwrap_or(&[]);
    if !PARTS.contains(&part.text) {
        let near = if part.text == "data" {
            Some("body")
        } else {
            nearest(part.text, PARTS)
        };
        let message = format!("unknown part `{}` of `@request`", part.text);
        return Err(
            Error::new(Code::UnknownRequestPart, part.span, message, "no such part")
                .with_help("the parts are `method`, `context`, `query`, `headers`, `body`, `auth`")
                .with_maybe_help(did_you_mean(near)),
        );
    }
    match (part.text, rest.split_first()) {
        ("method", None) => plain(Value::Method, name),
        ("context", None) => plain(Value::Context, name),
        ("method" | "context", Some((next, _))) => {
            let message = format!("nothing can follow `@request.{}`", part.text);
            Err(Error::new(
                Code::UnknownRequestPart,
                next.span,
                message,
                "no such part",
            ))
        }
        (_, None) => {
            let message = format!("`@request.{}` needs a name behind it", part.text);
            Err(Error::new(
                Code::UnknownRequestPart,
                part.span,
                message,
                "ends here",
            ))
        }
        ("query", Some((key, more))) => {
            let never =
                (!more.is_empty()).then(|| never(key.span, "a query parameter has no parts"));
            outside(scope, Value::Query(key.text.to_owned()), name, never)
        }
        ("headers", Some((key, more))) => {
            let upper = key.text.bytes().any(|b| b.is_ascii_uppercase());
            let never = if !more.is_empty() {
                Some(never(key.span, "a header has no parts"))
            } else {
                upper.then(|| never(key.span, "the names of headers are in lower case here"))
            };
            outside(scope, Value::Header(key.text.to_owned()), name, never)
        }
        ("auth", Some((key, more))) => auth(scope, name, *key, more),
        (_, Some((key, more))) => body(scope, name, *key, more),
    }
}

fn never(span: Span, why: &str) -> Error {
    let message = format!("{why}: this is always null");
    Error::new(Code::NeverSet, span, message, "never set")
}

/// `method` and `context` take no modifier.
fn plain<'a>(value: Value, name: &Name<'_>) -> Result<Given<'a>, Error> {
    match name.modifier {
        None => Ok(Given::new(value, Type::Text)),
        Some((modifier, span)) => Err(no_modifier(modifier, span)),
    }
}

fn no_modifier(modifier: Modifier, span: Span) -> Error {
    let message = format!("`:{}` can't be used on this value", modifier.as_str());
    Error::new(Code::Modifier, span, message, "has no meaning here")
}

/// Query and header values: text that may be there or not.
fn outside<'a>(
    scope: &Scope<'a>,
    value: Value,
    name: &Name<'_>,
    never: Option<Error>,
) -> Result<Given<'a>, Error> {
    let value = if never.is_some() { Value::Null } else { value };
    let mut given = match name.modifier {
        None if value != Value::Null && names_number(scope, name) => {
            Given::new(numeric(scope, value, name), Type::Number)
        }
        None => Given::new(value, Type::Text),
        Some((Modifier::Lower, _)) => Given::new(lower(numeric(scope, value, name)), Type::Text),
        Some((Modifier::IsSet, _)) => Given::new(is_set(value), Type::Bool),
        Some((modifier, span)) => return Err(no_modifier(modifier, span)),
    };
    given.warning = never;
    Ok(given)
}

/// Has the collection a number field that is called as the value is?
fn names_number(scope: &Scope<'_>, name: &Name<'_>) -> bool {
    name.parts.last().is_some_and(|part| {
        scope
            .field(scope.collection, part.text)
            .is_some_and(|field| field.kind == FieldType::Number)
    })
}

/// What is called like a number field is read as a number, wherever in the request it stands.
fn numeric(scope: &Scope<'_>, value: Value, name: &Name<'_>) -> Value {
    if value != Value::Null && names_number(scope, name) {
        Value::Numeric(Box::new(value))
    } else {
        value
    }
}

fn lower(value: Value) -> Value {
    if value == Value::Null {
        value
    } else {
        Value::Lower(Box::new(value))
    }
}

fn is_set(value: Value) -> Value {
    if value == Value::Null {
        Value::Bool(false)
    } else {
        Value::IsSet(Box::new(value))
    }
}

fn auth<'a>(
    scope: &Scope<'a>,
    name: &Name<'_>,
    key: Part<'_>,
    more: &[Part<'_>],
) -> Result<Given<'a>, Error> {
    let fields: Vec<Field<'a>> = scope
        .auth_collections()
        .filter_map(|id| scope.field(id, key.text))
        .collect();
    let direct = matches!(key.text, "id" | "collectionId" | "collectionName");
    if let Some(next) = more.first() {
        return Err(auth_path(&fields, key, next.span));
    }
    if key.text.contains("_via_") {
        return Err(unsupported(
            key.span,
            "back-relations of `@request.auth` are not compiled yet",
        ));
    }
    if fields.is_empty() && !direct && scope.strict() {
        let near = scope
            .auth_collections()
            .find_map(|id| scope.near_field(id, key.text));
        let message = format!("no auth collection has a field `{}`", key.text);
        return Err(
            Error::new(Code::UnknownRequestPart, key.span, message, "no such field")
                .with_maybe_help(did_you_mean(near)),
        );
    }
    let value = Value::Auth(key.text.to_owned());
    let ty = match fields.split_first() {
        _ if direct => Type::Text,
        Some((first, rest)) if rest.iter().all(|field| field.kind == first.kind) => {
            first.kind.into()
        }
        _ => Type::Unknown,
    };
    match name.modifier {
        None => Ok(Given::new(value, ty)),
        Some((Modifier::Lower, _)) => Ok(Given::new(lower(value), Type::Text)),
        Some((Modifier::Each | Modifier::Length, span))
            if fields.iter().any(|field| field.kind.has_items()) =>
        {
            Err(unsupported(
                span,
                "`:each` and `:length` of `@request.auth` are not compiled yet",
            ))
        }
        Some(_) if !scope.strict() => Ok(Given::new(value, ty)),
        Some((modifier, span)) => Err(no_modifier(modifier, span)),
    }
}

fn auth_path(fields: &[Field<'_>], key: Part<'_>, next: Span) -> Error {
    let leads_on = |field: &&Field<'_>| {
        matches!(
            field.kind,
            FieldType::One(_) | FieldType::Many(_) | FieldType::Json | FieldType::GeoPoint
        )
    };
    match (fields.iter().find(leads_on), fields.first()) {
        (None, Some(field)) => not_a_relation(field.name, field.kind, next),
        (None, None) if !key.text.contains("_via_") => {
            let message = format!("no auth collection has a field `{}`", key.text);
            Error::new(Code::UnknownRequestPart, key.span, message, "no such field")
        }
        _ => unsupported(
            key.span,
            "paths through fields of `@request.auth` are not compiled yet",
        ),
    }
}

fn body<'a>(
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
            FieldType::One(_) | FieldType::Many(_) => {
                let message = "paths through relations of `@request.body` are not compiled yet";
                Err(unsupported(key.span, message))
            }
            FieldType::Json | FieldType::GeoPoint | FieldType::Choices => {
                untyped(scope, value, name)
            }
            kind if scope.strict() => Err(not_a_relation(field.name, kind, next.span)),
            _ => untyped(scope, value, name),
        };
    }
    let ty = Type::from(field.kind);
    let given = match name.modifier {
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
            let message = format!("a {ty} field can't have `:{}`", modifier.as_str());
            return Err(Error::new(
                Code::Modifier,
                span,
                message,
                "has no meaning here",
            ));
        }
    };
    Ok(given)
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
    match name.modifier {
        None => Ok(Given::new(numeric(scope, value, name), Type::Unknown)),
        Some((Modifier::Lower, _)) => {
            let value = lower(numeric(scope, value, name));
            Ok(Given::new(value, Type::Text))
        }
        Some((Modifier::IsSet, _)) => Ok(Given::new(is_set(value), Type::Bool)),
        Some((modifier, span)) => Err(no_modifier(modifier, span)),
    }
}
