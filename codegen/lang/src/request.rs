//! Names that begin with `@`: the request, macros, other collections.

use crate::body;
use crate::caller;
use crate::error::{Code, Error};
use crate::every;
use crate::name::{Modifier, Name, split};
use crate::plan::{Macro, Value};
use crate::schema::FieldType;
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
    pub(crate) fn new(value: Value, ty: Type) -> Self {
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
        ("auth", Some((key, more))) => caller::resolve(scope, name, *key, more),
        (_, Some((key, more))) => body::resolve(scope, name, *key, more),
    }
}

fn never(span: Span, why: &str) -> Error {
    let message = format!("{why}: this is always null");
    Error::new(Code::NeverSet, span, message, "never set")
}

/// `method` and `context` take no modifier.
fn plain<'a>(value: Value, name: &Name<'_>) -> Result<Given<'a>, Error> {
    match name.modifier()? {
        None => Ok(Given::new(value, Type::Text)),
        Some((modifier, span)) => Err(no_modifier(modifier, span)),
    }
}

pub(crate) fn no_modifier(modifier: Modifier, span: Span) -> Error {
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
    let mut given = match name.modifier()? {
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
pub(crate) fn numeric(scope: &Scope<'_>, value: Value, name: &Name<'_>) -> Value {
    if value != Value::Null && names_number(scope, name) {
        Value::Numeric(Box::new(value))
    } else {
        value
    }
}

pub(crate) fn lower(value: Value) -> Value {
    if value == Value::Null {
        value
    } else {
        Value::Lower(Box::new(value))
    }
}

pub(crate) fn is_set(value: Value) -> Value {
    if value == Value::Null {
        Value::Bool(false)
    } else {
        Value::IsSet(Box::new(value))
    }
}
