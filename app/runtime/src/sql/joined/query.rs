//! The sub-select over bound rows, and asking it by itself.

use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};
use diesel::sql_types::{Bool, Nullable};
use diesel::{QueryResult, RunQueryDsl};

use super::column;
use super::source::{Name, Source};
use super::{Bound, Column, Condition, Join, Origin, Rows, Wanted};
use crate::access::fields::Readable;
use crate::meta::CollectionMeta;
use crate::rules::Context;
use crate::sql::fragment::{Fragment, Part, Piece, sql};
use crate::sql::predicate::Predicate;
use crate::sql::{Conn, Db, Form, Pred};
use crate::value::{List, ValueRef};

/// Some choice of rows satisfies the condition (`holds`), or none does.
pub(super) fn exists<T: 'static>(
    context: &Context<'_>,
    own: Source<'_>,
    joins: &[Join],
    condition: Wanted<'_>,
    holds: bool,
) -> Predicate<T> {
    let mut rows = Rows::bind(context, own, joins, None);
    rows.certain = certain(&rows, condition);
    let inner: Option<Part> = match condition(context, &rows) {
        Predicate::Never => return Predicate::from(!holds),
        // A choice of rows always exists, if only of missing ones.
        Predicate::Always if !rows.certain.contains(&true) => return Predicate::from(holds),
        Predicate::Always => None,
        Predicate::When(condition) => Some(condition),
    };
    rows.needed = needed(&rows, inner.as_ref());
    let mut parts = inner.into_iter().collect::<Vec<_>>();
    let inner = parts.first().map(|_| vec![Piece::Part(0)]);
    let pieces = match rows.key() {
        Some(key) if context.form == Form::In && !rows.looks_at_own.get() => {
            rows.among(&key, &mut parts, inner, holds)
        }
        _ => {
            let head = if holds {
                "(EXISTS (SELECT 1"
            } else {
                "(NOT EXISTS (SELECT 1"
            };
            let mut pieces = vec![Piece::Sql(head)];
            let wheres = rows.tables(&mut pieces, &mut parts, None);
            conditions(&mut pieces, wheres.into_iter().chain(inner));
            pieces.push(Piece::Sql("))"));
            pieces
        }
    };
    Predicate::When(Fragment { parts, pieces }.typed())
}

/// ` WHERE … AND …`: what the tables leave to it, and the condition itself.
fn conditions(pieces: &mut Vec<Piece>, all: impl Iterator<Item = Vec<Piece>>) {
    for (number, condition) in all.enumerate() {
        pieces.push(Piece::Sql(if number == 0 { " WHERE " } else { " AND " }));
        pieces.extend(condition);
    }
}

/// How the row that a rule is about is found by the only joined row that begins at it.
struct Key {
    /// The join.
    join: usize,
    /// The value of the row itself.
    own: Vec<Piece>,
    /// The value that it equals, of the join's first table.
    other: Vec<Piece>,
    /// Can that be NULL?
    other_null: bool,
    /// Can the row's own be NULL?
    own_null: bool,
}

/// What a sub-select yields of its rows, and of which of them.
type Wished<'a> = (
    &'a dyn Fn(&Rows<'_>) -> Option<Column<Bound>>,
    &'a dyn Fn(&Rows<'_>) -> Condition,
);

/// The value of the first choice of rows.
pub(super) fn first(
    context: &Context<'_>,
    own: Source<'_>,
    joins: &[Join],
    (value, visible): Wished<'_>,
) -> Option<(Vec<Piece>, Vec<Part>)> {
    let rows = Rows::bind(context, own, joins, None);
    let (kind, value) = value(&rows)?.erase();
    let mut parts = vec![value];
    let mut pieces = vec![Piece::Sql("(SELECT ")];
    match visible(&rows) {
        Predicate::Always => pieces.extend(kind.value(0)),
        Predicate::Never => return Some((vec![Piece::Sql("NULL")], Vec::new())),
        Predicate::When(condition) => {
            pieces.extend([
                Piece::Sql("CASE WHEN "),
                Piece::Part(1),
                Piece::Sql(" THEN "),
            ]);
            pieces.extend(kind.value(0));
            pieces.push(Piece::Sql(" END"));
            parts.push(condition);
        }
    }
    rows.tables(&mut pieces, &mut parts, None);
    let mut word = " ORDER BY ";
    for (number, join) in joins.iter().enumerate() {
        let (table, column) = match join {
            Join::One { .. } | Join::Caller { .. } => continue,
            Join::Many { .. } => (Piece::Between(number), "position"),
            Join::Items { .. } => (Piece::Alias(number), "key"),
            Join::Submitted { .. } => (Piece::Between(number), "key"),
            Join::Back { .. } | Join::Seen { .. } | Join::Every { .. } => {
                (Piece::Alias(number), "_rowid_")
            }
        };
        pieces.extend([
            Piece::Sql(word),
            table,
            Piece::Sql("."),
            Piece::Name(column),
        ]);
        word = ", ";
    }
    pieces.push(Piece::Sql(" LIMIT 1)"));
    Some((pieces, parts))
}

/// Which joins must find a row: without it the condition can't hold, and where it must be there,
/// so must the row at which its join begins.
fn certain(rows: &Rows<'_>, condition: Wanted<'_>) -> Vec<bool> {
    let certain = (0..rows.joins.len()).map(|number| {
        let without = Rows::bind(rows.context, rows.own, rows.joins, Some(number));
        matches!(condition(rows.context, &without), Predicate::Never)
    });
    with_origins(rows.joins, certain.collect())
}

/// Which joins must be looked at: those that the condition names or that must find a row, and those
/// where these begin. The others find something in any case, and what they find is asked nothing.
fn needed(rows: &Rows<'_>, condition: Option<&Part>) -> Vec<bool> {
    let text = match condition.map(|it| sql(it.as_ref())) {
        None => String::new(),
        Some(Ok(text)) => text,
        // It fails when it runs.
        Some(Err(_)) => return vec![true; rows.joins.len()],
    };
    let named = |number: usize| {
        ["r", "l"]
            .iter()
            .any(|of| text.contains(&format!("`_{of}{number}`")))
    };
    let certain = rows.certain.iter().enumerate();
    let needed = certain.map(|(number, certain)| *certain || named(number));
    with_origins(rows.joins, needed.collect())
}

/// The joins with those where they begin.
fn with_origins(joins: &[Join], mut chosen: Vec<bool>) -> Vec<bool> {
    for (number, join) in joins.iter().enumerate().rev() {
        if let (Some(true), Some(Origin::Joined(from))) = (chosen.get(number), join.from())
            && let Some(origin) = chosen.get_mut(from)
        {
            *origin = true;
        }
    }
    chosen
}

/// One table of a sub-select: what it is, and which of its rows.
struct Table {
    name: Vec<Piece>,
    on: Option<Vec<Piece>>,
}

impl Table {
    /// Only rows where `id` is among some ids.
    fn narrow(&mut self, id: Vec<Piece>, ids: Readable, parts: &mut Vec<Part>) {
        let on = self.on.get_or_insert_with(|| vec![Piece::Sql("1")]);
        match ids {
            Readable::Always => {}
            Readable::Never => on.push(Piece::Sql(" AND 0")),
            Readable::Among(ids) => {
                on.push(Piece::Sql(" AND "));
                on.extend(ids.contains(id, parts));
            }
        }
    }
}

impl Rows<'_> {
    /// Adds `FROM … JOIN … LEFT JOIN …`; gives what then belongs into WHERE. Rows that must be
    /// there come first: those that others begin at are among them. With a key the first table of its
    /// join stands on its own.
    fn tables(
        &self,
        pieces: &mut Vec<Piece>,
        parts: &mut Vec<Part>,
        key: Option<&Key>,
    ) -> Vec<Vec<Piece>> {
        let mut wheres = Vec::new();
        let mut first = true;
        for wanted in [true, false] {
            for (number, join) in self.joins.iter().enumerate() {
                let needed = self.needed.get(number) == Some(&true);
                if !needed || self.certain.get(number) != Some(&wanted) {
                    continue;
                }
                let mut tables = self.join(number, join, parts);
                if key.is_some_and(|key| key.join == number)
                    && let Some(table) = tables.first_mut()
                {
                    table.on = None;
                }
                for table in tables {
                    let word = match (first, wanted) {
                        (true, true) => " FROM ",
                        (true, false) => " FROM (SELECT 1) LEFT JOIN ",
                        (false, true) => " JOIN ",
                        (false, false) => " LEFT JOIN ",
                    };
                    pieces.push(Piece::Sql(word));
                    pieces.extend(table.name);
                    if first && wanted {
                        wheres.extend(table.on);
                    } else {
                        pieces.push(Piece::Sql(" ON "));
                        pieces.extend(table.on.unwrap_or_else(|| vec![Piece::Sql("1")]));
                    }
                    first = false;
                }
            }
        }
        wheres
    }

    /// `key IN (SELECT … FROM …)`, or `NOT IN`: quick where few rows match, as the sub-select is
    /// then looked at once and not for each row.
    fn among(
        &self,
        key: &Key,
        parts: &mut Vec<Part>,
        inner: Option<Vec<Piece>>,
        holds: bool,
    ) -> Vec<Piece> {
        let mut pieces = vec![Piece::Sql("(")];
        if key.own_null && !holds {
            pieces.extend(key.own.clone());
            pieces.push(Piece::Sql(" IS NULL OR "));
        }
        pieces.extend(key.own.clone());
        pieces.push(Piece::Sql(if holds {
            " IN (SELECT "
        } else {
            " NOT IN (SELECT "
        }));
        pieces.extend(key.other.clone());
        let mut wheres = self.tables(&mut pieces, parts, Some(key));
        if key.other_null && !holds {
            let mut known = key.other.clone();
            known.push(Piece::Sql(" IS NOT NULL"));
            wheres.push(known);
        }
        conditions(&mut pieces, wheres.into_iter().chain(inner));
        pieces.push(Piece::Sql("))"));
        pieces
    }

    /// The key, if there is one: the only join that begins at the row must find one.
    fn key(&self) -> Option<Key> {
        let Source::Table(name, meta) = self.own else {
            return None;
        };
        let begins = |(number, join): &(usize, &Join)| {
            let found = matches!(self.found.get(*number), Some(Source::Table(..)));
            let needed = self.needed.get(*number) == Some(&true);
            needed
                && join.from() == Some(Origin::Row)
                && (found || matches!(join, Join::Items { .. }))
        };
        let mut all = self.joins.iter().enumerate().filter(begins);
        let (number, join) = all.next()?;
        if all.next().is_some() || self.certain.get(number) != Some(&true) {
            return None;
        }
        let id = || column::pieces(name, "id").to_vec();
        let of_join = |column| column::pieces(Name::Alias(number), column).to_vec();
        let (own, other, own_null, other_null) = match join {
            Join::One { field, .. } => {
                let own = column::pieces(name, meta.field(*field)?.name).to_vec();
                (own, of_join("id"), true, false)
            }
            Join::Many { .. } => (id(), between(number, "owner"), false, false),
            Join::Back { source, field, .. } => {
                let field = source.field(*field)?;
                if field.kind.is_many() {
                    (id(), between(number, "target"), false, false)
                } else {
                    (id(), of_join(field.name), false, true)
                }
            }
            _ => return None,
        };
        Some(Key {
            join: number,
            own,
            other,
            other_null,
            own_null,
        })
    }

    /// The tables of one join; none if it needs no query.
    fn join(&self, number: usize, join: &Join, parts: &mut Vec<Part>) -> Vec<Table> {
        match self.found.get(number) {
            Some(Source::Table(..) | Source::Items(_)) => {}
            Some(Source::Broken) | None => return vec![nowhere()],
            Some(_) => return Vec::new(),
        }
        let alias = Name::Alias(number);
        let from = join.from().map(|from| self.origin(from));
        let tables = match join {
            Join::Every { collection } => Some(vec![table(collection, number, None)]),
            // The caller's record is in memory.
            Join::Caller { .. } => Some(Vec::new()),
            Join::Submitted { key, target } => {
                let ids = List::new(&self.context.body_ids(key)).0;
                Some(items(vec![Piece::Text(ids)], number, target))
            }
            Join::One { field, target, .. } => from.and_then(|from| {
                let on = equal(column::pieces(alias, "id").into(), value(from, *field)?);
                Some(vec![table(target, number, Some(on))])
            }),
            Join::Many { field, target, .. } => from.and_then(|from| {
                if from.record().is_some() {
                    return Some(items(value(from, *field)?, number, target));
                }
                let link = link(from.meta()?, *field, number, "owner", value(from, 0)?)?;
                let on = equal(
                    column::pieces(alias, "id").into(),
                    between(number, "target"),
                );
                Some(vec![link, table(target, number, Some(on))])
            }),
            Join::Items { field, .. } => from.and_then(|from| {
                let name = each(value(from, *field)?, Piece::Alias(number));
                Some(vec![Table { name, on: None }])
            }),
            Join::Back { source, field, .. } => {
                from.and_then(|from| back(from, source, *field, number))
            }
            Join::Seen { source, field, .. } => from
                .and_then(|from| back(from, source.meta(), *field, number))
                .map(|mut tables| {
                    // The first of them has the ids of the records that point.
                    let many = tables.len() > 1;
                    if let Some(first) = tables.first_mut() {
                        let id = match many {
                            true => between(number, "owner"),
                            false => column::pieces(alias, "id").into(),
                        };
                        let seen = source.readable_ids(self.context, *field);
                        first.narrow(id, seen, parts);
                    }
                    tables
                }),
        };
        tables.unwrap_or_else(|| vec![nowhere()])
    }
}

/// The records of `source` that point to a row; with a join table before them, if the relation is
/// a multiple one.
fn back(
    from: Source<'_>,
    source: &CollectionMeta,
    field: usize,
    number: usize,
) -> Option<Vec<Table>> {
    let (meta, id) = (source.field(field)?, value(from, 0)?);
    let alias = Name::Alias(number);
    if !meta.kind.is_many() {
        let on = equal(column::pieces(alias, meta.name).into(), id);
        return Some(vec![table(source, number, Some(on))]);
    }
    let link = link(source, field, number, "target", id)?;
    let on = equal(column::pieces(alias, "id").into(), between(number, "owner"));
    Some(vec![link, table(source, number, Some(on))])
}

/// A field as the join of another table needs it; `None` if there is none such.
fn value(source: Source<'_>, field: usize) -> Option<Vec<Piece>> {
    if let Some(record) = source.record() {
        return Some(vec![match record.get(field) {
            ValueRef::Text(text) | ValueRef::List(text) => Piece::Text(text.to_owned()),
            _ => Piece::Sql("NULL"),
        }]);
    }
    match source {
        Source::Table(name, meta) => Some(column::pieces(name, meta.field(field)?.name).into()),
        _ => None,
    }
}

fn equal(mut left: Vec<Piece>, right: Vec<Piece>) -> Vec<Piece> {
    left.push(Piece::Sql(" = "));
    left.extend(right);
    left
}

fn between(number: usize, column: &'static str) -> Vec<Piece> {
    vec![Piece::Between(number), Piece::Sql("."), Piece::Name(column)]
}

fn table(meta: &CollectionMeta, number: usize, on: Option<Vec<Piece>>) -> Table {
    let name = vec![
        Piece::Name(meta.name),
        Piece::Sql(" AS "),
        Piece::Alias(number),
    ];
    Table { name, on }
}

/// The join table of a multiple relation, by one of its ends.
fn link(
    owner: &CollectionMeta,
    field: usize,
    number: usize,
    end: &'static str,
    id: Vec<Piece>,
) -> Option<Table> {
    let field = owner.field(field)?.name;
    Some(Table {
        name: vec![
            Piece::Named(format!("_link_{}_{field}", owner.name)),
            Piece::Sql(" AS "),
            Piece::Between(number),
        ],
        on: Some(equal(between(number, end), id)),
    })
}

/// The records whose ids stand in a list; an id without a record is a missing one.
fn items(list: Vec<Piece>, number: usize, target: &CollectionMeta) -> Vec<Table> {
    let name = each(list, Piece::Between(number));
    let id = column::pieces(Name::Alias(number), "id");
    let on = equal(id.into(), between(number, "value"));
    vec![Table { name, on: None }, table(target, number, Some(on))]
}

fn each(list: Vec<Piece>, alias: Piece) -> Vec<Piece> {
    let mut pieces = vec![Piece::Sql("json_each(")];
    pieces.extend(list);
    pieces.extend([Piece::Sql(") AS "), alias]);
    pieces
}

/// Fails the query.
fn nowhere() -> Table {
    let message = "a join begins at a row or field that there isn't".to_owned();
    let name = vec![Piece::Broken(message)];
    Table { name, on: None }
}

/// Is the condition true, as it stands?
pub(super) fn ask(conn: &mut Conn, condition: Pred<Bound>) -> QueryResult<bool> {
    let holds: Option<bool> = Ask(condition).get_result(conn)?;
    Ok(holds == Some(true))
}

/// `SELECT condition`
struct Ask(Pred<Bound>);

impl QueryFragment<Db> for Ask {
    fn walk_ast<'b>(&'b self, mut pass: AstPass<'_, 'b, Db>) -> QueryResult<()> {
        pass.push_sql("SELECT ");
        self.0.walk_ast(pass)
    }
}

impl QueryId for Ask {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl Query for Ask {
    type SqlType = Nullable<Bool>;
}

impl RunQueryDsl<Conn> for Ask {}
