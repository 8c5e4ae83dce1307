//! Conditions through the record's own relations that stand beside joined rows, as joined rows too:
//! there the record may be one in memory, which has no table that a sub-select could begin at.
//!
//! Each is the part of one comparison of every value that no choice of rows touches. Behind a
//! relation that part has one side: what compares two columns, or computes something, is joined rows
//! already if it looks at every value. And only its outermost relation asks for no record.

use basalt_lang::plan::{Column, Join, Op, Origin, Plan, Truth, Value};

use crate::ir::{CollectionId, FieldId, Schema};

/// Some record that the relation `field` of `collection` points to satisfies `inner`, or none does,
/// as a [`Plan::Joined`]. `None` if `inner` is no such part of a comparison.
pub(super) fn via(
    schema: &Schema,
    collection: CollectionId,
    (field, target): (FieldId, CollectionId),
    inner: &Plan,
    holds: bool,
) -> Option<Plan> {
    let mut joins = Joins {
        schema,
        joins: Vec::new(),
    };
    let inner = joins.via(Origin::Row, collection, (field, target), inner)?;
    Some(Plan::Joined {
        joins: joins.joins,
        inner: Box::new(inner),
        holds,
    })
}

struct Joins<'s> {
    schema: &'s Schema,
    joins: Vec<Join>,
}

impl Joins<'_> {
    fn add(&mut self, join: Join) -> usize {
        self.joins.push(join);
        self.joins.len() - 1
    }

    fn via(
        &mut self,
        from: Origin,
        collection: CollectionId,
        (field, target): (FieldId, CollectionId),
        inner: &Plan,
    ) -> Option<Plan> {
        let owner = self.schema.collections.get(collection.0)?;
        let join = if owner.fields.get(field.0)?.kind.is_many() {
            Join::Many {
                from,
                field,
                target,
            }
        } else {
            Join::One {
                from,
                field,
                target,
            }
        };
        let row = self.add(join);
        let inner = self.about(inner, row, target)?;
        Some(Plan::all([exists(row, Column::Field(FieldId(0))), inner]))
    }

    /// A plan about the joined row `row`, which is of `collection`.
    fn about(&mut self, plan: &Plan, row: usize, collection: CollectionId) -> Option<Plan> {
        let at = |column: &Column| Column::Of(row, Box::new(column.clone()));
        Some(match plan {
            Plan::Always | Plan::Never | Plan::Request { .. } => plan.clone(),
            Plan::All(parts) => Plan::All(self.all(parts, row, collection)?),
            Plan::Any(parts) => Plan::Any(self.all(parts, row, collection)?),
            Plan::Test {
                column,
                op,
                value,
                when,
            } => Plan::Test {
                column: at(column),
                op: *op,
                value: value.clone(),
                when: *when,
            },
            Plan::Within {
                value,
                op,
                column,
                when,
            } => Plan::Within {
                value: value.clone(),
                op: *op,
                column: at(column),
                when: *when,
            },
            Plan::Empty { field, holds } => Plan::Test {
                column: at(&Column::Length(*field)),
                op: if *holds { Op::Equal } else { Op::NotEqual },
                value: Value::Number(0.0),
                when: Truth::True,
            },
            Plan::Via {
                field,
                target,
                inner,
                holds: true,
            } => self.via(Origin::Joined(row), collection, (*field, *target), inner)?,
            Plan::Each {
                field,
                inner,
                holds: true,
            } => {
                let from = Origin::Joined(row);
                let field = *field;
                let item = self.add(Join::Items { from, field });
                let inner = self.about(inner, item, collection)?;
                Plan::all([exists(item, Column::Item), inner])
            }
            Plan::Columns { .. }
            | Plan::Via { .. }
            | Plan::Each { .. }
            | Plan::Visible { .. }
            | Plan::Readable { .. }
            | Plan::Joined { .. } => return None,
        })
    }

    fn all(&mut self, parts: &[Plan], row: usize, of: CollectionId) -> Option<Vec<Plan>> {
        parts.iter().map(|it| self.about(it, row, of)).collect()
    }
}

/// The joined row isn't missing. Neither an id nor an item is empty.
fn exists(row: usize, column: Column) -> Plan {
    Plan::Test {
        column: Column::Of(row, Box::new(column)),
        op: Op::NotEqual,
        value: Value::Null,
        when: Truth::True,
    }
}
