//! Trees as indented text, for people: what a rule says, and what it means.

use std::fmt::{self, Display, Formatter};

use crate::plan::{Column, Op, Plan, Quantifier, Truth, Value};
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
            names: Names(Some((schema, collection))),
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
            names: Names(None),
            depth: 0,
        }
        .fmt(f)
    }
}

/// Whose fields the numbers mean, if that is known.
#[derive(Clone, Copy)]
struct Names<'a>(Option<(&'a dyn Schema, CollectionId)>);

impl Names<'_> {
    fn field(self, field: FieldId) -> String {
        let known = self.0.and_then(|(schema, collection)| {
            let fields = schema.fields(collection);
            fields
                .iter()
                .find(|it| it.id == field)
                .map(|it| it.name.to_owned())
        });
        known.unwrap_or_else(|| format!("#{}", field.0))
    }

    fn collection(self, collection: CollectionId) -> String {
        match self.0 {
            Some((schema, _)) => schema.name(collection).to_owned(),
            None => format!("#{}", collection.0),
        }
    }

    fn column(self, column: &Column) -> String {
        match column {
            Column::Field(field) => self.field(*field),
            Column::Lower(field) => format!("{}:lower", self.field(*field)),
            Column::Length(field) => format!("{}:length", self.field(*field)),
            Column::Path(field, path) => format!("{}.{}", self.field(*field), path.join(".")),
            Column::Item => "item".to_owned(),
            Column::Of(row, column) => format!("row {row} . {}", Names(None).column(column)),
            Column::Distance(_) => "geoDistance(…)".to_owned(),
            Column::Time { format, .. } => format!("strftime('{format}', …)"),
        }
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
            Plan::Visible { .. } => "may be listed".to_owned(),
            Plan::Readable { field, .. } => format!("{} may be read", self.field(*field)),
            Plan::All(_)
            | Plan::Any(_)
            | Plan::Via { .. }
            | Plan::Each { .. }
            | Plan::Joined { .. } => String::new(),
        }
    }

    fn of(self, collection: CollectionId) -> Self {
        Self(self.0.map(|(schema, _)| (schema, collection)))
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
                self.below(f, &head, std::slice::from_ref(inner), names.of(*target))
            }
            Plan::Each {
                field,
                inner,
                holds,
            } => {
                let head = format!("{} item of {} with", quantity(*holds), names.field(*field));
                self.below(f, &head, std::slice::from_ref(inner), names)
            }
            Plan::Joined { inner, holds, .. } => {
                let head = format!("{} choice of rows with", quantity(*holds));
                self.below(f, &head, std::slice::from_ref(inner), names)
            }
            simple => line(f, self.depth, &names.simple(simple)),
        }
    }
}

impl Described<'_> {
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
