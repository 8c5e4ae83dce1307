//! The order that a client's `sort` was compiled to.

use std::sync::Arc;

use basalt_lang::plan::{Column as PlanColumn, Join, Origin};
use basalt_lang::schema::CollectionId;
use basalt_lang::typed::{Hop, Step};
use basalt_lang::{SortBy, SortKey};
use diesel::sql_types::SingleValue;

use super::filter::{self, column, modified};
use super::fragment::{self, Fragment, Part, Piece, Shapes};
use super::joined::{self, Rows};
use super::leaf::Kind;
use super::predicate::{self, Predicate};
use super::{Boxed, Column, Order};
use crate::access::fields::{self, Readable};
use crate::collection::Collection;
use crate::meta::{CollectionMeta, FieldKind, FieldMeta};
use crate::registry::Entry;
use crate::rules::Context;

/// Forms of sorts whose statements are kept.
static SHAPES: Shapes = Shapes::new(16);

/// What a sort must know of the collections that it leads through.
#[derive(Clone, Copy)]
pub(crate) struct Ways<'a> {
    /// What is known of a collection, by its place.
    pub collections: &'a dyn Fn(CollectionId) -> Option<&'static CollectionMeta>,
    /// The rows of a collection of which a field may be read.
    pub readable: &'a dyn Fn(CollectionId, usize) -> Readable,
    /// The collection, if the field has a rule that says of which records the caller may read it.
    pub guarded: &'a dyn Fn(CollectionId, usize) -> Option<Arc<Entry>>,
}

/// The `ORDER BY` terms of some sort keys; `None` if one of them doesn't fit the collections. What
/// the caller may not read sorts like NULL.
pub(crate) fn orders<C: Collection>(
    keys: &[SortKey],
    context: &Context<'_>,
    ways: Ways<'_>,
) -> Option<Vec<Order<C::Table>>> {
    let orders = keys.iter().map(|key| order::<C>(key, context, ways));
    let mut orders = orders.collect::<Option<Vec<_>>>()?;
    let texts: Vec<_> = orders
        .iter()
        .map(|order| fragment::sql(&**order).ok())
        .collect();
    if !orders.is_empty() {
        // A term that is not kept keeps the whole statement out.
        let first = orders.remove(0);
        orders.insert(0, SHAPES.admit((C::META.name, texts), first));
    }
    Some(orders)
}

fn order<C: Collection>(
    key: &SortKey,
    context: &Context<'_>,
    ways: Ways<'_>,
) -> Option<Order<C::Table>> {
    let (field, pieces, mut parts) = match &key.by {
        SortBy::RowId => return Some(C::rowid(key.descending)),
        SortBy::Random => {
            let random = vec![Piece::Sql("random()")];
            return Some(term(random, Vec::new(), key.descending));
        }
        SortBy::Column(name) => {
            let (_, part) = column::<C>(name)?.erase();
            (field_of(name)?, vec![Piece::Part(0)], vec![part])
        }
        SortBy::Joined {
            joins,
            column: wanted,
            ..
        } => {
            let (pieces, parts) = first::<C>((joins, wanted), context, ways)?;
            return Some(term(pieces, parts, key.descending));
        }
        SortBy::Path {
            hops,
            column: wanted,
            ..
        } => {
            let (first, others) = hops.split_first()?;
            let (_, start) = C::column(first.field.0)?.erase();
            let path = Path {
                start: first,
                others,
                wanted,
            };
            let (pieces, parts) = path.sub_select::<C::Table>(start, ways)?;
            (first.field.0, pieces, parts)
        }
    };
    let pieces = match fields::orderable::<C>(context, field) {
        Predicate::Always => pieces,
        Predicate::Never => {
            parts.clear();
            vec![Piece::Sql("NULL")]
        }
        Predicate::When(condition) => {
            let mut guarded = vec![
                Piece::Sql("CASE WHEN "),
                Piece::Part(parts.len()),
                Piece::Sql(" THEN "),
            ];
            parts.push(condition);
            guarded.extend(pieces);
            guarded.push(Piece::Sql(" END"));
            guarded
        }
    };
    Some(term(pieces, parts, key.descending))
}

/// A value of the first of several records; NULL where something on the way may not be read.
fn first<C: Collection>(
    (joins, wanted): (&[Join], &PlanColumn),
    context: &Context<'_>,
    ways: Ways<'_>,
) -> Option<(Vec<Piece>, Vec<Part>)> {
    let found = filter::joins(joins, ways.collections, ways.guarded)?;
    let PlanColumn::Of(last, wanted) = wanted else {
        return None;
    };
    let (last, wanted) = (*last, &**wanted);
    let value = |rows: &Rows<'_>| match wanted {
        PlanColumn::Item => Some(rows.item(last)),
        wanted => modified(wanted, |field| Some(rows.of(last, field))),
    };
    let readable = |rows: &Rows<'_>| {
        let mut all = Vec::new();
        for (number, join) in joins.iter().enumerate() {
            let (row, field) = match join {
                Join::One { from, field, .. }
                | Join::Many { from, field, .. }
                | Join::Items { from, field } => (*from, field.0),
                Join::Back { field, .. } => (Origin::Joined(number), field.0),
                Join::Every { .. } | Join::Caller { .. } | Join::Submitted { .. } => continue,
            };
            all.push((row, field));
        }
        all.extend(field_of(wanted).map(|field| (Origin::Joined(last), field)));
        let one = |(row, field): (Origin, usize)| match row {
            Origin::Row => rows
                .same_row(|| Some(fields::readable::<C>(context, field)))
                .unwrap_or(Predicate::Never),
            Origin::Joined(row) => match joins.get(row).and_then(Join::collection) {
                Some(id) => rows.missing_or(row, &|| (ways.readable)(id, field)),
                None => Predicate::Always,
            },
        };
        predicate::all(all.into_iter().map(one))
    };
    joined::first::<C>(context, &found, &value, &readable)
}

/// The field that a column is made from.
fn field_of(column: &PlanColumn) -> Option<usize> {
    match column {
        PlanColumn::Field(field)
        | PlanColumn::Lower(field)
        | PlanColumn::Length(field)
        | PlanColumn::Single(field)
        | PlanColumn::Path(field, _) => Some(field.0),
        PlanColumn::Item
        | PlanColumn::Of(..)
        | PlanColumn::Distance(_)
        | PlanColumn::Time { .. } => None,
    }
}

/// The collection that a single relation leads to.
fn target(hop: &Hop) -> Option<CollectionId> {
    match hop.step {
        Step::One(id) => Some(id),
        Step::Many(_) | Step::Items | Step::Back { .. } => None,
    }
}

/// A way over single relations to a value.
struct Path<'a> {
    /// The first relation.
    start: &'a Hop,
    /// The relations after the first.
    others: &'a [Hop],
    /// A column of the last record.
    wanted: &'a PlanColumn,
}

impl Path<'_> {
    /// `(SELECT … FROM … JOIN …)`, which is NULL where a relation is empty or something on the way
    /// may not be read. Each table has a name of its own, since a way may pass the same one again.
    fn sub_select<T: 'static>(
        &self,
        start: Part,
        ways: Ways<'_>,
    ) -> Option<(Vec<Piece>, Vec<Part>)> {
        let mut place = target(self.start)?;
        let mut last = (ways.collections)(place)?;
        let mut tables = vec![
            Piece::Sql(" FROM "),
            Piece::Name(last.name),
            Piece::Sql(" AS "),
            Piece::Alias(0),
        ];
        let mut guards = Vec::new();
        for (number, hop) in self.others.iter().enumerate() {
            let relation = last.field(hop.field.0)?.name;
            guards.push((number, (ways.readable)(place, hop.field.0)));
            place = target(hop)?;
            last = (ways.collections)(place)?;
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
        guards.push((end, (ways.readable)(place, field_of(self.wanted)?)));
        let plain = |field| aliased::<T>(end, last.field(field)?);
        let (kind, value) = modified(self.wanted, plain)?.erase();
        // A record that is missing has no items, and NULL for all else.
        let counts = kind == Kind::Count;
        let mut pieces = vec![Piece::Sql(if counts {
            "coalesce((SELECT "
        } else {
            "(SELECT "
        })];
        // An empty relation of a record comes behind a record that is missing.
        pieces.extend(kind.value(0));
        let mut parts = vec![value, start];
        pieces.extend(tables);
        pieces.push(Piece::Sql(" WHERE "));
        pieces.extend(qualified(0, "id"));
        pieces.extend([Piece::Sql(" = "), Piece::Part(1)]);
        for (table, readable) in guards {
            match readable {
                Readable::Always => {}
                Readable::Never => pieces.push(Piece::Sql(" AND 0")),
                Readable::Among(ids) => {
                    pieces.push(Piece::Sql(" AND "));
                    pieces.extend(ids.contains(qualified(table, "id"), &mut parts));
                }
            }
        }
        pieces.push(Piece::Sql(if counts { "), 0)" } else { ")" }));
        Some((pieces, parts))
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
    use crate::access::fields::Among;
    use crate::sql::fragment::sql;
    use crate::sql::{Form, items};

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

    fn up(step: Step) -> Hop {
        let field = FieldId(1);
        Hop { field, step }
    }

    fn sub_select(
        others: &[Hop],
        wanted: &PlanColumn,
        readable: &dyn Fn(CollectionId, usize) -> Readable,
    ) -> Option<String> {
        let path = Path {
            start: &up(Step::One(CollectionId(0))),
            others,
            wanted,
        };
        let start = Fragment {
            parts: Vec::new(),
            pieces: vec![Piece::Sql("`trees`.`up`")],
        };
        let ways = Ways {
            collections: &|id| (id.0 == 0).then_some(&TREES),
            readable,
            guarded: &|_, _| None,
        };
        let (pieces, parts) = path.sub_select::<items::table>(Box::new(start), ways)?;
        Some(sql(&Fragment { parts, pieces }).unwrap())
    }

    #[test]
    fn a_way_may_pass_a_table_again() {
        let up = up(Step::One(CollectionId(0)));
        let all = |_, _| Readable::Always;
        let check = |others: &[Hop], wanted: &PlanColumn, expected: &str| {
            assert_eq!(sub_select(others, wanted, &all).as_deref(), Some(expected));
        };
        check(
            &[],
            &PlanColumn::Field(FieldId(0)),
            "(SELECT `_r0`.`id` FROM `trees` AS `_r0` WHERE `_r0`.`id` = `trees`.`up`)",
        );
        check(
            &[up],
            &PlanColumn::Field(FieldId(2)),
            "(SELECT json_extract(`_r1`.`doc`, '$') FROM `trees` AS `_r0` \
             JOIN `trees` AS `_r1` ON `_r1`.`id` = `_r0`.`up` \
             WHERE `_r0`.`id` = `trees`.`up`)",
        );
    }

    #[test]
    fn what_may_not_be_read_is_not_found() {
        let up = up(Step::One(CollectionId(0)));
        let doc = PlanColumn::Field(FieldId(2));
        let ids = |form| {
            let part = |sql| -> Part {
                let pieces = vec![Piece::Sql(sql)];
                Box::new(Fragment {
                    parts: Vec::new(),
                    pieces,
                })
            };
            Readable::Among(Among {
                table: "trees",
                id: part("trees.id"),
                condition: part("mine"),
                form,
            })
        };
        let check = |readable: &dyn Fn(CollectionId, usize) -> Readable, expected: &str| {
            let text = sub_select(&[up], &doc, readable).unwrap();
            let (_, condition) = text.split_once(" WHERE `_r0`.`id` = `trees`.`up`").unwrap();
            assert_eq!(condition, expected);
        };
        check(&|_, _| Readable::Always, ")");
        check(&|_, _| Readable::Never, " AND 0 AND 0)");
        let relation = |_, field| match field {
            1 => ids(Form::Exists),
            _ => Readable::Always,
        };
        let looked_up = "EXISTS (SELECT 1 FROM `trees` WHERE trees.id = `_r0`.`id` AND (mine))";
        check(&relation, &format!(" AND {looked_up})"));
        let value = |_, field| match field {
            2 => ids(Form::In),
            _ => Readable::Always,
        };
        let once = "`_r1`.`id` IN (SELECT trees.id FROM `trees` WHERE (mine))";
        check(&value, &format!(" AND {once})"));
    }

    #[test]
    fn what_does_not_fit_is_no_order() {
        let all = |_, _| Readable::Always;
        let wanted = PlanColumn::Field(FieldId(9));
        assert_eq!(sub_select(&[], &wanted, &all), None);
        for step in [
            Step::Items,
            Step::Many(CollectionId(0)),
            Step::One(CollectionId(7)),
        ] {
            let hop = [up(step)];
            assert_eq!(sub_select(&hop, &PlanColumn::Field(FieldId(0)), &all), None);
        }
    }
}
