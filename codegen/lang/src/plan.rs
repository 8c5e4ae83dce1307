//! The meaning of a rule: what both the SQL form and the memory form are made from.
//!
//! A plan speaks about one row of one collection. Where that can be said, relations are nested plans
//! about the rows on the other side, so a plan composes as sub-selects do; all else that looks at
//! other rows is [`Plan::Joined`], whose rows are bound together. Three-valued logic is gone: each
//! node is simply true or not true of a row, and negation occurs only as `holds: false` on the nodes
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
    /// The row satisfies its own collection's list rule for the caller. Only in what a client
    /// asks: a filter must not tell anything about records that the client couldn't list.
    Visible {
        /// The row's collection, which has such a rule.
        collection: CollectionId,
        /// Which row: one that an enclosing [`Plan::Joined`] binds, or else this row. A joined row
        /// that is missing is visible: it tells nothing.
        row: Option<usize>,
    },
    /// The caller may read `field` of the row by the field's own `read` rule (`holds`), or may not.
    /// Only in what a client asks.
    Readable {
        /// The row's collection.
        collection: CollectionId,
        /// A field with such a rule.
        field: FieldId,
        /// Which row, as in [`Plan::Visible`]; of a row that is missing, everything is readable.
        row: Option<usize>,
        /// May the caller, or not?
        holds: bool,
    },
    /// Some choice of rows, one for each of `joins`, satisfies `inner` (`holds`), or none does. A
    /// join that finds no row gives one whose columns are all NULL. This says what nested
    /// conditions can't: it compares values of different records, and follows what leads neither
    /// forward nor from this row. It stands only where the row is the one the rule is about.
    Joined {
        /// Each may begin at the row or at one of the joins before it. Never empty.
        joins: Vec<Join>,
        /// Made of comparisons, [`Plan::Request`], [`Plan::Visible`], [`Plan::Readable`],
        /// [`Plan::All`] and [`Plan::Any`], with columns of the joined rows as [`Column::Of`].
        ///
        /// Where a comparison of every value stands below `||`, its part that no choice of rows
        /// touches is in here too: [`Plan::Joined`], [`Plan::Via`], [`Plan::Each`] or
        /// [`Plan::Empty`] that speak of the row itself, as all columns that are no
        /// [`Column::Of`] do. So these plans nest; the numbers of an inner [`Plan::Joined`] mean
        /// its own joins, never those of the outer one.
        inner: Box<Plan>,
        /// Some, or none?
        holds: bool,
    },
}

/// How [`Plan::Joined`] finds one of its rows.
#[derive(Debug, Clone, PartialEq)]
pub enum Join {
    /// The record that the single relation `field` of `from` points to.
    One {
        /// The row that has the field.
        from: Origin,
        /// A single relation.
        field: FieldId,
        /// Where it points.
        target: CollectionId,
    },
    /// The records that the multiple relation `field` of `from` points to.
    Many {
        /// The row that has the field.
        from: Origin,
        /// A multiple relation.
        field: FieldId,
        /// Where it points.
        target: CollectionId,
    },
    /// The items of the multiple select `field` of `from`: [`Column::Item`] is their column.
    Items {
        /// The row that has the field.
        from: Origin,
        /// A multiple select.
        field: FieldId,
    },
    /// The records of `source` whose relation `field` points to `from`.
    Back {
        /// The row that is pointed to.
        from: Origin,
        /// The collection whose records point.
        source: CollectionId,
        /// A relation of `source`, single or multiple.
        field: FieldId,
    },
    /// All records of a collection (`@collection`).
    Every {
        /// The collection.
        collection: CollectionId,
    },
    /// The caller's own record, if it is of this auth collection.
    Caller {
        /// The auth collection.
        collection: CollectionId,
    },
    /// The records whose ids a relation field of the request's body holds.
    Submitted {
        /// The key of the body.
        key: String,
        /// Where the relation points.
        target: CollectionId,
    },
}

/// Where a [`Join`] begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// The row that the plan is about.
    Row,
    /// The row of an earlier join, by number.
    Joined(usize),
}

impl Join {
    /// The collection of the row that it finds; `None` for the items of a select.
    pub fn collection(&self) -> Option<CollectionId> {
        match self {
            Join::One { target, .. }
            | Join::Many { target, .. }
            | Join::Submitted { target, .. } => Some(*target),
            Join::Back { source, .. } => Some(*source),
            Join::Every { collection } | Join::Caller { collection } => Some(*collection),
            Join::Items { .. } => None,
        }
    }

    /// Where it begins, unless that is nowhere.
    pub fn from(&self) -> Option<Origin> {
        match self {
            Join::One { from, .. }
            | Join::Many { from, .. }
            | Join::Items { from, .. }
            | Join::Back { from, .. } => Some(*from),
            Join::Every { .. } | Join::Caller { .. } | Join::Submitted { .. } => None,
        }
    }

    pub(crate) fn origin_mut(&mut self) -> Option<&mut Origin> {
        match self {
            Join::One { from, .. }
            | Join::Many { from, .. }
            | Join::Items { from, .. }
            | Join::Back { from, .. } => Some(from),
            Join::Every { .. } | Join::Caller { .. } | Join::Submitted { .. } => None,
        }
    }
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
    /// A single select or relation as `:each` gives it: one value, without the column's type.
    Single(FieldId),
    /// A place inside a json field or geoPoint, e.g. `["a", "0", "b"]`.
    Path(FieldId, Vec<String>),
    /// The item that an enclosing [`Plan::Each`] looks at.
    Item,
    /// A value of the row that an enclosing [`Plan::Joined`] binds with this number.
    Of(usize, Box<Column>),
    /// `geoDistance(lonA, latA, lonB, latB)` in km; compared with `IS`.
    Distance(Box<[Argument; 4]>),
    /// `strftime(format, time, modifiers…)` as SQLite has it; NULL equals the empty text.
    Time {
        /// The format.
        format: String,
        /// The time; now, where there is none.
        time: Option<Box<Argument>>,
        /// The modifiers.
        modifiers: Vec<String>,
    },
}

/// What a function is applied to.
#[derive(Debug, Clone, PartialEq)]
pub enum Argument {
    /// A value of the row, or of a joined one.
    Column(Column),
    /// A value of the request or of the rule's text.
    Value(Value),
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
