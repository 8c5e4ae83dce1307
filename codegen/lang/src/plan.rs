//! The meaning of a rule, free of joins: what both the SQL form and the memory form are made from.
//!
//! A plan speaks about one row of one collection. Relations are nested plans about the rows on
//! the other side, so a plan composes as sub-selects do. Three-valued logic is gone: each node
//! is simply true or not true of a row, and negation occurs only as `holds: false` on the nodes
//! that look at sets.
//!
//! The peer's meaning, which this encodes: a path yields a set of values (an empty relation
//! yields one NULL). `?op` holds if some value gives TRUE; a plain operator on a multi-valued
//! path holds if some value gives TRUE and none gives FALSE. Comparisons on the same multi-valued
//! path, joined by `&&`, speak of the same related row.

use crate::schema::{CollectionId, FieldId};

pub use crate::simplify::Class;

/// What must hold of a row.
#[derive(Debug, Clone, PartialEq)]
pub enum Plan {
    /// Every row.
    Always,
    /// No row.
    Never,
    /// All of these.
    All(Vec<Plan>),
    /// At least one of these.
    Any(Vec<Plan>),
    /// A comparison of request values only: decided before any query.
    Request {
        /// Left operand.
        left: Value,
        /// The operator.
        op: Op,
        /// Right operand.
        right: Value,
        /// The truth value that the comparison must have.
        when: Truth,
    },
    /// This row's column against a request value: `column op value` must come out as `when`.
    Test {
        /// The column (always on the left: the planner mirrors the operator where needed).
        column: Column,
        /// The operator.
        op: Op,
        /// The value.
        value: Value,
        /// The truth value that the comparison must have.
        when: Truth,
    },
    /// `value ~ column`: the only comparison that can't be mirrored.
    Within {
        /// The text that is searched.
        value: Value,
        /// `~` or `!~`.
        op: Op,
        /// The column that holds the pattern.
        column: Column,
        /// The truth value that the comparison must have.
        when: Truth,
    },
    /// Two columns of this row.
    Columns {
        /// Left operand.
        left: Column,
        /// The operator.
        op: Op,
        /// Right operand.
        right: Column,
        /// The truth value that the comparison must have.
        when: Truth,
    },
    /// The relation `field` is empty (`holds`), or it isn't.
    Empty {
        /// A relation, single or multiple, or a multiple select.
        field: FieldId,
        /// Must it be empty, or must it not?
        holds: bool,
    },
    /// Some record that `field` points to satisfies `inner` (`holds`), or none does.
    Via {
        /// A relation, single or multiple.
        field: FieldId,
        /// The collection on the other side.
        target: CollectionId,
        /// A plan about a row of `target`.
        inner: Box<Plan>,
        /// Some, or none?
        holds: bool,
    },
    /// Some item of the multiple select `field` satisfies `inner` (whose column is
    /// [`Column::Item`]), or none does.
    Each {
        /// A multiple select.
        field: FieldId,
        /// A plan about one item.
        inner: Box<Plan>,
        /// Some, or none?
        holds: bool,
    },
    /// This row satisfies its own collection's list rule for the caller. Only in what a client
    /// asks: a filter must not tell anything about records that the client couldn't list.
    Visible {
        /// The row's collection, which has such a rule.
        collection: CollectionId,
    },
}

/// A value that belongs to the row.
#[derive(Debug, Clone, PartialEq)]
pub enum Column {
    /// The field as stored (a multiple select or relation: its JSON text).
    Field(FieldId),
    /// The field in lower case (ASCII).
    Lower(FieldId),
    /// The number of items of a select or relation.
    Length(FieldId),
    /// A place inside a json field or geoPoint, e.g. `["a", "0", "b"]`.
    Path(FieldId, Vec<String>),
    /// The item that an enclosing [`Plan::Each`] looks at.
    Item,
}

/// A value that the request or the rule's text gives.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// `null`
    Null,
    /// `true`, `false`
    Bool(bool),
    /// A number.
    Number(f64),
    /// A quoted text.
    Text(String),
    /// `@now` and the like.
    Macro(Macro),
    /// `@request.auth.NAME` (also `id`, `collectionId`, `collectionName`); NULL for guests. See
    /// [`is_auth_column`].
    Auth(String),
    /// `@request.body.NAME.PATH…`
    Body(Vec<String>),
    /// `@request.query.NAME`
    Query(String),
    /// `@request.headers.NAME`
    Header(String),
    /// `@request.method`
    Method,
    /// `@request.context`
    Context,
    /// `:isset` of a body, query or header value.
    IsSet(Box<Value>),
    /// `:length` of a body field.
    Length(Box<Value>),
    /// `:lower`
    Lower(Box<Value>),
    /// A number where the text of a query parameter, a header or the body is one: the collection
    /// has a number field of that name.
    Numeric(Box<Value>),
    /// `:each` of a body field: several values. In a comparison: some item (`Quantifier::Some`)
    /// or the peer's match-all.
    Each(Box<Value>, Quantifier),
}

/// Does this field of the caller's record compare as a column does, with its type's conversions?
/// The others compare as values that the request brings.
pub fn is_auth_column(name: &str) -> bool {
    !matches!(
        name,
        "id" | "collectionId" | "collectionName" | "email" | "emailVisibility" | "verified"
    )
}

impl Value {
    /// Can it be a column's value, for which `=` is never UNKNOWN?
    pub(crate) fn may_be_column(&self) -> bool {
        match self {
            Value::Auth(name) => is_auth_column(name),
            Value::Lower(inner) => inner.may_be_column(),
            _ => false,
        }
    }
}

/// How a multi-valued operand is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quantifier {
    /// Some value gives TRUE (`?op`).
    Some,
    /// Some value gives TRUE and none gives FALSE (plain `op`).
    All,
}

/// A comparison, without its quantifier.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Op {
    /// `=`
    Equal,
    /// `!=`
    NotEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `~`
    Like,
    /// `!~`
    NotLike,
}

impl Op {
    /// The operator that means the same with the sides exchanged; `~` has none but itself.
    pub fn mirrored(self) -> Self {
        match self {
            Self::Greater => Self::Less,
            Self::GreaterOrEqual => Self::LessOrEqual,
            Self::Less => Self::Greater,
            Self::LessOrEqual => Self::GreaterOrEqual,
            Self::Equal | Self::NotEqual | Self::Like | Self::NotLike => self,
        }
    }

    /// As it is written.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Equal => "=",
            Self::NotEqual => "!=",
            Self::Greater => ">",
            Self::GreaterOrEqual => ">=",
            Self::Less => "<",
            Self::LessOrEqual => "<=",
            Self::Like => "~",
            Self::NotLike => "!~",
        }
    }
}

/// The outcome that a comparison must have: TRUE or FALSE, and UNKNOWN is neither.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Truth {
    /// Must be TRUE.
    True,
    /// Must be FALSE.
    False,
}

/// `@now` and its kin; one instant a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Macro {
    /// `@now`
    Now,
    /// `@yesterday`
    Yesterday,
    /// `@tomorrow`
    Tomorrow,
    /// `@todayStart`
    TodayStart,
    /// `@todayEnd`
    TodayEnd,
    /// `@monthStart`
    MonthStart,
    /// `@monthEnd`
    MonthEnd,
    /// `@yearStart`
    YearStart,
    /// `@yearEnd`
    YearEnd,
    /// `@second`
    Second,
    /// `@minute`
    Minute,
    /// `@hour`
    Hour,
    /// `@day`
    Day,
    /// `@month`
    Month,
    /// `@weekday`
    Weekday,
    /// `@year`
    Year,
}

impl Macro {
    /// Every macro with its name.
    pub const NAMES: [(&'static str, Self); 16] = [
        ("@now", Self::Now),
        ("@yesterday", Self::Yesterday),
        ("@tomorrow", Self::Tomorrow),
        ("@todayStart", Self::TodayStart),
        ("@todayEnd", Self::TodayEnd),
        ("@monthStart", Self::MonthStart),
        ("@monthEnd", Self::MonthEnd),
        ("@yearStart", Self::YearStart),
        ("@yearEnd", Self::YearEnd),
        ("@second", Self::Second),
        ("@minute", Self::Minute),
        ("@hour", Self::Hour),
        ("@day", Self::Day),
        ("@month", Self::Month),
        ("@weekday", Self::Weekday),
        ("@year", Self::Year),
    ];

    /// Is it an integer, or else a date?
    pub fn is_number(self) -> bool {
        matches!(
            self,
            Self::Second
                | Self::Minute
                | Self::Hour
                | Self::Day
                | Self::Month
                | Self::Weekday
                | Self::Year
        )
    }

    /// As it is written.
    pub fn as_str(self) -> &'static str {
        Self::NAMES
            .iter()
            .find(|(_, it)| *it == self)
            .map_or("", |(name, _)| name)
    }
}
