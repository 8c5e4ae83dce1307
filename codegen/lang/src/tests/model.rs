//! Rows in memory and a plain reading of plans over them: the reference for what plans mean.

use std::borrow::Cow;

mod joins;

use joins::At;

use super::fixture::{C, Fixture, USERS, X};
use crate::eval::{Affinity, Operand, Side, compare};
use crate::plan::{Argument, Column, Plan, Quantifier, Truth, Value, is_auth_column};
use crate::schema::{CollectionId, FieldId, FieldType, Schema};
use crate::{Caller, Scope, compile};

/// What a field holds.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Cell {
    Null,
    Bool(bool),
    Number(f64),
    Text(String),
    /// Items of a select, or ids.
    List(Vec<String>),
    /// A json object of numbers.
    Object(Vec<(String, f64)>),
}

pub(super) fn text(text: &str) -> Cell {
    Cell::Text(text.to_owned())
}

pub(super) fn list(items: &[&str]) -> Cell {
    Cell::List(items.iter().map(|item| (*item).to_owned()).collect())
}

pub(super) struct Record {
    collection: CollectionId,
    cells: Vec<Cell>,
}

/// A schema, its rows, and one request.
pub(super) struct Model {
    pub(super) schema: Fixture,
    records: Vec<Record>,
    /// `None` for a guest.
    pub(super) auth: Option<Vec<(&'static str, Cell)>>,
    pub(super) body: Vec<(&'static str, Cell)>,
    /// The rules of the collections that have one.
    pub(super) list_rules: Vec<(CollectionId, &'static str)>,
    /// The rules of fields, each called `collection.field`.
    pub(super) read_rules: Vec<(&'static str, &'static str)>,
}

impl Model {
    /// A model without rows.
    pub(super) fn new() -> Self {
        Self {
            schema: Fixture::new(),
            records: Vec::new(),
            auth: None,
            body: Vec::new(),
            list_rules: Vec::new(),
            read_rules: Vec::new(),
        }
    }

    /// The rows of the specification's table on multi-valued paths.
    pub(super) fn of_the_table() -> Self {
        let mut model = Self::new();
        let k = |k: f64| Cell::Object(vec![("k".to_owned(), k)]);
        for (id, title, n, sm, j) in [
            ("X", "x", 1.0, list(&["a"]), k(1.0)),
            ("Y", "y", 2.0, list(&["a", "b"]), k(2.0)),
            ("Z", "", 0.0, list(&[]), Cell::Null),
        ] {
            let cells = [
                ("title", text(title)),
                ("n", Cell::Number(n)),
                ("sm", sm),
                ("j", j),
            ];
            model.add(X, id, &cells);
        }
        for (id, rm, sm) in [
            ("none", list(&[]), list(&[])),
            ("x", list(&["X"]), list(&["a"])),
            ("xy", list(&["X", "Y"]), list(&["a", "b"])),
            ("xz", list(&["X", "Z"]), list(&["b"])),
            ("z", list(&["Z"]), list(&["c"])),
        ] {
            model.add(C, id, &[("rm", rm), ("sm", sm)]);
        }
        for (id, email, visible) in [("u1", "one@x", true), ("u2", "two@x", false)] {
            let visible = ("emailVisibility", Cell::Bool(visible));
            model.add(USERS, id, &[("email", text(email)), visible]);
        }
        model
    }

    /// Adds a row; what isn't given has the zero value of its type.
    pub(super) fn add(&mut self, collection: CollectionId, id: &str, given: &[(&str, Cell)]) {
        let cell = |name: &str, kind| {
            if name == "id" {
                return text(id);
            }
            let found = given.iter().find(|(known, _)| *known == name);
            found.map_or_else(|| zero(kind), |(_, cell)| cell.clone())
        };
        let fields = self.schema.fields(collection);
        let cells = fields
            .iter()
            .map(|field| cell(field.name, field.kind))
            .collect();
        self.records.push(Record { collection, cells });
    }

    /// The ids in `collection` that the text matches, joined by blanks.
    pub(super) fn matched_in(
        &self,
        collection: CollectionId,
        text: &str,
        caller: Caller,
    ) -> String {
        let scope = Scope::new(&self.schema, collection, caller);
        let compiled = match compile(text, &scope) {
            Ok(compiled) => compiled,
            Err(errors) => return format!("{}", errors[0].code),
        };
        self.matched_by(collection, &compiled.plan)
    }

    /// The ids in `collection` of which the plan holds, joined by blanks.
    pub(super) fn matched_by(&self, collection: CollectionId, plan: &Plan) -> String {
        let rows = self.records.iter().filter(|it| it.collection == collection);
        let rows = rows.filter(|row| self.holds(plan, At::row(row)));
        let ids = rows.map(|row| match &row.cells[0] {
            Cell::Text(id) => id.as_str(),
            other => panic!("an id is text, not {other:?}"),
        });
        ids.collect::<Vec<_>>().join(" ")
    }

    /// The ids in `c` that a superuser's filter matches.
    pub(super) fn matched(&self, text: &str) -> String {
        self.matched_in(C, text, Caller::Superuser)
    }

    fn holds(&self, plan: &Plan, at: At<'_>) -> bool {
        let row = at.row;
        match plan {
            Plan::Always => true,
            Plan::Never => false,
            Plan::All(items) => items.iter().all(|plan| self.holds(plan, at)),
            Plan::Any(items) => items.iter().any(|plan| self.holds(plan, at)),
            Plan::Request {
                left,
                op,
                right,
                when,
            } => self.values(left, right, *when, |left, right| compare(left, *op, right)),
            Plan::Test {
                column,
                op,
                value,
                when,
            } => {
                let column = self.column(at, column);
                self.values(&Value::Null, value, *when, |_, value| {
                    compare(&column, *op, value)
                })
            }
            Plan::Within {
                value,
                op,
                column,
                when,
            } => {
                let column = self.column(at, column);
                self.values(value, &Value::Null, *when, |value, _| {
                    compare(value, *op, &column)
                })
            }
            Plan::Columns {
                left,
                op,
                right,
                when,
            } => {
                let left = self.column(at, left);
                met(compare(&left, *op, &self.column(at, right)), *when)
            }
            Plan::Visible {
                collection,
                row: of,
            } => {
                let Some(row) = at.row_of(*of) else {
                    return true;
                };
                assert_eq!(row.collection, *collection);
                let rule = self.list_rules.iter().find(|(of, _)| of == collection);
                let (_, text) = rule.expect("each ruled collection has a rule");
                let scope = Scope::new(&self.schema, *collection, Caller::Rule);
                self.holds(&compile(text, &scope).unwrap().plan, At::row(row))
            }
            Plan::Readable {
                collection,
                field,
                row: of,
                holds,
            } => {
                let Some(row) = at.row_of(*of) else {
                    return *holds;
                };
                assert_eq!(row.collection, *collection);
                let name = self.schema.fields(*collection)[field.0].name;
                let key = format!("{}.{name}", self.schema.name(*collection));
                let rule = self.read_rules.iter().find(|(of, _)| *of == key);
                let (_, text) = rule.expect("each guarded field has a rule");
                let scope = Scope::new(&self.schema, *collection, Caller::Rule);
                self.holds(&compile(text, &scope).unwrap().plan, At::row(row)) == *holds
            }
            Plan::Joined {
                joins,
                inner,
                holds,
            } => self.chosen(joins, row, &mut Vec::new(), inner) == *holds,
            Plan::Empty { field, holds } => items_of(row, *field).is_empty() == *holds,
            Plan::Via {
                field,
                target,
                inner,
                holds,
            } => {
                let ids = items_of(row, *field);
                let mut targets = self.records.iter().filter(|it| {
                    it.collection == *target
                        && matches!(&it.cells[0], Cell::Text(id) if ids.contains(&id.as_str()))
                });
                targets.any(|row| self.holds(inner, At::row(row))) == *holds
            }
            Plan::Each {
                field,
                inner,
                holds,
            } => {
                let items = items_of(row, *field);
                let item = |item| At {
                    item: Some(item),
                    ..At::row(row)
                };
                items.iter().any(|it| self.holds(inner, item(it))) == *holds
            }
        }
    }

    /// Compares with each item where a value has several.
    fn values(
        &self,
        left: &Value,
        right: &Value,
        when: Truth,
        mut compare: impl FnMut(&Side<'_>, &Side<'_>) -> Option<bool>,
    ) -> bool {
        let (lefts, left_quantifier) = self.request(left);
        let (rights, right_quantifier) = self.request(right);
        let mut found = Vec::new();
        for left in &lefts {
            for right in &rights {
                found.push(compare(left, right));
            }
        }
        match left_quantifier.or(right_quantifier) {
            Some(Quantifier::All) => {
                assert_eq!(when, Truth::True, "match-all is only ever asked to be true");
                found.contains(&Some(true)) && !found.contains(&Some(false))
            }
            _ => found.into_iter().any(|it| met(it, when)),
        }
    }

    fn request<'v>(&'v self, value: &'v Value) -> (Vec<Side<'v>>, Option<Quantifier>) {
        let find = |cells: &'v [(&str, Cell)], name: &str| {
            cells
                .iter()
                .find(|(known, _)| *known == name)
                .map(|(_, cell)| cell)
        };
        let operand = match value {
            Value::Null => Operand::Null,
            Value::Bool(bool) => Operand::Integer(i64::from(*bool)),
            Value::Number(number) => Operand::Number(*number),
            Value::Text(text) => Operand::Text(Cow::Borrowed(text)),
            Value::Auth(name) => {
                let cells = self.auth.as_deref().unwrap_or(&[]);
                match find(cells, name) {
                    Some(cell) if is_auth_column(name) => return (vec![stored(cell)], None),
                    found => found.map_or(Operand::Null, operand_of),
                }
            }
            Value::Numeric(inner) => return self.request(inner),
            Value::Method => Operand::Text(Cow::Borrowed("GET")),
            Value::Context => Operand::Text(Cow::Borrowed("default")),
            Value::Query(_) | Value::Header(_) => Operand::Null,
            Value::Length(inner) => match inner.as_ref() {
                Value::Body(path) => {
                    let sent = find(&self.body, &path[0]).map_or(0, |cell| items(cell).len());
                    Operand::Integer(i64::try_from(sent).unwrap())
                }
                other => panic!("not in the model: {other:?}"),
            },
            Value::Body(path) => find(&self.body, &path[0]).map_or(Operand::Null, operand_of),
            Value::IsSet(inner) => match inner.as_ref() {
                Value::Body(path) => {
                    Operand::Integer(i64::from(find(&self.body, &path[0]).is_some()))
                }
                other => panic!("not in the model: {other:?}"),
            },
            Value::Each(inner, quantifier) => match inner.as_ref() {
                Value::Body(path) => {
                    let items = match find(&self.body, &path[0]) {
                        Some(Cell::List(items)) if !items.is_empty() => items.as_slice(),
                        _ => return (vec![Side::value(Operand::Null)], Some(*quantifier)),
                    };
                    let side =
                        |item: &'v String| Side::value(Operand::Text(Cow::Borrowed(item.as_str())));
                    return (items.iter().map(side).collect(), Some(*quantifier));
                }
                other => panic!("not in the model: {other:?}"),
            },
            other => panic!("not in the model: {other:?}"),
        };
        (vec![Side::value(operand)], None)
    }

    fn argument(&self, at: At<'_>, argument: &Argument) -> Option<String> {
        let side = match argument {
            Argument::Column(column) => self.column(at, column),
            Argument::Value(value) => self.request(value).0.remove(0),
        };
        side.text().map(Cow::into_owned)
    }

    fn column<'r>(&self, at: At<'r>, column: &Column) -> Side<'r> {
        let row = at.row;
        let kind = |field: FieldId| self.schema.fields(row.collection)[field.0].kind;
        match column {
            Column::Of(number, column) => self.of_joined(at.joined[*number], column),
            // Enough of the functions for the tests.
            Column::Distance(arguments) => {
                let [a, b, c, d] = arguments.as_ref();
                let radians = |it| {
                    let number = self.argument(at, it)?.parse::<f64>().ok()?;
                    Some(number.to_radians())
                };
                let far = || {
                    let (lon, lat) = (radians(a)?, radians(b)?);
                    let (other_lon, other_lat) = (radians(c)?, radians(d)?);
                    let cosine = lat.cos() * other_lat.cos() * (other_lon - lon).cos()
                        + lat.sin() * other_lat.sin();
                    Some(6371.0 * cosine.acos())
                };
                Side::strict(far().map_or(Operand::Null, Operand::Number), Affinity::None)
            }
            Column::Time { time, .. } => {
                let time = time.as_ref().and_then(|it| self.argument(at, it));
                let year = time.filter(|it| it.len() >= 4);
                let year = year.map_or(Operand::Null, |it| {
                    Operand::Text(Cow::Owned(it[..4].to_owned()))
                });
                Side::column(year, Affinity::None)
            }
            Column::Item => {
                let item = at.item.expect("only inside `Each`");
                Side::column(Operand::Text(Cow::Borrowed(item)), Affinity::None)
            }
            Column::Length(field) => {
                let length = items_of(row, *field).len();
                Side::column(
                    Operand::Integer(i64::try_from(length).unwrap()),
                    Affinity::None,
                )
            }
            Column::Single(field) => Side::column(operand_of(&row.cells[field.0]), Affinity::None),
            Column::Lower(field) => match operand_of(&row.cells[field.0]) {
                Operand::Text(text) => {
                    let lower = text.to_ascii_lowercase();
                    Side::column(Operand::Text(Cow::Owned(lower)), Affinity::None)
                }
                other => panic!("not in the model: {other:?}"),
            },
            Column::Path(field, path) => {
                let found = match &row.cells[field.0] {
                    Cell::Object(members) => members.iter().find(|(key, _)| *key == path[0]),
                    _ => None,
                };
                let operand = found.map_or(Operand::Null, |(_, number)| {
                    if number.fract() == 0.0 {
                        Operand::Integer(*number as i64)
                    } else {
                        Operand::Number(*number)
                    }
                });
                Side::strict(operand, Affinity::None)
            }
            Column::Field(field) => {
                let operand = operand_of(&row.cells[field.0]);
                match kind(*field) {
                    FieldType::Json => Side::strict(operand, Affinity::None),
                    FieldType::Number
                    | FieldType::Bool
                    | FieldType::Choices
                    | FieldType::Many(_)
                    | FieldType::GeoPoint => Side::column(operand, Affinity::Numeric),
                    _ => Side::column(operand, Affinity::Text),
                }
            }
        }
    }
}

/// A field of the caller's record.
fn stored(cell: &Cell) -> Side<'_> {
    let operand = operand_of(cell);
    match cell {
        Cell::Null | Cell::Object(_) => Side::strict(operand, Affinity::None),
        Cell::Text(_) => Side::column(operand, Affinity::Text),
        Cell::Bool(_) | Cell::Number(_) | Cell::List(_) => Side::column(operand, Affinity::Numeric),
    }
}

fn met(found: Option<bool>, when: Truth) -> bool {
    found == Some(when == Truth::True)
}

fn zero(kind: FieldType) -> Cell {
    match kind {
        FieldType::Number => Cell::Number(0.0),
        FieldType::Bool => Cell::Bool(false),
        FieldType::Json | FieldType::GeoPoint => Cell::Null,
        FieldType::Choices | FieldType::Many(_) => list(&[]),
        FieldType::Text | FieldType::Date | FieldType::Choice | FieldType::One(_) => text(""),
    }
}

fn operand_of(cell: &Cell) -> Operand<'_> {
    match cell {
        Cell::Null => Operand::Null,
        Cell::Bool(bool) => Operand::Bool(*bool),
        Cell::Number(number) => Operand::Number(*number),
        Cell::Text(text) => Operand::Text(Cow::Borrowed(text)),
        Cell::List(items) => {
            let items: Vec<String> = items.iter().map(|item| format!("\"{item}\"")).collect();
            Operand::Text(Cow::Owned(format!("[{}]", items.join(","))))
        }
        Cell::Object(members) => {
            let members: Vec<String> = members
                .iter()
                .map(|(key, value)| format!("\"{key}\":{value}"))
                .collect();
            Operand::Text(Cow::Owned(format!("{{{}}}", members.join(","))))
        }
    }
}

/// What a relation or select points to, empty ones left out.
fn items_of(row: &Record, field: FieldId) -> Vec<&str> {
    items(&row.cells[field.0])
}

fn id_of(row: &Record) -> &str {
    items_of(row, FieldId(0))[0]
}

fn items(cell: &Cell) -> Vec<&str> {
    match cell {
        Cell::List(items) => items.iter().map(String::as_str).collect(),
        Cell::Text(id) if !id.is_empty() => vec![id.as_str()],
        _ => Vec::new(),
    }
}
