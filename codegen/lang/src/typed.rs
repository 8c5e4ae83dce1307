//! The checked form of a rule: every name resolved, every operand with its type.

use std::fmt;

use crate::plan::{Column, Op, Value};
use crate::schema::{CollectionId, FieldId, FieldType};
use crate::span::Span;

/// An expression.
#[derive(Debug, Clone, PartialEq)]
pub enum Expr {
    /// Joined by `&&`.
    All(Vec<Expr>),
    /// Joined by `||`.
    Any(Vec<Expr>),
    /// One comparison.
    Compare(Box<Comparison>),
}

/// `left op right`
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// Left operand.
    pub left: Operand,
    /// The operator.
    pub op: Op,
    /// Does one value suffice (`?op`)?
    pub any: bool,
    /// Right operand.
    pub right: Operand,
    /// From the left operand to the right one.
    pub span: Span,
}

/// One side of a comparison.
#[derive(Debug, Clone, PartialEq)]
pub struct Operand {
    /// What it is.
    pub node: Node,
    /// What it holds.
    pub ty: Type,
    /// As it was written.
    pub text: String,
    /// Where it was written.
    pub span: Span,
}

/// What an operand is.
#[derive(Debug, Clone, PartialEq)]
pub enum Node {
    /// A literal, a macro or a part of the request.
    Value(Value),
    /// A value of the row, or of rows that a way from it or from elsewhere finds.
    Path(Path),
    /// `:changed`: was the body field sent, and is it another value than the row's own field?
    Changed {
        /// The field of the row.
        field: Path,
        /// The field of the body.
        sent: Value,
    },
    /// A way from the caller's record, which may be of any of these collections. A caller of none
    /// of them, and a guest, has the literal NULL here.
    Caller(Vec<CallerPath>),
    /// A way from the records whose ids the body holds, where it matters that it is the literal NULL
    /// if there is no id. Its root is [`Root::Submitted`].
    Submitted(Path),
    /// A function.
    Call(Call),
}

/// A way from the caller's record, if that is of the collection with the name.
#[derive(Debug, Clone, PartialEq)]
pub struct CallerPath {
    /// The auth collection's name.
    pub collection: String,
    /// The way; its root is [`Root::Caller`]. `None` where a field that is no relation is in the
    /// way: for such callers no comparison holds.
    pub path: Option<Path>,
}

/// A function with its arguments.
#[derive(Debug, Clone, PartialEq)]
pub enum Call {
    /// `geoDistance(lonA, latA, lonB, latB)`
    Distance(Box<[Node; 4]>),
    /// `strftime(format, time, modifiers…)`
    Time {
        /// The format.
        format: String,
        /// The time; now, where there is none.
        time: Option<Box<Node>>,
        /// The modifiers.
        modifiers: Vec<String>,
    },
}

impl Call {
    /// The arguments that are looked up: values and paths.
    pub fn arguments(&self) -> &[Node] {
        match self {
            Self::Distance(nodes) => nodes.as_slice(),
            Self::Time { time, .. } => time.as_deref().map_or(&[], std::slice::from_ref),
        }
    }
}

/// A way to a value.
#[derive(Debug, Clone, PartialEq)]
pub struct Path {
    /// Where it begins.
    pub root: Root,
    /// The relations on the way.
    pub hops: Vec<Hop>,
    /// The value, of the row where the hops end.
    pub column: Column,
    /// Does NULL equal only NULL here (json fields, places in json and geoPoint fields)?
    pub strict: bool,
    /// What must hold of the rows on the way, lest a comparison tell what the caller can't see.
    pub guards: Vec<Guard>,
    /// After how many hops a row stands whose list rule the caller must satisfy (clients only).
    pub ruled: Vec<usize>,
}

/// Where a path begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Root {
    /// At the row.
    Row,
    /// At every record of a collection: `@collection.NAME:ALIAS`.
    Every {
        /// The collection.
        collection: CollectionId,
        /// What distinguishes two independent looks at one collection; mostly empty.
        alias: String,
    },
    /// At the caller's record, if it is of this auth collection.
    Caller(CollectionId),
    /// At the records whose ids a relation field of the body holds.
    Submitted {
        /// The key of the body.
        key: String,
        /// Where the relation points.
        target: CollectionId,
        /// Can it hold several ids?
        multi: bool,
    },
}

impl Root {
    /// Can it be several rows?
    pub fn is_multi(&self) -> bool {
        match self {
            Self::Row | Self::Caller(_) => false,
            Self::Every { .. } => true,
            Self::Submitted { multi, .. } => *multi,
        }
    }
}

/// What must hold of a row on the way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Guard {
    /// Of the row after so many hops.
    pub after: usize,
    /// What.
    pub what: Guarded,
}

/// What a [`Guard`] asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Guarded {
    /// This field is true: `emailVisibility`, for an email.
    True(FieldId),
    /// The caller may read the field, by the field's own rule.
    Readable {
        /// The row's collection.
        collection: CollectionId,
        /// The field.
        field: FieldId,
    },
}

impl Path {
    /// Can it yield several values for one row?
    pub fn is_multi(&self) -> bool {
        self.root.is_multi() || self.hops.iter().any(|hop| hop.is_multi())
    }

    /// Does it make a difference whether the row where it begins is missing, or the whole operand is
    /// the literal NULL?
    pub(crate) fn tells_missing(&self) -> bool {
        self.strict || matches!(self.column, Column::Length(_))
    }

    /// The guards of the relations among the first hops. What leads back has none: records that
    /// can't be seen to point here aren't found.
    pub(crate) fn links(&self, hops: usize) -> Vec<Guard> {
        let is_link = |guard: &&Guard| {
            let hop = self.hops.get(guard.after).filter(|_| guard.after < hops);
            hop.is_some_and(|hop| {
                let follows =
                    matches!(guard.what, Guarded::Readable { field, .. } if field == hop.field);
                follows && hop.is_forward()
            })
        };
        self.guards.iter().filter(is_link).copied().collect()
    }

    /// The ways to the rows that the caller must be allowed to list, with their collections.
    pub(crate) fn ruled(&self) -> impl Iterator<Item = (&[Hop], CollectionId)> {
        self.ruled.iter().filter_map(|length| {
            let hops = self.hops.get(..*length)?;
            match hops.last()?.step {
                Step::One(to) | Step::Many(to) | Step::Back { source: to, .. } => Some((hops, to)),
                Step::Items => None,
            }
        })
    }
}

/// One step of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hop {
    /// The field that is followed: of the row before, or with [`Step::Back`] of the row behind.
    pub field: FieldId,
    /// To what.
    pub step: Step,
}

impl Hop {
    /// Can it yield several values for one row?
    pub fn is_multi(&self) -> bool {
        !matches!(self.step, Step::One(_) | Step::Back { unique: true, .. })
    }

    /// Does it go along a field of the row before?
    pub(crate) fn is_forward(&self) -> bool {
        !matches!(self.step, Step::Back { .. })
    }
}

/// Where a step leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// To the record that a single relation points to.
    One(CollectionId),
    /// To the records that a multiple relation points to.
    Many(CollectionId),
    /// To the items of a multiple select.
    Items,
    /// To the records of `source` whose relation points here.
    Back {
        /// The collection whose records point.
        source: CollectionId,
        /// Can only one of them point to each record?
        unique: bool,
        /// Is it a multiple relation, which is kept in a table of its own?
        linked: bool,
    },
}

/// What an operand holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Type {
    /// The literal `null`.
    Null,
    /// True or false.
    Bool,
    /// A number.
    Number,
    /// Text.
    Text,
    /// A date as text.
    Date,
    /// Anything that JSON can hold.
    Json,
    /// One value of a select.
    Choice,
    /// Several values of a select, as JSON text.
    Choices,
    /// A record's id.
    Record,
    /// Several ids, as JSON text.
    Records,
    /// Not known before the request.
    Unknown,
}

impl From<FieldType> for Type {
    fn from(kind: FieldType) -> Self {
        match kind {
            FieldType::Text => Self::Text,
            FieldType::Number => Self::Number,
            FieldType::Bool => Self::Bool,
            FieldType::Date => Self::Date,
            FieldType::Json | FieldType::GeoPoint => Self::Json,
            FieldType::Choices => Self::Choices,
            FieldType::Choice => Self::Choice,
            FieldType::One(_) => Self::Record,
            FieldType::Many(_) => Self::Records,
        }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Null => "null",
            Self::Bool => "bool",
            Self::Number => "number",
            Self::Text => "text",
            Self::Date => "date",
            Self::Json => "json",
            Self::Choice => "choice",
            Self::Choices => "choices",
            Self::Record => "record",
            Self::Records => "records",
            Self::Unknown => "unknown",
        })
    }
}
