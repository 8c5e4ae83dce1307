//! What a join finds: a table of the query, a record that is known already, or nothing at all,
//! which needs no query.

use std::cell::Cell;

use basalt_lang::plan::Origin;

use super::{Join, Rows};
use crate::collection::Record;
use crate::memory;
use crate::meta::CollectionMeta;
use crate::rules::Context;

/// What the columns of a row are read from.
#[derive(Clone, Copy)]
pub(super) enum Source<'a> {
    /// A table of the query.
    Table(Name, &'static CollectionMeta),
    /// The items of a list, under the alias of this number.
    Items(usize),
    /// A record as it is stored.
    Record(&'a dyn Record),
    /// A record that is in no table yet.
    Draft(&'a dyn Record),
    /// No row, of this collection.
    Missing(Option<&'static CollectionMeta>),
    /// A join that begins nowhere, or at what has no fields.
    Broken,
}

/// The name of a table in a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Name {
    /// Its own, in the enclosing query.
    Outer(&'static str),
    /// The alias with this number.
    Alias(usize),
}

impl<'a> Source<'a> {
    /// The record's collection.
    pub(super) fn meta(&self) -> Option<&'static CollectionMeta> {
        match self {
            Source::Table(_, meta) => Some(meta),
            Source::Record(record) | Source::Draft(record) => Some(record.meta()),
            Source::Missing(meta) => *meta,
            Source::Items(_) | Source::Broken => None,
        }
    }

    /// The record, if it is in memory.
    pub(super) fn record(&self) -> Option<&'a dyn Record> {
        match *self {
            Source::Record(record) | Source::Draft(record) => Some(record),
            _ => None,
        }
    }
}

impl<'a> Rows<'a> {
    /// The rows that the joins find; for a trial, one of the joins finds none.
    pub(super) fn bind(
        context: &'a Context<'a>,
        own: Source<'a>,
        joins: &'a [Join],
        absent: Option<usize>,
    ) -> Self {
        let mut rows = Rows {
            context,
            own,
            joins,
            found: Vec::with_capacity(joins.len()),
            certain: vec![false; joins.len()],
            needed: vec![true; joins.len()],
            looks_at_own: Cell::new(false),
            trial: absent.is_some(),
        };
        for (number, join) in joins.iter().enumerate() {
            let found = if absent == Some(number) {
                Source::Missing(join.collection())
            } else {
                rows.find(number, join)
            };
            rows.found.push(found);
        }
        rows
    }

    /// Where a join begins.
    pub(super) fn origin(&self, from: Origin) -> Source<'a> {
        match from {
            Origin::Row => self.own,
            Origin::Joined(row) => self.found.get(row).copied().unwrap_or(Source::Broken),
        }
    }

    fn find(&self, number: usize, join: &Join) -> Source<'a> {
        let nothing = Source::Missing(join.collection());
        let found = match join.collection() {
            Some(meta) => Source::Table(Name::Alias(number), meta),
            None => Source::Items(number),
        };
        match join {
            Join::Every { .. } => found,
            Join::Caller { collection } => match &self.context.request.auth {
                Some(auth) if auth.record.meta().name == collection.name => {
                    Source::Record(auth.record.as_ref())
                }
                _ => nothing,
            },
            Join::Submitted { key, .. } if self.context.body_ids(key).is_empty() => nothing,
            Join::Submitted { .. } => found,
            Join::Back { from, .. } | Join::Seen { from, .. } => match self.origin(*from) {
                Source::Missing(_) => nothing,
                Source::Table(..) | Source::Record(_) => found,
                // Nothing can point to a record that doesn't exist yet: a rule that asks is
                // refused before it comes here.
                Source::Draft(_) | Source::Items(_) | Source::Broken => Source::Broken,
            },
            Join::One { from, field, .. }
            | Join::Many { from, field, .. }
            | Join::Items { from, field } => match self.origin(*from) {
                Source::Missing(_) => nothing,
                Source::Table(..) => found,
                Source::Record(record) | Source::Draft(record) => {
                    if memory::is_empty(record.get(*field)) {
                        nothing
                    } else {
                        found
                    }
                }
                Source::Items(_) | Source::Broken => Source::Broken,
            },
        }
    }
}

impl Join {
    /// The collection of the row that it finds; `None` for the items of a select.
    pub(super) fn collection(&self) -> Option<&'static CollectionMeta> {
        match self {
            Join::One { target, .. }
            | Join::Many { target, .. }
            | Join::Submitted { target, .. } => Some(target),
            Join::Back { source, .. } => Some(source),
            Join::Seen { source, .. } => Some(source.meta()),
            Join::Every { collection } | Join::Caller { collection } => Some(collection),
            Join::Items { .. } => None,
        }
    }

    /// Where it begins, unless that is nowhere.
    pub(super) fn from(&self) -> Option<Origin> {
        match self {
            Join::One { from, .. }
            | Join::Many { from, .. }
            | Join::Items { from, .. }
            | Join::Back { from, .. }
            | Join::Seen { from, .. } => Some(*from),
            Join::Every { .. } | Join::Caller { .. } | Join::Submitted { .. } => None,
        }
    }
}
