//! Trees as indented text, for people: what a rule says, and what it means.

use std::fmt::{self, Display, Formatter};

use crate::plan::{Column, Plan, Quantifier, Truth, Value};
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
        let line = |f: &mut Formatter<'_>, content: &str| line(f, self.depth, &content);
        match self.plan {
            Plan::Always => line(f, "always"),
            Plan::Never => line(f, "never"),
            Plan::All(items) => self.below(f, "all of", items, names),
            Plan::Any(items) => self.below(f, "any of", items, names),
            Plan::Request {
                left,
                op,
                right,
                when,
            } => line(
                f,
                &format!("{left} {} {right}{}", op.as_str(), suffix(*when)),
            ),
            Plan::Test {
                column,
                op,
                value,
                when,
            } => {
                let column = names.column(column);
                line(
                    f,
                    &format!("{column} {} {value}{}", op.as_str(), suffix(*when)),
                )
            }
            Plan::Within {
                value,
                op,
                column,
                when,
            } => {
                let column = names.column(column);
                line(
                    f,
                    &format!("{value} {} {column}{}", op.as_str(), suffix(*when)),
                )
            }
            Plan::Columns {
                left,
                op,
                right,
                when,
            } => {
                let (left, right) = (names.column(left), names.column(right));
                line(
                    f,
                    &format!("{left} {} {right}{}", op.as_str(), suffix(*when)),
                )
            }
            Plan::Empty { field, holds } => {
                let not = if *holds { "" } else { "not " };
                line(f, &format!("{} is {not}empty", names.field(*field)))
            }
            Plan::Via {
                field,
                target,
                inner,
                holds,
            } => {
                let head = format!(
                    "{} {} in {} with",
                    quantity(*holds),
                    names.field(*field),
                    names.collection(*target)
                );
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

/// A comparison that must be true is simply written out.
fn suffix(when: Truth) -> &'static str {
    match when {
        Truth::True => "",
        Truth::False => " is false",
    }
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
            Value::Changed(name) => write!(f, "@request.body.{name}:changed"),
            Value::Length(inner) => write!(f, "{inner}:length"),
            Value::Lower(inner) => write!(f, "{inner}:lower"),
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
