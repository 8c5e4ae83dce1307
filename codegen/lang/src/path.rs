//! Names to paths: fields of a row, and of the rows that lead to it or that it leads to.

use crate::back;
use crate::error::{Code, Error};
use crate::name::{Modifier, Name, Part};
use crate::plan::Column;
use crate::schema::{CollectionId, Field, FieldId, FieldType, ListAccess};
use crate::scope::{Caller, Scope, did_you_mean};
use crate::span::Span;
use crate::typed::{Guard, Guarded, Hop, Path, Root, Step, Type};

/// The most relations in one path.
pub const MAX_HOPS: usize = 6;
/// Most parts of a place inside json: more than any client's filter has room for.
pub const MAX_PARTS: usize = 2000;

/// A resolved path with what the checks need to know of its field.
#[derive(Debug)]
pub(crate) struct Found<'a> {
    pub path: Path,
    pub ty: Type,
    pub values: &'a [String],
    /// Can the value be missing?
    pub nullable: bool,
}

/// Where a name begins.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Start {
    pub root: Root,
    /// The collection of the rows there.
    pub at: CollectionId,
}

/// What a name has followed so far.
struct Way {
    root: Root,
    hops: Vec<Hop>,
    guards: Vec<Guard>,
    /// See [`Path::ruled`].
    ruled: Vec<usize>,
}

impl Way {
    fn from(root: Root) -> Self {
        Self {
            root,
            hops: Vec::new(),
            guards: Vec::new(),
            ruled: Vec::new(),
        }
    }

    /// The row that the way leads to must let the caller see the field.
    fn guard(&mut self, scope: &Scope<'_>, at: CollectionId, field: &Field<'_>) {
        if scope.caller == Caller::Client && field.read_rule {
            let what = Guarded::Readable {
                collection: at,
                field: field.id,
            };
            self.guards.push(Guard {
                after: self.hops.len(),
                what,
            });
        }
    }

    fn follow(
        &mut self,
        scope: &Scope<'_>,
        hop: Hop,
        to: CollectionId,
        part: Part<'_>,
    ) -> Result<(), Error> {
        self.check_hops(part)?;
        self.hops.push(hop);
        if is_ruled(scope, to, part.span)? {
            self.ruled.push(self.hops.len());
        }
        Ok(())
    }

    /// May one more relation be followed?
    fn check_hops(&self, part: Part<'_>) -> Result<(), Error> {
        if self.hops.len() < MAX_HOPS {
            return Ok(());
        }
        let message = format!("more than {MAX_HOPS} relations in one path");
        Err(Error::new(
            Code::TooDeep,
            part.span,
            message,
            "one too many",
        ))
    }

    fn to(self, column: Column, strict: bool) -> Path {
        Path {
            root: self.root,
            hops: self.hops,
            column,
            strict,
            guards: self.guards,
            ruled: self.ruled,
        }
    }
}

/// Resolves a name against the scope's collection.
pub(crate) fn resolve<'a>(scope: &Scope<'a>, name: &Name<'_>) -> Result<Found<'a>, Error> {
    let start = Start {
        root: Root::Row,
        at: scope.collection,
    };
    follow(scope, start, &name.parts, name.suffix)
}

/// Resolves the parts of a name that follow `start`.
pub(crate) fn follow<'a>(
    scope: &Scope<'a>,
    start: Start,
    parts: &[Part<'_>],
    suffix: Option<Part<'_>>,
) -> Result<Found<'a>, Error> {
    let mut at = start.at;
    let mut way = Way::from(start.root);
    let mut parts = parts;
    while let Some((part, rest)) = parts.split_first() {
        parts = rest;
        let Some(field) = scope.field(at, part.text) else {
            if !back::is_back(part.text) {
                return Err(unknown(scope, at, *part));
            }
            let back = back::resolve(scope, at, *part, rest)?;
            way.follow(scope, back.hop, back.source, *part)?;
            at = back.source;
            way.guard(scope, at, &back.field);
            continue;
        };
        let Some(next) = rest.first() else {
            return leaf(scope, at, &field, suffix, way);
        };
        let (target, step) = match field.kind {
            // The id is in the relation's own column; with a modifier, the original looks it up.
            FieldType::One(_) if rest.len() == 1 && next.text == "id" && suffix.is_none() => {
                way.check_hops(*part)?;
                return record_id(scope, at, &field, way);
            }
            FieldType::One(target) => (target, Step::One(target)),
            FieldType::Many(target) => (target, Step::Many(target)),
            FieldType::Json | FieldType::GeoPoint => {
                way.guard(scope, at, &field);
                return inside(scope, &field, suffix, way, rest);
            }
            _ => return Err(not_a_relation(field.name, field.kind, next.span)),
        };
        way.guard(scope, at, &field);
        let field = field.id;
        way.follow(scope, Hop { field, step }, target, *part)?;
        at = target;
    }
    let message = "a name is missing";
    Err(Error::new(Code::Syntax, Span::default(), message, "here"))
}

/// A field of the row itself, as it is stored.
pub(crate) fn own(field: &Field<'_>) -> Path {
    let strict = matches!(field.kind, FieldType::Json | FieldType::GeoPoint);
    Way::from(Root::Row).to(Column::Field(field.id), strict)
}

fn unknown(scope: &Scope<'_>, at: CollectionId, part: Part<'_>) -> Error {
    let collection = scope.schema.name(at);
    let message = format!("unknown field `{}` in collection `{collection}`", part.text);
    let near = did_you_mean(scope.near_field(at, part.text));
    Error::new(Code::UnknownField, part.span, message, "no such field")
        .with_maybe_help(near.or_else(|| fields(scope, at)))
}

/// The fields of a collection, unless they are too many to choose from. Clients are told none.
fn fields(scope: &Scope<'_>, at: CollectionId) -> Option<String> {
    const MOST: usize = 20;
    if scope.caller == Caller::Client {
        return None;
    }
    let fields = scope.schema.fields(at);
    let shown = fields.iter().filter(|field| !field.hidden);
    let names: Vec<String> = shown.map(|field| format!("`{}`", field.name)).collect();
    let few = (1..=MOST).contains(&names.len());
    few.then(|| format!("it has {}", names.join(", ")))
}

pub(crate) fn not_a_relation(name: &str, kind: FieldType, span: Span) -> Error {
    let message = format!("`{name}` is a {} field, not a relation", Type::from(kind));
    Error::new(Code::NotARelation, span, message, "nothing can follow it").with_help(format!(
        "end the path at `{name}`, or let it go through a relation"
    ))
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
    way: Way,
) -> Result<Found<'a>, Error> {
    let id = Field {
        kind: FieldType::Text,
        ..*field
    };
    let found = leaf(scope, at, &id, None, way)?;
    Ok(Found {
        ty: Type::Record,
        ..found
    })
}

/// The last part of a name, with its modifier.
fn leaf<'a>(
    scope: &Scope<'a>,
    at: CollectionId,
    field: &Field<'a>,
    suffix: Option<Part<'_>>,
    mut way: Way,
) -> Result<Found<'a>, Error> {
    way.guard(scope, at, field);
    let mut column = Column::Field(field.id);
    let mut ty = Type::from(field.kind);
    let mut values = field.values;
    let listed = field.kind.has_items();
    match Modifier::find(suffix)? {
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
            _ => column = Column::Single(field.id),
        },
        Some((modifier, span)) if scope.strict() => return Err(misfit(modifier, span, ty)),
        Some(_) => {}
    }
    if scope.caller == Caller::Client && field.guarded_email {
        let what = Guarded::True(visibility(scope, at)?);
        let after = way.hops.len();
        way.guards.push(Guard { after, what });
    }
    let strict = field.kind == FieldType::Json;
    let path = way.to(column, strict);
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
    suffix: Option<Part<'_>>,
    way: Way,
    rest: &[Part<'_>],
) -> Result<Found<'a>, Error> {
    if let Some(part) = rest.get(MAX_PARTS) {
        let message = format!("more than {MAX_PARTS} parts of a place inside json");
        return Err(Error::new(
            Code::TooDeep,
            part.span,
            message,
            "one too many",
        ));
    }
    let mut keys: Vec<String> = rest.iter().map(|part| part.text.to_owned()).collect();
    if let Some(suffix) = suffix {
        if scope.strict() {
            let message = format!("`:{}` can't follow a place inside json", suffix.text);
            let label = "has no meaning here";
            return Err(Error::new(Code::Modifier, suffix.span, message, label));
        }
        // The peer drops the colons and looks for the key that results.
        if let Some(last) = keys.last_mut() {
            last.push_str(&suffix.text.replace(':', ""));
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
    let path = way.to(Column::Path(field.id, keys), true);
    Ok(Found {
        path,
        ty: Type::Json,
        values: &[],
        nullable: true,
    })
}
