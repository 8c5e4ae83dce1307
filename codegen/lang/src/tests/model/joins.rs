//! Rows that are bound together: every choice of them, one after the other.

use std::borrow::Cow;

use super::{Model, Record, id_of, items, items_of};
use crate::eval::{Affinity, Operand, Side};
use crate::plan::{Column, Join, Origin, Plan};
use crate::schema::{CollectionId, FieldId, FieldType, Schema};

/// What a plan speaks of.
#[derive(Clone, Copy)]
pub(super) struct At<'r> {
    pub row: &'r Record,
    pub item: Option<&'r str>,
    pub joined: &'r [Found<'r>],
}

impl<'r> At<'r> {
    pub fn row(row: &'r Record) -> Self {
        Self {
            row,
            item: None,
            joined: &[],
        }
    }

    pub fn row_of(&self, number: Option<usize>) -> Option<&'r Record> {
        number.map_or(Some(self.row), |number| self.joined[number].record())
    }
}

/// What a join found.
#[derive(Clone, Copy)]
pub(super) enum Found<'r> {
    Record(&'r Record),
    Item(&'r str),
    Nothing(Option<CollectionId>),
}

impl<'r> Found<'r> {
    fn record(self) -> Option<&'r Record> {
        match self {
            Found::Record(record) => Some(record),
            Found::Item(_) | Found::Nothing(_) => None,
        }
    }
}

impl Model {
    /// Does some choice of rows for the joins that are left satisfy the plan?
    pub(super) fn chosen<'r>(
        &'r self,
        joins: &[Join],
        row: &'r Record,
        chosen: &mut Vec<Found<'r>>,
        inner: &Plan,
    ) -> bool {
        let Some(join) = joins.get(chosen.len()) else {
            let at = At {
                joined: chosen,
                ..At::row(row)
            };
            return self.holds(inner, at);
        };
        let mut found = self.joined(join, row, chosen);
        if found.is_empty() {
            found.push(Found::Nothing(join.collection()));
        }
        found.into_iter().any(|one| {
            chosen.push(one);
            let holds = self.chosen(joins, row, chosen, inner);
            chosen.pop();
            holds
        })
    }

    fn joined<'r>(&'r self, join: &Join, row: &'r Record, chosen: &[Found<'r>]) -> Vec<Found<'r>> {
        let origin = |from: &Origin| match from {
            Origin::Row => Some(row),
            Origin::Joined(number) => chosen[*number].record(),
        };
        let of = |collection: CollectionId, matches: &dyn Fn(&Record) -> bool| {
            let records = self.records.iter();
            let records = records.filter(|it| it.collection == collection && matches(it));
            records.map(Found::Record).collect()
        };
        match join {
            Join::One {
                from,
                field,
                target,
            }
            | Join::Many {
                from,
                field,
                target,
            } => {
                let ids = origin(from)
                    .map(|row| items_of(row, *field))
                    .unwrap_or_default();
                of(*target, &|it| ids.contains(&id_of(it)))
            }
            Join::Items { from, field } => {
                let items = origin(from)
                    .map(|row| items_of(row, *field))
                    .unwrap_or_default();
                items.into_iter().map(Found::Item).collect()
            }
            Join::Back {
                from,
                source,
                field,
            } => match origin(from) {
                Some(row) => of(*source, &|it| items_of(it, *field).contains(&id_of(row))),
                None => Vec::new(),
            },
            Join::Every { collection } => of(*collection, &|_| true),
            Join::Caller { collection } => {
                let auth = self.auth.as_deref().unwrap_or(&[]);
                let id = auth.iter().find(|(name, _)| *name == "id");
                of(*collection, &|it| {
                    id.is_some_and(|(_, id)| it.cells[0] == *id)
                })
            }
            Join::Submitted { key, target } => {
                let sent = self.body.iter().find(|(name, _)| name == key);
                let ids = sent.map(|(_, cell)| items(cell)).unwrap_or_default();
                of(*target, &|it| ids.contains(&id_of(it)))
            }
        }
    }

    /// A value of a joined row.
    pub(super) fn of_joined<'r>(&self, found: Found<'r>, column: &Column) -> Side<'r> {
        match found {
            Found::Record(row) => self.column(At::row(row), column),
            Found::Item(item) => Side::column(Operand::Text(Cow::Borrowed(item)), Affinity::None),
            Found::Nothing(collection) => {
                let strict = |field: &FieldId| {
                    let fields = self.schema.fields(collection.expect("a record's column"));
                    fields[field.0].kind == FieldType::Json
                };
                match column {
                    Column::Length(_) => Side::column(Operand::Integer(0), Affinity::None),
                    Column::Path(..) => Side::strict(Operand::Null, Affinity::None),
                    Column::Field(field) | Column::Lower(field) if strict(field) => {
                        Side::strict(Operand::Null, Affinity::None)
                    }
                    _ => Side::column(Operand::Null, Affinity::None),
                }
            }
        }
    }
}
