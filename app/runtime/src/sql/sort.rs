//! The order that a client's `sort` was compiled to.

use basalt_lang::plan::Column as PlanColumn;
use basalt_lang::schema::CollectionId;
use basalt_lang::typed::{Hop, Step};
use basalt_lang::{SortBy, SortKey};
use diesel::sql_types::SingleValue;

use super::filter::{column, modified};
use super::fragment::{Fragment, Part, Piece, Shapes};
use super::{Boxed, Column, Order};
use crate::collection::Collection;
use crate::meta::{CollectionMeta, FieldKind, FieldMeta};

/// Forms of sorts whose statements are kept.
static SHAPES: Shapes = Shapes::new(16);

/// Finds what is known of a collection by its place.
pub type Collections<'a> = &'a dyn Fn(CollectionId) -> Option<&'static CollectionMeta>;

/// The `ORDER BY` terms of some sort keys; `None` if one of them doesn't fit the collections.
pub fn orders<C: Collection>(
    keys: &[SortKey],
    collections: Collections<'_>,
) -> Option<Vec<Order<C::Table>>> {
    let mut orders = Vec::with_capacity(keys.len());
    for key in keys {
        let order = order::<C>(key, collections)?;
        orders.push(if orders.is_empty() {
            // A term that is not kept keeps the whole statement out.
            SHAPES.admit((C::META.name, format!("{keys:?}")), order)
        } else {
            order
        });
    }
    Some(orders)
}

fn order<C: Collection>(key: &SortKey, collections: Collections<'_>) -> Option<Order<C::Table>> {
    Some(match &key.by {
        SortBy::RowId => C::rowid(key.descending),
        SortBy::Random => term(vec![Piece::Sql("random()")], Vec::new(), key.descending),
        SortBy::Column(name) => {
            let (_, part) = column::<C>(name)?.erase();
            term(vec![Piece::Part(0)], vec![part], key.descending)
        }
        SortBy::Joined { .. } => return None,
        SortBy::Path {
            hops,
            column: wanted,
            ..
        } => {
            let (first, others) = hops.split_first()?;
            let (_, start) = C::column(first.field.0)?.erase();
            let path = Path {
                start: target(first, collections)?,
                others,
                wanted,
            };
            let (pieces, parts) = path.sub_select::<C::Table>(start, collections)?;
            term(pieces, parts, key.descending)
        }
    })
}

/// The collection that a single relation leads to.
fn target(hop: &Hop, collections: Collections<'_>) -> Option<&'static CollectionMeta> {
    match hop.step {
        Step::One(id) => collections(id),
        Step::Many(_) | Step::Items | Step::Back { .. } => None,
    }
}

/// A way over single relations to a value.
struct Path<'a> {
    /// Where the first relation leads.
    start: &'static CollectionMeta,
    /// The relations after the first.
    others: &'a [Hop],
    /// A column of the last record.
    wanted: &'a PlanColumn,
}

impl Path<'_> {
    /// `(SELECT … FROM … JOIN …)`, which is NULL where a relation is empty. Each table has a name
    /// of its own, since a way may pass the same one again.
    fn sub_select<T: 'static>(
        &self,
        start: Part,
        collections: Collections<'_>,
    ) -> Option<(Vec<Piece>, Vec<Part>)> {
        let mut last = self.start;
        let mut tables = vec![
            Piece::Sql(" FROM "),
            Piece::Name(last.name),
            Piece::Sql(" AS "),
            Piece::Alias(0),
        ];
        for (number, hop) in self.others.iter().enumerate() {
            let relation = last.field(hop.field.0)?.name;
            last = target(hop, collections)?;
            tables.extend([
                Piece::Sql(" JOIN "),
                Piece::Name(last.name),
                Piece::Sql(" AS "),
                Piece::Alias(number + 1),
                Piece::Sql(" ON "),
            ]);
            tables.extend(qualified(number + 1, "id"));
            tables.push(Piece::Sql(" = "));
            tables.extend(qualified(number, relation));
        }
        let end = self.others.len();
        let plain = |field| aliased::<T>(end, last.field(field)?);
        let (_, value) = modified(self.wanted, plain)?.erase();
        let mut pieces = vec![Piece::Sql("(SELECT "), Piece::Part(0)];
        pieces.extend(tables);
        pieces.push(Piece::Sql(" WHERE "));
        pieces.extend(qualified(0, "id"));
        pieces.extend([Piece::Sql(" = "), Piece::Part(1), Piece::Sql(")")]);
        Some((pieces, vec![value, start]))
    }
}

fn qualified(table: usize, column: &'static str) -> [Piece; 3] {
    [Piece::Alias(table), Piece::Sql("."), Piece::Name(column)]
}

/// A field of a table under its other name.
fn aliased<T: 'static>(table: usize, field: &FieldMeta) -> Option<Column<T>> {
    fn typed<T: 'static, S: SingleValue + 'static>(
        table: usize,
        name: &'static str,
    ) -> Boxed<T, S> {
        Fragment {
            parts: Vec::new(),
            pieces: qualified(table, name).into(),
        }
        .typed()
    }
    let name = field.name;
    Some(match field.kind {
        FieldKind::Number { .. } => Column::Number(typed(table, name)),
        FieldKind::Bool => Column::Bool(typed(table, name)),
        FieldKind::Json { .. } | FieldKind::GeoPoint => Column::Json(typed(table, name)),
        FieldKind::Select { .. } | FieldKind::Relation { .. } if field.kind.is_many() => {
            Column::List(typed(table, name))
        }
        FieldKind::Relation { .. } => Column::Relation(typed(table, name)),
        _ => Column::Text(typed(table, name)),
    })
}

fn term<T: 'static>(mut pieces: Vec<Piece>, parts: Vec<Part>, descending: bool) -> Order<T> {
    pieces.push(Piece::Sql(if descending { " DESC" } else { " ASC" }));
    Fragment { parts, pieces }.typed()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use basalt_lang::schema::FieldId;

    use super::*;
    use crate::sql::fragment::sql;
    use crate::sql::items;

    static TREES: CollectionMeta = CollectionMeta {
        id: "trees",
        name: "trees",
        system: false,
        fields: &[
            FieldMeta::new("id", FieldKind::Editor { max_size: 0 }),
            FieldMeta::new(
                "up",
                FieldKind::Relation {
                    collection: "trees",
                    min_select: 0,
                    max_select: 1,
                    cascade_delete: false,
                },
            ),
            FieldMeta::new("doc", FieldKind::Json { max_size: 0 }),
        ],
        unique: &[],
        auth: None,
        source: "",
    };

    fn sub_select(others: &[Hop], wanted: &PlanColumn) -> Option<String> {
        let path = Path {
            start: &TREES,
            others,
            wanted,
        };
        let start = Fragment {
            parts: Vec::new(),
            pieces: vec![Piece::Sql("`trees`.`up`")],
        };
        let collections = |id: CollectionId| (id.0 == 0).then_some(&TREES);
        let (pieces, parts) = path.sub_select::<items::table>(Box::new(start), &collections)?;
        Some(sql(&Fragment { parts, pieces }).unwrap())
    }

    #[test]
    fn a_way_may_pass_a_table_again() {
        let up = Hop {
            field: FieldId(1),
            step: Step::One(CollectionId(0)),
        };
        let check = |others: &[Hop], wanted: &PlanColumn, expected: &str| {
            assert_eq!(sub_select(others, wanted).as_deref(), Some(expected));
        };
        check(
            &[],
            &PlanColumn::Field(FieldId(0)),
            "(SELECT `_hop0`.`id` FROM `trees` AS `_hop0` WHERE `_hop0`.`id` = `trees`.`up`)",
        );
        check(
            &[up],
            &PlanColumn::Field(FieldId(2)),
            "(SELECT json_extract(`_hop1`.`doc`, '$') FROM `trees` AS `_hop0` \
             JOIN `trees` AS `_hop1` ON `_hop1`.`id` = `_hop0`.`up` \
             WHERE `_hop0`.`id` = `trees`.`up`)",
        );
    }

    #[test]
    fn what_does_not_fit_is_no_order() {
        let wanted = PlanColumn::Field(FieldId(9));
        assert_eq!(sub_select(&[], &wanted), None);
        for step in [
            Step::Items,
            Step::Many(CollectionId(0)),
            Step::One(CollectionId(7)),
        ] {
            let field = FieldId(1);
            let hop = [Hop { field, step }];
            assert_eq!(sub_select(&hop, &PlanColumn::Field(FieldId(0))), None);
        }
    }
}
