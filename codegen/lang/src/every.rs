//! `@collection.NAME:ALIAS.path`: every record of a collection.

use crate::error::{Code, Error};
use crate::name::split;
use crate::path::{Found, Start, follow};
use crate::scope::{Scope, did_you_mean};
use crate::span::Span;
use crate::typed::Root;

const HEAD: &str = "@collection";

/// Resolves a name that begins with `@collection`.
pub(crate) fn resolve<'a>(scope: &Scope<'a>, text: &str, span: Span) -> Result<Found<'a>, Error> {
    let ends = |message: &str| {
        let own = scope.schema.name(scope.collection);
        Error::new(Code::BadPath, span, message, "ends here")
            .with_help(format!("for example `@collection.{own}.id`"))
    };
    let named = text
        .strip_prefix(HEAD)
        .and_then(|rest| rest.strip_prefix('.'))
        .ok_or_else(|| ends("`@collection` needs a collection and a field behind it"))?;
    let (named, rest) = named
        .split_once('.')
        .ok_or_else(|| ends("`@collection` needs a field behind the collection"))?;
    let (name, alias) = named.split_once(':').unwrap_or((named, ""));
    let start = span.start + HEAD.len() + 1;
    let Some(collection) = scope.schema.collection(name) else {
        let at = Span {
            start,
            end: start + name.len(),
        };
        let message = format!("unknown collection `{name}`");
        let label = "no such collection";
        return Err(Error::new(Code::UnknownCollection, at, message, label)
            .with_maybe_help(did_you_mean(scope.near_collection(name))));
    };
    if alias.contains(':') || named.ends_with(':') {
        let at = Span {
            start: start + name.len(),
            end: start + named.len(),
        };
        let message = "a collection takes one alias: a name behind `:`";
        let error = Error::new(Code::BadPath, at, message, "no alias");
        return Err(error.with_help(format!("for example `@collection.{name}:other.id`")));
    }
    let behind = Span {
        start: start + named.len() + 1,
        end: span.end,
    };
    let path = split(rest, behind)?;
    let root = Root::Every {
        collection,
        alias: alias.to_owned(),
    };
    let start = Start {
        root,
        at: collection,
    };
    let mut found = follow(scope, start, &path.parts, path.suffix)?;
    // A collection without records gives NULL.
    found.nullable = true;
    Ok(found)
}
