//! Names to paths: fields of the row, and of the rows that its relations point to.

use crate::error::{Code, Error};
use crate::plan::Column;
use crate::schema::{CollectionId, Field, FieldId, FieldType, ListAccess};
use crate::scope::{Caller, Scope, did_you_mean, nearest};
use crate::span::Span;
use crate::typed::{Hop, Path, Step, Type};

/// The most relations in one path.
pub const MAX_HOPS: usize = 6;

/// One part of a dotted name.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Part<'t> {
    pub text: &'t str,
    pub span: Span,
}

/// A dotted name, cut up.
#[derive(Debug)]
pub(crate) struct Name<'t> {
    pub parts: Vec<Part<'t>>,
    pub modifier: Option<(Modifier, Span)>,
}

/// What may stand behind `:`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Modifier {
    Lower,
    Length,
    Each,
    IsSet,
    Changed,
}

impl Modifier {
    const NAMES: [(&'static str, Self); 5] = [
        ("lower", Self::Lower),
        ("length", Self::Length),
        ("each", Self::Each),
        ("isset", Self::IsSet),
        ("changed", Self::Changed),
    ];

    fn find(part: Part<'_>) -> Result<Self, Error> {
        let known = Self::NAMES.iter().find(|(name, _)| *name == part.text);
        known.map(|(_, modifier)| *modifier).ok_or_else(|| {
            let near = nearest(part.text, Self::NAMES.iter().map(|(name, _)| *name));
            let message = format!("unknown modifier `:{}`", part.text);
            Error::new(
                Code::UnknownModifier,
                part.span,
                message,
                "no such modifier",
            )
            .with_help("the modifiers are `:lower`, `:length`, `:each`, `:isset`, `:changed`")
            .with_maybe_help(near.map(|near| format!("did you mean `:{near}`?")))
        })
    }

    pub(crate) fn as_str(self) -> &'static str {
        Self::NAMES
            .iter()
            .find(|(_, it)| *it == self)
            .map_or("", |(name, _)| name)
    }
}

/// Cuts at dots; only the last part may have a modifier, and only one.
pub(crate) fn split(text: &str, span: Span) -> Result<Name<'_>, Error> {
    let mut parts = Vec::new();
    let mut at = span.start;
    for text in text.split('.') {
        let span = Span {
            start: at,
            end: at + text.len(),
        };
        at = span.end + 1;
        if text.is_empty() {
            return Err(Error::new(
                Code::Syntax,
                span,
                "two dots in a row",
                "a name is missing",
            ));
        }
        parts.push(Part { text, span });
    }
    let mut modifier = None;
    if let Some(last) = parts.last_mut()
        && let Some((name, text)) = last.text.split_once(':')
    {
        let behind = last.span.start + name.len() + 1;
        let part = Part {
            text,
            span: Span {
                start: behind,
                end: last.span.end,
            },
        };
        if text.contains(':') {
            let message = "a name takes one modifier";
            return Err(Error::new(
                Code::Modifier,
                part.span,
                message,
                "more than one",
            ));
        }
        modifier = Some((Modifier::find(part)?, part.span));
        *last = Part {
            text: name,
            span: Span {
                start: last.span.start,
                end: behind - 1,
            },
        };
    }
    if let Some(part) = parts
        .iter()
        .find(|part| part.text.contains(':') || part.text.is_empty())
    {
        let message = "a modifier can stand only at the end of a name";
        return Err(Error::new(
            Code::Modifier,
            part.span,
            message,
            "not the last part",
        ));
    }
    Ok(Name { parts, modifier })
}

/// A resolved path with what the checks need to know of its field.
#[derive(Debug)]
pub(crate) struct Found<'a> {
    pub path: Path,
    pub ty: Type,
    pub values: &'a [String],
    /// Can the value be missing?
    pub nullable: bool,
}

/// The relations that a name has followed so far.
#[derive(Default)]
struct Way {
    hops: Vec<Hop>,
    /// See [`Path::ruled`].
    ruled: Vec<usize>,
}

impl Way {
    fn to(self, column: Column, strict: bool, guard: Option<FieldId>) -> Path {
        Path {
            hops: self.hops,
            column,
            strict,
            guard,
            ruled: self.ruled,
        }
    }
}

/// Resolves a name against the scope's collection.
pub(crate) fn resolve<'a>(scope: &Scope<'a>, name: &Name<'_>) -> Result<Found<'a>, Error> {
    let mut at = scope.collection;
    let mut way = Way::default();
    let mut parts = name.parts.as_slice();
    while let Some((part, rest)) = parts.split_first() {
        let Some(field) = scope.field(at, part.text) else {
            return Err(unknown(scope, at, *part, rest));
        };
        let Some(next) = rest.first() else {
            return leaf(scope, at, &field, name, way);
        };
        if way.hops.len() == MAX_HOPS
            && matches!(field.kind, FieldType::One(_) | FieldType::Many(_))
        {
            let message = format!("more than {MAX_HOPS} relations in one path");
            return Err(Error::new(
                Code::TooDeep,
                part.span,
                message,
                "one too many",
            ));
        }
        let (target, step) = match field.kind {
            FieldType::One(_) if rest.len() == 1 && next.text == "id" => {
                return record_id(scope, at, &field, name, way);
            }
            FieldType::One(target) => (target, Step::One(target)),
            FieldType::Many(target) => (target, Step::Many(target)),
            FieldType::Json | FieldType::GeoPoint => {
                return inside(scope, &field, name, way, rest);
            }
            _ => return Err(not_a_relation(field.name, field.kind, next.span)),
        };
        way.hops.push(Hop {
            field: field.id,
            step,
        });
        if is_ruled(scope, target, part.span)? {
            way.ruled.push(way.hops.len());
        }
        at = target;
        parts = rest;
    }
    Err(Error::new(
        Code::Syntax,
        Span::default(),
        "a name is missing",
        "here",
    ))
}

/// A field of the row itself, as it is stored.
pub(crate) fn own(field: &Field<'_>) -> Path {
    let strict = matches!(field.kind, FieldType::Json | FieldType::GeoPoint);
    Way::default().to(Column::Field(field.id), strict, None)
}

fn unknown(scope: &Scope<'_>, at: CollectionId, part: Part<'_>, rest: &[Part<'_>]) -> Error {
    if part.text.contains("_via_") {
        return back_relation(scope, at, part, rest);
    }
    let collection = scope.schema.name(at);
    let message = format!("unknown field `{}` in collection `{collection}`", part.text);
    Error::new(Code::UnknownField, part.span, message, "no such field")
        .with_maybe_help(did_you_mean(scope.near_field(at, part.text)))
}

/// Checked as far as the schema tells, then refused: not compiled yet.
fn back_relation(scope: &Scope<'_>, at: CollectionId, part: Part<'_>, rest: &[Part<'_>]) -> Error {
    let Some((collection, field)) = part.text.split_once("_via_") else {
        return Error::new(
            Code::BadPath,
            part.span,
            "not a back-relation",
            "no `_via_`",
        );
    };
    let Some(from) = scope.schema.collection(collection) else {
        let message = format!("unknown collection `{collection}` in a back-relation");
        return Error::new(
            Code::UnknownCollection,
            part.span,
            message,
            "no such collection",
        )
        .with_maybe_help(did_you_mean(scope.near_collection(collection)));
    };
    match scope.field(from, field).map(|field| field.kind) {
        None => {
            let message = format!("unknown field `{field}` in collection `{collection}`");
            Error::new(Code::UnknownField, part.span, message, "no such field")
                .with_maybe_help(did_you_mean(scope.near_field(from, field)))
        }
        Some(FieldType::One(target) | FieldType::Many(target)) if target == at => {
            if rest.is_empty() {
                let message = "a back-relation needs a field behind it";
                return Error::new(Code::BadPath, part.span, message, "ends here")
                    .with_help(format!("for example `{}.id`", part.text));
            }
            unsupported(part.span, "back-relations are not compiled yet")
        }
        Some(_) => {
            let target = scope.schema.name(at);
            let message = format!("`{field}` of `{collection}` does not point to `{target}`");
            Error::new(
                Code::BadPath,
                part.span,
                message,
                "not a relation to this collection",
            )
        }
    }
}

/// What the language has, but the compiler can't do.
pub(crate) fn unsupported(span: Span, message: &str) -> Error {
    Error::new(Code::Unsupported, span, message, "not supported")
}

pub(crate) fn not_a_relation(name: &str, kind: FieldType, span: Span) -> Error {
    let message = format!("`{name}` is a {} field, not a relation", Type::from(kind));
    Error::new(Code::NotARelation, span, message, "nothing can follow it")
}

/// Must the caller satisfy the collection's list rule? An error where only superusers can.
fn is_ruled(scope: &Scope<'_>, target: CollectionId, span: Span) -> Result<bool, Error> {
    if scope.caller != Caller::Client {
        return Ok(false);
    }
    match scope.schema.list_access(target) {
        ListAccess::Public => Ok(false),
        ListAccess::Ruled => Ok(true),
        ListAccess::Locked => {
            let name = scope.schema.name(target);
            let message = format!("collection `{name}` can be listed by superusers only");
            Err(Error::new(Code::Forbidden, span, message, "leads there"))
        }
    }
}

/// `rel.id` of a single relation is the column itself: no other row is needed.
fn record_id<'a>(
    scope: &Scope<'a>,
    at: CollectionId,
    field: &Field<'a>,
    name: &Name<'_>,
    way: Way,
) -> Result<Found<'a>, Error> {
    let id = Field {
        kind: FieldType::Text,
        ..*field
    };
    let mut found = leaf(scope, at, &id, name, way)?;
    if found.ty == Type::Text && name.modifier.is_none() {
        found.ty = Type::Record;
    }
    Ok(found)
}

/// The last part of a name, with its modifier.
fn leaf<'a>(
    scope: &Scope<'a>,
    at: CollectionId,
    field: &Field<'a>,
    name: &Name<'_>,
    mut way: Way,
) -> Result<Found<'a>, Error> {
    let mut column = Column::Field(field.id);
    let mut ty = Type::from(field.kind);
    let mut values = field.values;
    let listed = field.kind.has_items();
    match name.modifier {
        None => {}
        Some((Modifier::Lower, _)) => {
            column = Column::Lower(field.id);
            ty = Type::Text;
            values = &[];
        }
        Some((Modifier::Length, _)) if listed => {
            column = Column::Length(field.id);
            ty = Type::Number;
        }
        Some((Modifier::Each, _)) if listed => match field.kind {
            FieldType::Choices => {
                way.hops.push(Hop {
                    field: field.id,
                    step: Step::Items,
                });
                column = Column::Item;
                ty = Type::Choice;
            }
            // The ids are the row's own, so the other collection's list rule doesn't matter.
            FieldType::Many(target) => {
                way.hops.push(Hop {
                    field: field.id,
                    step: Step::Many(target),
                });
                column = Column::Field(FieldId(0));
                ty = Type::Record;
            }
            _ => {}
        },
        Some((modifier, span)) if scope.strict() => return Err(misfit(modifier, span, ty)),
        Some(_) => {}
    }
    let guard = match scope.caller {
        Caller::Client if field.guarded_email => Some(visibility(scope, at)?),
        _ => None,
    };
    let strict = field.kind == FieldType::Json;
    let path = way.to(column, strict, guard);
    Ok(Found {
        path,
        ty,
        values,
        nullable: field.nullable || strict,
    })
}

/// The modifier that a type can't have.
fn misfit(modifier: Modifier, span: Span, ty: Type) -> Error {
    let modifier_name = modifier.as_str();
    let (message, help) = match modifier {
        Modifier::IsSet | Modifier::Changed => (
            format!("`:{modifier_name}` asks about the request, not about a record"),
            format!("put `@request.body.` before the field to use `:{modifier_name}`"),
        ),
        _ => (
            format!("a {ty} field can't have `:{modifier_name}`"),
            format!("`:{modifier_name}` is for selects and relations"),
        ),
    };
    Error::new(Code::Modifier, span, message, "has no meaning here").with_help(help)
}

/// The field that decides whether others see an email.
fn visibility(scope: &Scope<'_>, at: CollectionId) -> Result<FieldId, Error> {
    match scope.schema.field(at, "emailVisibility") {
        Some(field) => Ok(field.id),
        None => {
            let name = scope.schema.name(at);
            let message = format!("collection `{name}` has no field `emailVisibility`");
            Err(Error::new(
                Code::UnknownField,
                Span::default(),
                message,
                "needed for `email`",
            ))
        }
    }
}

/// A place inside a json or geoPoint field.
fn inside<'a>(
    scope: &Scope<'a>,
    field: &Field<'a>,
    name: &Name<'_>,
    way: Way,
    rest: &[Part<'_>],
) -> Result<Found<'a>, Error> {
    let mut keys: Vec<String> = rest.iter().map(|part| part.text.to_owned()).collect();
    if let Some((modifier, span)) = name.modifier {
        if scope.strict() {
            let message = format!("`:{}` can't follow a place inside json", modifier.as_str());
            return Err(Error::new(
                Code::Modifier,
                span,
                message,
                "has no meaning here",
            ));
        }
        // The peer drops the colon and looks for the key that results.
        if let Some(last) = keys.last_mut() {
            last.push_str(modifier.as_str());
        }
    }
    if field.kind == FieldType::GeoPoint
        && scope.strict()
        && let Some(part) = rest.first()
        && (rest.len() > 1 || !matches!(part.text, "lon" | "lat"))
    {
        let message = format!("a geoPoint has `lon` and `lat`, but no `{}`", part.text);
        return Err(Error::new(
            Code::UnknownField,
            part.span,
            message,
            "no such part",
        ));
    }
    let path = way.to(Column::Path(field.id, keys), true, None);
    Ok(Found {
        path,
        ty: Type::Json,
        values: &[],
        nullable: true,
    })
}
