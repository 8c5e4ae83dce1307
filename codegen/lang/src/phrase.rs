//! A plan in one line, close to how a rule would say it: for tables of who may do what.

use crate::plan::{Argument, Column, Join, Op, Origin, Plan, Truth, Value};
use crate::schema::{CollectionId, FieldId, Schema};

impl Plan {
    /// The plan as one line about a row of `collection`. It reads like a rule, but says more than
    /// a rule can: `no(author.name = 'x')` holds if no author is like that.
    pub fn phrase(&self, schema: &dyn Schema, collection: CollectionId) -> String {
        let words = Words {
            schema,
            collection,
            prefix: "",
            rows: &[],
        };
        words.plan(self)
    }
}

/// What a plan's numbers mean.
#[derive(Clone, Copy)]
struct Words<'a> {
    schema: &'a dyn Schema,
    /// The collection of the row.
    collection: CollectionId,
    /// The way to the row, with a point behind it.
    prefix: &'a str,
    /// The rows that a [`Plan::Joined`] binds: what they are called, and their collection.
    rows: &'a [(String, Option<CollectionId>)],
}

impl Words<'_> {
    fn plan(self, plan: &Plan) -> String {
        let compared = |left: String, op: Op, right: String, when: Truth| match when {
            Truth::True => format!("{left} {} {right}", op.as_str()),
            Truth::False => format!("({left} {} {right}) is false", op.as_str()),
        };
        match plan {
            Plan::Always => "always".to_owned(),
            Plan::Never => "never".to_owned(),
            Plan::All(items) => self.list(items, " && "),
            Plan::Any(items) => self.list(items, " || "),
            Plan::Request {
                left,
                op,
                right,
                when,
            } => compared(value(left), *op, value(right), *when),
            Plan::Test {
                column,
                op,
                value: given,
                when,
            } => compared(self.column(column), *op, value(given), *when),
            Plan::Within {
                value: given,
                op,
                column,
                when,
            } => compared(value(given), *op, self.column(column), *when),
            Plan::Columns {
                left,
                op,
                right,
                when,
            } => compared(self.column(left), *op, self.column(right), *when),
            Plan::Empty { field, holds } => {
                let field = self.field(*field);
                format!("{field} is {}empty", if *holds { "" } else { "not " })
            }
            Plan::Via {
                field,
                target,
                inner,
                holds,
            } => self.via(*field, *target, inner, *holds),
            Plan::Each {
                field,
                inner,
                holds,
            } => {
                let prefix = self.field(*field);
                let there = Words {
                    prefix: &prefix,
                    ..self
                };
                quantified(*holds, &there.plan(inner), inner)
            }
            Plan::Visible { row, .. } => format!("{} may be listed", self.row(*row)),
            Plan::Readable { field, row, .. } => {
                format!("{}.{} may be read", self.row(*row), self.field(*field))
            }
            Plan::Joined {
                joins,
                inner,
                holds,
            } => self.joined(joins, inner, *holds),
        }
    }

    fn list(self, items: &[Plan], word: &str) -> String {
        let items = items.iter().map(|item| match item {
            Plan::All(_) | Plan::Any(_) => format!("({})", self.plan(item)),
            other => self.plan(other),
        });
        items.collect::<Vec<_>>().join(word)
    }

    fn via(self, field: FieldId, target: CollectionId, inner: &Plan, holds: bool) -> String {
        let prefix = format!("{}.", self.field(field));
        let there = Words {
            collection: target,
            prefix: &prefix,
            ..self
        };
        quantified(holds, &there.plan(inner), inner)
    }

    fn joined(self, joins: &[Join], inner: &Plan, holds: bool) -> String {
        let mut rows: Vec<(String, Option<CollectionId>)> = Vec::with_capacity(joins.len());
        for join in joins {
            let name = self.join(join, &rows);
            let same = |(other, _): &&(String, _)| {
                let rest = other.strip_prefix(name.as_str());
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('#'))
            };
            let name = match rows.iter().filter(same).count() {
                0 => name,
                earlier => format!("{name}#{}", earlier + 1),
            };
            rows.push((name, join.collection()));
        }
        let there = Words {
            rows: &rows,
            ..self
        };
        quantified(holds, &there.plan(inner), inner)
    }

    /// What a joined row is called: the way to it.
    fn join(self, join: &Join, rows: &[(String, Option<CollectionId>)]) -> String {
        let field = |from: &Origin, field: FieldId| {
            let (before, collection) = match from {
                Origin::Row => (self.prefix.to_owned(), Some(self.collection)),
                Origin::Joined(number) => match rows.get(*number) {
                    Some((name, collection)) => (format!("{name}."), *collection),
                    None => (String::new(), None),
                },
            };
            format!("{before}{}", self.field_name(collection, field))
        };
        match join {
            Join::One {
                from, field: it, ..
            }
            | Join::Many {
                from, field: it, ..
            }
            | Join::Items { from, field: it } => field(from, *it),
            Join::Back {
                from,
                source,
                field,
            } => {
                let before = match from {
                    Origin::Row => self.prefix.to_owned(),
                    Origin::Joined(number) => rows
                        .get(*number)
                        .map_or_else(String::new, |(name, _)| format!("{name}.")),
                };
                let (name, field) = (
                    self.schema.name(*source),
                    self.field_name(Some(*source), *field),
                );
                format!("{before}{name}_via_{field}")
            }
            Join::Every { collection } => format!("@collection.{}", self.schema.name(*collection)),
            Join::Caller { .. } => "@request.auth".to_owned(),
            Join::Submitted { key, .. } => format!("@request.body.{key}"),
        }
    }

    fn field_name(self, collection: Option<CollectionId>, field: FieldId) -> String {
        let fields = collection.map(|id| self.schema.fields(id));
        let found = fields.iter().flatten().find(|it| it.id == field);
        found.map_or_else(|| format!("#{}", field.0), |it| it.name.to_owned())
    }

    fn field(self, field: FieldId) -> String {
        let name = self.field_name(Some(self.collection), field);
        format!("{}{name}", self.prefix)
    }

    fn row(self, row: Option<usize>) -> String {
        match row.and_then(|number| self.rows.get(number)) {
            Some((name, _)) => name.clone(),
            None => "the record".to_owned(),
        }
    }

    fn column(self, column: &Column) -> String {
        match column {
            Column::Field(field) => self.field(*field),
            Column::Lower(field) => format!("{}:lower", self.field(*field)),
            Column::Length(field) => format!("{}:length", self.field(*field)),
            Column::Path(field, path) => format!("{}.{}", self.field(*field), path.join(".")),
            Column::Item => format!("{}:each", self.prefix),
            Column::Of(number, inner) => match self.rows.get(*number) {
                Some((name, _)) if **inner == Column::Item => format!("{name}:each"),
                Some((name, Some(collection))) => {
                    let prefix = format!("{name}.");
                    let there = Words {
                        collection: *collection,
                        prefix: &prefix,
                        ..self
                    };
                    there.column(inner)
                }
                _ => format!("#{number}"),
            },
            Column::Distance(arguments) => {
                let list = arguments.iter().map(|argument| self.argument(argument));
                format!("geoDistance({})", list.collect::<Vec<_>>().join(", "))
            }
            Column::Time {
                format,
                time,
                modifiers,
            } => {
                let mut list = vec![value(&Value::Text(format.clone()))];
                list.extend(time.as_deref().map(|time| self.argument(time)));
                let modifiers = modifiers.iter().cloned().map(Value::Text);
                list.extend(modifiers.map(|modifier| value(&modifier)));
                format!("strftime({})", list.join(", "))
            }
        }
    }

    fn argument(self, argument: &Argument) -> String {
        match argument {
            Argument::Column(column) => self.column(column),
            Argument::Value(given) => value(given),
        }
    }
}

/// `some` goes without saying.
fn quantified(holds: bool, text: &str, inner: &Plan) -> String {
    let compound = matches!(inner, Plan::All(_) | Plan::Any(_));
    match (holds, compound) {
        (true, false) => text.to_owned(),
        (true, true) => format!("some({text})"),
        (false, _) => format!("no({text})"),
    }
}

/// As in a rule; what is NULL is empty.
fn value(value: &Value) -> String {
    match value {
        Value::Null => "''".to_owned(),
        other => other.to_string(),
    }
}
