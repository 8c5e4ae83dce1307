//! A plan in one line, close to how a rule would say it: for tables of who may do what.

mod condense;

use condense::{Part, condense, parts};

use crate::plan::{Argument, Column, Join, Op, Origin, Plan, Truth, Value};
use crate::schema::{CollectionId, FieldId, FieldType, Schema};

impl Plan {
    /// The plan as one line about a row of `collection`. It reads like a rule, but says more than
    /// a rule can: `no(author.name = 'x')` holds if no author is like that.
    pub fn phrase(&self, schema: &dyn Schema, collection: CollectionId) -> String {
        let words = Words {
            schema,
            collection,
            prefix: "",
            rows: &[],
            mode: Mode::One,
        };
        words.plan(&condense(self, false))
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
    /// How operators are written here.
    mode: Mode,
}

/// How many values an operator compares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    /// One.
    One,
    /// Several, of which one suffices: with a `?`.
    Some,
    /// Several, of which all must do it: written plainly.
    Every,
}

impl Words<'_> {
    fn plan(self, plan: &Plan) -> String {
        let compared = |left: String, op: Op, right: String, when: Truth| {
            let any = if self.mode == Mode::Some { "?" } else { "" };
            match when {
                Truth::True => format!("{left} {any}{} {right}", op.as_str()),
                Truth::False => format!("({left} {any}{} {right}) is false", op.as_str()),
            }
        };
        match plan {
            Plan::Always => "always".to_owned(),
            Plan::Never => "never".to_owned(),
            Plan::All(items) => self.all(items),
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
            } => {
                let given = self.given(column, given);
                compared(self.column(column), *op, given, *when)
            }
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
                there.quantified(*holds, true, inner)
            }
            Plan::Visible { row, .. } => format!("{} may be listed", self.row(*row)),
            Plan::Readable {
                field, row, holds, ..
            } => {
                let not = if *holds { "" } else { "not " };
                format!("{}.{} may {not}be read", self.row(*row), self.field(*field))
            }
            Plan::Joined {
                joins,
                inner,
                holds,
            } => self.joined(joins, inner, *holds),
        }
    }

    fn all(self, items: &[Plan]) -> String {
        let texts = parts(items).into_iter().map(|part| match part {
            Part::Every(plan) => {
                let every = Words {
                    mode: Mode::Every,
                    ..self
                };
                every.plan(&plan)
            }
            Part::One(plan) => self.in_list(&plan),
        });
        texts.collect::<Vec<_>>().join(" && ")
    }

    fn list(self, items: &[Plan], word: &str) -> String {
        let texts = items.iter().map(|item| self.in_list(item));
        texts.collect::<Vec<_>>().join(word)
    }

    fn in_list(self, item: &Plan) -> String {
        match item {
            Plan::Any(_) => format!("({})", self.plan(item)),
            Plan::All(items) if parts(items).len() > 1 => format!("({})", self.plan(item)),
            other => self.plan(other),
        }
    }

    fn via(self, field: FieldId, target: CollectionId, inner: &Plan, holds: bool) -> String {
        let prefix = format!("{}.", self.field(field));
        let there = Words {
            collection: target,
            prefix: &prefix,
            ..self
        };
        let fields = self.schema.fields(self.collection);
        let many = fields
            .iter()
            .any(|it| it.id == field && matches!(it.kind, FieldType::Many(_)));
        there.quantified(holds, many, inner)
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
        let many = joins.iter().any(|join| self.is_multi(join));
        there.quantified(holds, many, inner)
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

    /// Can it find several rows for one?
    fn is_multi(self, join: &Join) -> bool {
        match join {
            Join::One { .. } | Join::Caller { .. } => false,
            Join::Back { source, field, .. } => {
                let fields = self.schema.fields(*source);
                let found = fields.iter().find(|it| it.id == *field);
                !found.is_some_and(|it| it.unique && matches!(it.kind, FieldType::One(_)))
            }
            Join::Many { .. }
            | Join::Items { .. }
            | Join::Every { .. }
            | Join::Submitted { .. } => true,
        }
    }

    /// A condition on one of several rows (`holds`), or on none.
    fn quantified(self, holds: bool, many: bool, inner: &Plan) -> String {
        let one = matches!(
            inner,
            Plan::Test { .. }
                | Plan::Within { .. }
                | Plan::Columns { .. }
                | Plan::Via { .. }
                | Plan::Each { .. }
        );
        let mode = match self.mode {
            _ if !one => Mode::One,
            _ if !holds => Mode::Every,
            Mode::One if many => Mode::Some,
            mode => mode,
        };
        let text = Words { mode, ..self }.plan(inner);
        match (holds, one) {
            (true, true) => text,
            (true, false) => format!("some({text})"),
            (false, _) => format!("no({text})"),
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
            Column::Single(field) => format!("{}:each", self.field(*field)),
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

    /// What a column is compared with: places in json tell NULL and empty text apart.
    fn given(self, column: &Column, given: &Value) -> String {
        let strict = match column {
            Column::Of(_, inner) => matches!(**inner, Column::Path(..)),
            column => matches!(column, Column::Path(..)),
        };
        if strict && *given == Value::Null {
            return "null".to_owned();
        }
        value(given)
    }

    fn argument(self, argument: &Argument) -> String {
        match argument {
            Argument::Column(column) => self.column(column),
            Argument::Value(given) => value(given),
        }
    }
}

/// As in a rule; what is NULL is empty, where that is alike.
fn value(value: &Value) -> String {
    match value {
        Value::Null => "''".to_owned(),
        other => other.to_string(),
    }
}
