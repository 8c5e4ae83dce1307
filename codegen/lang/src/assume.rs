//! What is left of a rule for one kind of caller: the parts of the request that such callers settle
//! are put in, and what they decide is folded away. For the access matrix and for explanations:
//! at run time the whole request is known.

use crate::condition::literal;
use crate::eval::{Affinity, Operand, Side, Source, compare};
use crate::plan::{Argument, Column, Join, Op, Origin, Plan, Truth, Value};
use crate::schema::{CollectionId, FieldId, FieldType, Schema};
use crate::simplify::constant;

/// A kind of caller that rules apply to. (To superusers none does.)
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Nobody is logged in: everything of `@request.auth` is NULL.
    Guest,
    /// Some record of this auth collection: its id isn't empty, and it has no fields of other
    /// collections.
    User(CollectionId),
}

/// What is known of a request beforehand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Assumption {
    /// Who asks.
    pub kind: Kind,
    /// `@request.method`, where only one is possible.
    pub method: Option<&'static str>,
}

impl Plan {
    /// The plan for this kind of caller, folded. It holds of the same rows as this plan does,
    /// whenever a caller of this kind asks.
    #[must_use]
    pub fn assume(&self, schema: &dyn Schema, kind: Kind) -> Plan {
        self.assume_request(schema, Assumption { kind, method: None })
    }

    /// [`Plan::assume`] with more that is known.
    #[must_use]
    pub fn assume_request(&self, schema: &dyn Schema, assumption: Assumption) -> Plan {
        let known = Known {
            schema,
            kind: assumption.kind,
            method: assumption.method,
            rows: &[],
        };
        known.plan(self).fold()
    }
}

/// A row that an enclosing [`Plan::Joined`] binds.
#[derive(Debug, Clone, Copy)]
struct Row {
    /// Never found: its columns are NULL.
    missing: bool,
    /// Its collection, unless it is an item.
    collection: Option<CollectionId>,
}

#[derive(Clone, Copy)]
struct Known<'a> {
    schema: &'a dyn Schema,
    kind: Kind,
    method: Option<&'static str>,
    rows: &'a [Row],
}

impl Known<'_> {
    fn plan(&self, plan: &Plan) -> Plan {
        match plan {
            Plan::All(items) => Plan::all(items.iter().map(|item| self.plan(item))),
            Plan::Any(items) => Plan::any(items.iter().map(|item| self.plan(item))),
            Plan::Request {
                left,
                op,
                right,
                when,
            } => self.request(left, *op, right, *when),
            Plan::Test {
                column,
                op,
                value,
                when,
            } => self.test(column, *op, value, *when),
            Plan::Within {
                value,
                op,
                column,
                when,
            } => self.within(value, *op, column, *when),
            Plan::Columns {
                left,
                op,
                right,
                when,
            } => self.columns(left, *op, right, *when),
            Plan::Via {
                field,
                target,
                inner,
                holds,
            } => Plan::Via {
                field: *field,
                target: *target,
                inner: Box::new(self.plan(inner)),
                holds: *holds,
            },
            Plan::Each {
                field,
                inner,
                holds,
            } => Plan::Each {
                field: *field,
                inner: Box::new(self.plan(inner)),
                holds: *holds,
            },
            Plan::Joined {
                joins,
                inner,
                holds,
            } => self.joined(joins, inner, *holds),
            Plan::Always
            | Plan::Never
            | Plan::Empty { .. }
            | Plan::Visible { .. }
            | Plan::Readable { .. } => plan.clone(),
        }
    }

    fn request(&self, left: &Value, op: Op, right: &Value, when: Truth) -> Plan {
        let (left, right) = (self.value(left), self.value(right));
        if let (Some(left), Some(right)) = (literal(&left), literal(&right)) {
            return decided(&left, op, &right, when);
        }
        let about_id = match (&left, &right) {
            (Value::Auth(name), other) | (other, Value::Auth(name)) => self.about(name, other, op),
            _ => None,
        };
        match about_id {
            Some(outcome) => constant(outcome == (when == Truth::True)),
            None => Plan::Request {
                left,
                op,
                right,
                when,
            },
        }
    }

    /// Whether the caller's `id` or `collectionId` equals a literal, as far as the kind of caller
    /// tells.
    fn about(&self, name: &str, value: &Value, op: Op) -> Option<bool> {
        let Kind::User(own) = self.kind else {
            return None;
        };
        let text = match value {
            Value::Null => "",
            Value::Text(text) => text.as_str(),
            _ => return None,
        };
        let equal = match name {
            "id" | "collectionId" if text.is_empty() => false,
            // A name is found in any case, an id exactly.
            "collectionId" if !text.eq_ignore_ascii_case(self.schema.name(own)) => {
                self.schema.collection(text) == Some(own)
            }
            _ => return None,
        };
        match op {
            Op::Equal => Some(equal),
            Op::NotEqual => Some(!equal),
            _ => None,
        }
    }

    fn test(&self, column: &Column, op: Op, value: &Value, when: Truth) -> Plan {
        let (column, value) = (self.column(column), self.value(value));
        if let (Some(side), Some(given)) = (self.missing(&column), literal(&value)) {
            return decided(&side, op, &given, when);
        }
        match (op, &value) {
            (Op::Equal | Op::NotEqual, Value::Null) if column == Column::Field(FieldId(0)) => {
                // Every record has an id.
                constant((op == Op::NotEqual) == (when == Truth::True))
            }
            (Op::Equal | Op::NotEqual, _) => Plan::Test {
                column,
                op,
                value,
                when,
            },
            // An order with NULL, or a likeness, is UNKNOWN.
            (_, Value::Null) => Plan::Never,
            _ => Plan::Test {
                column,
                op,
                value,
                when,
            },
        }
    }

    fn within(&self, value: &Value, op: Op, column: &Column, when: Truth) -> Plan {
        let (column, value) = (self.column(column), self.value(value));
        if value == Value::Null || self.missing(&column).is_some() {
            return Plan::Never;
        }
        Plan::Within {
            value,
            op,
            column,
            when,
        }
    }

    fn columns(&self, left: &Column, op: Op, right: &Column, when: Truth) -> Plan {
        let (left, right) = (self.column(left), self.column(right));
        match (self.missing(&left), self.missing(&right)) {
            (Some(left), Some(right)) => decided(&left, op, &right, when),
            (None, None) => Plan::Columns {
                left,
                op,
                right,
                when,
            },
            _ if matches!(op, Op::Equal | Op::NotEqual) => Plan::Columns {
                left,
                op,
                right,
                when,
            },
            _ => Plan::Never,
        }
    }

    fn joined(&self, joins: &[Join], inner: &Plan, holds: bool) -> Plan {
        let mut rows: Vec<Row> = Vec::with_capacity(joins.len());
        for join in joins {
            let from = match join.from() {
                Some(Origin::Joined(number)) => rows.get(number),
                _ => None,
            };
            let missing = match join {
                Join::Caller { collection } => self.kind != Kind::User(*collection),
                _ => from.is_some_and(|row| row.missing),
            };
            rows.push(Row {
                missing,
                collection: join.collection(),
            });
        }
        let inner = Known {
            rows: &rows,
            ..*self
        }
        .plan(inner);
        Plan::Joined {
            joins: joins.to_vec(),
            inner: Box::new(inner),
            holds,
        }
        .fold()
    }

    /// The side of a comparison that a column of a missing row is: NULL.
    fn missing(&self, column: &Column) -> Option<Side<'static>> {
        let Column::Of(number, inner) = column else {
            return None;
        };
        let row = self.rows.get(*number).filter(|row| row.missing)?;
        let source = match inner.as_ref() {
            Column::Field(field) if !self.is_json(row.collection, *field) => Source::Column,
            Column::Field(_) | Column::Path(..) => Source::Strict,
            Column::Lower(_) | Column::Item => Source::Column,
            // The length of nothing is 0; functions speak of several rows.
            _ => return None,
        };
        Some(Side {
            operand: Operand::Null,
            affinity: Affinity::None,
            source,
        })
    }

    fn is_json(&self, collection: Option<CollectionId>, field: FieldId) -> bool {
        let fields = collection.map(|id| self.schema.fields(id));
        let found = fields.iter().flatten().find(|it| it.id == field);
        found.is_none_or(|it| matches!(it.kind, FieldType::Json | FieldType::GeoPoint))
    }

    fn value(&self, value: &Value) -> Value {
        match value {
            Value::Auth(name) => self.auth(name),
            Value::Method => match self.method {
                Some(method) => Value::Text(method.to_owned()),
                None => Value::Method,
            },
            Value::Lower(inner) => match self.value(inner) {
                Value::Null => Value::Null,
                Value::Text(text) => Value::Text(text.to_ascii_lowercase()),
                other => Value::Lower(Box::new(other)),
            },
            other => other.clone(),
        }
    }

    fn auth(&self, name: &str) -> Value {
        let Kind::User(own) = self.kind else {
            return Value::Null;
        };
        match name {
            "collectionName" => Value::Text(self.schema.name(own).to_owned()),
            "collectionId" => Value::Auth(name.to_owned()),
            _ if self.schema.field(own, name).is_some() => Value::Auth(name.to_owned()),
            _ => Value::Null,
        }
    }

    /// The column with the values that its functions are given put in.
    fn column(&self, column: &Column) -> Column {
        match column {
            Column::Distance(arguments) => {
                let put = arguments.each_ref().map(|argument| self.argument(argument));
                Column::Distance(Box::new(put))
            }
            Column::Time {
                format,
                time,
                modifiers,
            } => Column::Time {
                format: format.clone(),
                time: time.as_ref().map(|time| Box::new(self.argument(time))),
                modifiers: modifiers.clone(),
            },
            other => other.clone(),
        }
    }

    fn argument(&self, argument: &Argument) -> Argument {
        match argument {
            Argument::Column(column) => Argument::Column(self.column(column)),
            Argument::Value(value) => Argument::Value(self.value(value)),
        }
    }
}

fn decided(left: &Side<'_>, op: Op, right: &Side<'_>, when: Truth) -> Plan {
    constant(compare(left, op, right) == Some(when == Truth::True))
}
