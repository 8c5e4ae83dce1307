//! Trees as indented text, for people: what a rule says, and what it means.

use std::fmt::{self, Display, Formatter};

use crate::plan::{Argument, Column, Join, Op, Origin, Plan, Quantifier, Truth, Value};
use crate::schema::{CollectionId, FieldId, Schema};
use crate::typed::{Comparison, Expr, Operand};

impl Display for Expr {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        expr(f, self, 0)
    }
}

fn expr(f: &mut Formatter<'_>, tree: &Expr, depth: usize) -> fmt::Result {
    let (head, items) = match tree {
        Expr::All(items) => ("all of", items),
        Expr::Any(items) => ("any of", items),
        Expr::Compare(comparison) => return line(f, depth, comparison),
    };
    line(f, depth, &head)?;
    items.iter().try_for_each(|item| {
        writeln!(f)?;
        expr(f, item, depth + 1)
    })
}

fn line(f: &mut Formatter<'_>, depth: usize, content: &dyn Display) -> fmt::Result {
    write!(f, "{:width$}{content}", "", width = depth * 2)
}

impl Display for Comparison {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let any = if self.any { "?" } else { "" };
        write!(f, "{} {any}{} {}", self.left, self.op.as_str(), self.right)
    }
}

impl Display for Operand {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.text, self.ty)
    }
}

impl Plan {
    /// The plan as indented text, with the names that `schema` gives to the fields of `collection`
    /// and of what it points to.
    pub fn describe(&self, schema: &dyn Schema, collection: CollectionId) -> String {
        Described {
            plan: self,
            names: Names::new(Some((schema, collection))),
            depth: 0,
        }
        .to_string()
    }
}

/// Fields as their numbers; [`Plan::describe`] knows the names.
impl Display for Plan {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        Described {
            plan: self,
            names: Names::new(None),
            depth: 0,
        }
        .fmt(f)
    }
}

/// What the numbers of fields and rows mean, as far as that is known.
#[derive(Clone, Copy)]
struct Names<'a> {
    schema: Option<&'a dyn Schema>,
    /// The collection of the row; `None` for the items of a select.
    collection: Option<CollectionId>,
    /// The collections of the rows that a [`Plan::Joined`] binds.
    rows: &'a [Option<CollectionId>],
    /// What the rows are called, before their numbers: plans with rows nest.
    letter: char,
}

impl<'a> Names<'a> {
    fn new(known: Option<(&'a dyn Schema, CollectionId)>) -> Self {
        Self {
            schema: known.map(|(schema, _)| schema),
            collection: known.map(|(_, collection)| collection),
            rows: &[],
            letter: 'r',
        }
    }

    fn field(self, field: FieldId) -> String {
        let known = self.schema.zip(self.collection);
        let known = known.and_then(|(schema, collection)| {
            let fields = schema.fields(collection);
            let found = fields.iter().find(|it| it.id == field);
            found.map(|it| it.name.to_owned())
        });
        known.unwrap_or_else(|| format!("#{}", field.0))
    }

    fn collection(self, collection: CollectionId) -> String {
        match self.schema {
            Some(schema) => schema.name(collection).to_owned(),
            None => format!("#{}", collection.0),
        }
    }

    fn row(self, number: usize) -> String {
        format!("{}{}", self.letter, number + 1)
    }

    fn column(self, column: &Column) -> String {
        match column {
            Column::Field(field) => self.field(*field),
            Column::Lower(field) => format!("{}:lower", self.field(*field)),
            Column::Length(field) => format!("{}:length", self.field(*field)),
            Column::Single(field) => format!("{}:each", self.field(*field)),
            Column::Path(field, path) => format!("{}.{}", self.field(*field), path.join(".")),
            Column::Item => "item".to_owned(),
            Column::Of(number, column) => {
                let names = self.at(self.rows.get(*number).copied().flatten());
                let row = self.row(*number);
                match column.as_ref() {
                    Column::Item => row,
                    column => format!("{row}.{}", names.column(column)),
                }
            }
            Column::Distance(arguments) => {
                let arguments: Vec<_> = arguments.iter().map(|it| self.argument(it)).collect();
                format!("geoDistance({})", arguments.join(", "))
            }
            Column::Time {
                format,
                time,
                modifiers,
            } => {
                let text = |text: &String| Value::Text(text.clone()).to_string();
                let time = time.iter().map(|it| self.argument(it));
                let arguments: Vec<_> = [text(format)]
                    .into_iter()
                    .chain(time)
                    .chain(modifiers.iter().map(text))
                    .collect();
                format!("strftime({})", arguments.join(", "))
            }
        }
    }

    fn argument(self, argument: &Argument) -> String {
        match argument {
            Argument::Column(column) => self.column(column),
            Argument::Value(value) => value.to_string(),
        }
    }

    /// What a joined row is, e.g. `r2 = every record of comments whose post is r1`.
    fn join(self, number: usize, join: &Join) -> String {
        let along = |from: &Origin, field: &FieldId| match from {
            Origin::Row => self.field(*field),
            Origin::Joined(row) => {
                let names = self.at(self.rows.get(*row).copied().flatten());
                format!("{}.{}", self.row(*row), names.field(*field))
            }
        };
        let what = match join {
            Join::One {
                from,
                field,
                target,
            } => format!("{} in {}", along(from, field), self.collection(*target)),
            Join::Many {
                from,
                field,
                target,
            } => format!(
                "each of {} in {}",
                along(from, field),
                self.collection(*target)
            ),
            Join::Items { from, field } => format!("each item of {}", along(from, field)),
            Join::Back {
                from,
                source,
                field,
            } => {
                let to = match from {
                    Origin::Row => "this record".to_owned(),
                    Origin::Joined(row) => self.row(*row),
                };
                let field = self.at(Some(*source)).field(*field);
                let source = self.collection(*source);
                format!("every record of {source} whose {field} holds {to}")
            }
            Join::Every { collection } => {
                format!("every record of {}", self.collection(*collection))
            }
            Join::Caller { collection } => {
                format!("the caller in {}", self.collection(*collection))
            }
            Join::Submitted { key, target } => {
                let target = self.collection(*target);
                format!("each of @request.body.{key} in {target}")
            }
        };
        format!("{} = {what}", self.row(number))
    }

    fn at(self, collection: Option<CollectionId>) -> Self {
        Self { collection, ..self }
    }

    /// A plan that fits one line; nothing for the others.
    fn simple(self, plan: &Plan) -> String {
        let compared = |left: &dyn Display, op: &Op, right: &dyn Display, when: &Truth| {
            // A comparison that must be true is simply written out.
            let suffix = if *when == Truth::True {
                ""
            } else {
                " is false"
            };
            format!("{left} {} {right}{suffix}", op.as_str())
        };
        match plan {
            Plan::Always => "always".to_owned(),
            Plan::Never => "never".to_owned(),
            Plan::Request {
                left,
                op,
                right,
                when,
            } => compared(left, op, right, when),
            Plan::Test {
                column,
                op,
                value,
                when,
            } => compared(&self.column(column), op, value, when),
            Plan::Within {
                value,
                op,
                column,
                when,
            } => compared(value, op, &self.column(column), when),
            Plan::Columns {
                left,
                op,
                right,
                when,
            } => compared(&self.column(left), op, &self.column(right), when),
            Plan::Empty { field, holds } => {
                format!(
                    "{} is {}empty",
                    self.field(*field),
                    if *holds { "" } else { "not " }
                )
            }
            Plan::Visible { row: None, .. } => "may be listed".to_owned(),
            Plan::Visible { row: Some(row), .. } => format!("{} may be listed", self.row(*row)),
            Plan::Readable {
                collection,
                field,
                row,
                holds,
            } => {
                let field = self.at(Some(*collection)).field(*field);
                let not = if *holds { "" } else { "not " };
                match row {
                    None => format!("{field} may {not}be read"),
                    Some(row) => format!("{}.{field} may {not}be read", self.row(*row)),
                }
            }
            Plan::All(_)
            | Plan::Any(_)
            | Plan::Via { .. }
            | Plan::Each { .. }
            | Plan::Joined { .. } => String::new(),
        }
    }
}

struct Described<'a> {
    plan: &'a Plan,
    names: Names<'a>,
    depth: usize,
}

impl Display for Described<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let names = self.names;
        match self.plan {
            Plan::All(items) => self.below(f, "all of", items, names),
            Plan::Any(items) => self.below(f, "any of", items, names),
            Plan::Via {
                field,
                target,
                inner,
                holds,
            } => {
                let (field, collection) = (names.field(*field), names.collection(*target));
                let head = format!("{} {field} in {collection} with", quantity(*holds));
                self.below(
                    f,
                    &head,
                    std::slice::from_ref(inner),
                    names.at(Some(*target)),
                )
            }
            Plan::Each {
                field,
                inner,
                holds,
            } => {
                let head = format!("{} item of {} with", quantity(*holds), names.field(*field));
                self.below(f, &head, std::slice::from_ref(inner), names)
            }
            Plan::Joined {
                joins,
                inner,
                holds,
            } => self.joined(f, joins, inner, *holds),
            simple => line(f, self.depth, &names.simple(simple)),
        }
    }
}

impl Described<'_> {
    fn joined(
        &self,
        f: &mut Formatter<'_>,
        joins: &[Join],
        inner: &Plan,
        holds: bool,
    ) -> fmt::Result {
        let rows: Vec<_> = joins.iter().map(Join::collection).collect();
        // The rows of plans further inside must not be taken for those outside.
        let outside = self.names.letter;
        let letter = if self.names.rows.is_empty() {
            outside
        } else {
            char::from_u32(u32::from(outside) + 1).unwrap_or(outside)
        };
        let here = Names {
            rows: &rows,
            letter,
            ..self.names
        };
        line(f, self.depth, &format!("{} rows with", quantity(holds)))?;
        for (number, join) in joins.iter().enumerate() {
            writeln!(f)?;
            line(f, self.depth + 1, &here.join(number, join))?;
        }
        writeln!(f)?;
        Described {
            plan: inner,
            names: here,
            depth: self.depth + 1,
        }
        .fmt(f)
    }

    fn below(
        &self,
        f: &mut Formatter<'_>,
        head: &str,
        items: &[Plan],
        names: Names<'_>,
    ) -> fmt::Result {
        line(f, self.depth, &head)?;
        items.iter().try_for_each(|plan| {
            writeln!(f)?;
            Described {
                plan,
                names,
                depth: self.depth + 1,
            }
            .fmt(f)
        })
    }
}

fn quantity(holds: bool) -> &'static str {
    if holds { "some" } else { "no" }
}

/// As it would be written in a rule.
impl Display for Value {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Value::Null => f.write_str("null"),
            Value::Bool(bool) => write!(f, "{bool}"),
            Value::Number(number) => write!(f, "{number}"),
            Value::Text(text) => quoted(f, text),
            Value::Macro(known) => f.write_str(known.as_str()),
            Value::Auth(name) => write!(f, "@request.auth.{name}"),
            Value::Body(path) => write!(f, "@request.body.{}", path.join(".")),
            Value::Query(name) => write!(f, "@request.query.{name}"),
            Value::Header(name) => write!(f, "@request.headers.{name}"),
            Value::Method => f.write_str("@request.method"),
            Value::Context => f.write_str("@request.context"),
            Value::IsSet(inner) => write!(f, "{inner}:isset"),
            Value::Length(inner) => write!(f, "{inner}:length"),
            Value::Lower(inner) => write!(f, "{inner}:lower"),
            Value::Numeric(inner) => inner.fmt(f),
            Value::Each(inner, Quantifier::Some) => write!(f, "some {inner}:each"),
            Value::Each(inner, Quantifier::All) => write!(f, "every {inner}:each"),
        }
    }
}

/// In quotes, with the escapes that the language knows.
fn quoted(f: &mut Formatter<'_>, text: &str) -> fmt::Result {
    let escaped = text.replace('\\', "\\\\").replace('\'', "\\'");
    let escaped = escaped
        .replace('\n', "\\n")
        .replace('\r', "\\r")
        .replace('\t', "\\t");
    write!(f, "'{escaped}'")
}
