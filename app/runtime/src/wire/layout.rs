//! How the records of one answer look, decided once for all of them, so that each is written
//! straight from its row.

use std::collections::HashMap;
use std::ops::Range;

use diesel::QueryResult;
use diesel::result::{Error as DbError, UnexpectedNullError};
use diesel::row::{Field as _, Row as _};

use super::{Key, Shape, Slot, Withheld, write_value};
use crate::meta::{FieldKind, FieldMeta};
use crate::query::picker::{Part, Picked, Picker};
use crate::sql::rows::{self, Row};
use crate::value::ValueRef;

/// What the caller may see of all records alike.
#[derive(Debug, Clone, Copy)]
pub struct Insight<'a> {
    /// Hidden fields too.
    pub hidden: bool,
    /// Addresses, although their records hide them.
    pub emails: bool,
    /// The id of the caller's own record, if it is one of the collection; its address is shown.
    pub own: Option<&'a str>,
    /// What is left out of all of them.
    pub withheld: Withheld,
}

/// The keys of an answer's records, and the columns that their values are read from.
pub struct Layout<'a> {
    steps: Vec<Step<'a>>,
    columns: Vec<usize>,
    /// Did the caller choose the keys?
    chosen: bool,
    /// The column of the id, where it is read for more than to be shown.
    id: Option<usize>,
    /// Whose address is shown; `None` if all are, or none is asked for.
    address: Option<Address<'a>>,
}

/// One key of each record.
enum Step<'a> {
    /// The same for all.
    Fixed(&'a str),
    /// The same for all, cut down as the caller wants.
    Cut(Vec<u8>),
    Field {
        /// `"name":`
        key: &'a str,
        column: usize,
        reading: Reading,
        part: Option<Part<'a>>,
        /// Left out where the address isn't shown.
        guarded: bool,
    },
}

/// The columns that say whether an address is shown.
struct Address<'a> {
    id: usize,
    visible: Option<usize>,
    own: Option<&'a str>,
}

/// How a column becomes a value.
#[derive(Debug, Clone, Copy)]
struct Reading {
    kind: Kind,
    /// What stands for NULL; where it may not be, the row is broken.
    null: Option<ValueRef<'static>>,
}

#[derive(Debug, Clone, Copy)]
enum Kind {
    Text,
    Number,
    Bool,
    List,
    Json,
    /// Nothing is shown of it.
    Secret,
}

impl<'a> Layout<'a> {
    /// What is shown of the records of a shape, as far as the picker wants it.
    pub fn new(shape: &'a Shape, insight: Insight<'a>, picker: Option<&'a Picker>) -> Self {
        let mut layout = Layout {
            steps: Vec::with_capacity(shape.keys.len()),
            columns: Vec::with_capacity(shape.keys.len()),
            chosen: picker.is_some(),
            id: None,
            address: None,
        };
        for key in &shape.keys {
            let left_out = key.hidden && !insight.hidden || insight.withheld.has(key.slot);
            let picked = picker.map_or(Picked::Whole, |picker| picker.pick(key.name));
            let part = match picked {
                Picked::Nothing => continue,
                Picked::Whole => None,
                Picked::Part(part) => Some(part),
            };
            if !left_out {
                layout.add(shape, key, part, insight);
            }
        }
        layout
    }

    fn add(&mut self, shape: &'a Shape, key: &'a Key, part: Option<Part<'a>>, of: Insight<'a>) {
        let step = match (key.slot, part) {
            (Slot::Expand, _) => return,
            (Slot::Field(place), part) => {
                let Some(field) = shape.meta.field(place) else {
                    return;
                };
                let guarded = key.guarded && !of.emails;
                if guarded {
                    let visible = shape.meta.field_index("emailVisibility");
                    self.address = Some(Address {
                        id: self.column(0),
                        visible: visible.map(|place| self.column(place)),
                        own: of.own,
                    });
                }
                Step::Field {
                    key: &key.json,
                    column: self.column(place),
                    reading: Reading::of(field),
                    part,
                    guarded,
                }
            }
            (Slot::CollectionId | Slot::CollectionName, None) => Step::Fixed(&key.whole),
            (Slot::CollectionId | Slot::CollectionName, Some(part)) => {
                let value = key.whole.strip_prefix(key.json.as_str());
                let mut cut = key.json.clone().into_bytes();
                part.rewrite(value.unwrap_or_default().as_bytes(), &mut cut);
                Step::Cut(cut)
            }
        };
        self.steps.push(step);
    }

    /// The same with the ids in the rows, whether they are shown or not.
    #[must_use]
    pub(crate) fn with_ids(mut self) -> Self {
        self.id = Some(self.column(0));
        self
    }

    /// Did the caller choose the keys?
    pub(crate) fn is_chosen(&self) -> bool {
        self.chosen
    }

    /// The column of a field, which is read once only.
    fn column(&mut self, place: usize) -> usize {
        let known = self.columns.iter().position(|known| *known == place);
        known.unwrap_or_else(|| {
            self.columns.push(place);
            self.columns.len() - 1
        })
    }

    /// The places of the fields that each row must have, in this order. At least one.
    pub fn columns(&self) -> &[usize] {
        match self.columns.as_slice() {
            [] => &[0],
            columns => columns,
        }
    }

    /// Appends the record of a row.
    ///
    /// # Errors
    /// The row doesn't fit the collection.
    pub fn write(&self, out: &mut Vec<u8>, row: &Row<'_, '_>) -> QueryResult<()> {
        let address = match &self.address {
            Some(address) => address.is_shown(row)?,
            None => true,
        };
        out.push(b'{');
        let start = out.len();
        for step in &self.steps {
            if matches!(step, Step::Field { guarded: true, .. }) && !address {
                continue;
            }
            if out.len() > start {
                out.push(b',');
            }
            match step {
                Step::Fixed(text) => out.extend_from_slice(text.as_bytes()),
                Step::Cut(text) => out.extend_from_slice(text),
                Step::Field {
                    key,
                    column,
                    reading,
                    part,
                    ..
                } => {
                    out.extend_from_slice(key.as_bytes());
                    reading.value(row, *column, |value| match part {
                        None => write_value(out, value),
                        Some(part) => {
                            let mut whole = Vec::new();
                            write_value(&mut whole, value);
                            part.rewrite(&whole, out);
                        }
                    })?;
                }
            }
        }
        out.push(b'}');
        Ok(())
    }
}

impl Address<'_> {
    fn is_shown(&self, row: &Row<'_, '_>) -> QueryResult<bool> {
        let text = Reading {
            kind: Kind::Text,
            null: None,
        };
        if let Some(own) = self.own
            && text.value(row, self.id, |id| id == ValueRef::Text(own))?
        {
            return Ok(true);
        }
        let Some(visible) = self.visible else {
            return Ok(false);
        };
        let visibility = Reading {
            kind: Kind::Bool,
            null: Some(ValueRef::Bool(false)),
        };
        visibility.value(row, visible, |value| value == ValueRef::Bool(true))
    }
}

impl Reading {
    fn of(field: &FieldMeta) -> Self {
        let many = field.kind.is_many();
        let kind = match &field.kind {
            FieldKind::Number { .. } => Kind::Number,
            FieldKind::Bool => Kind::Bool,
            FieldKind::Json { .. } | FieldKind::GeoPoint => Kind::Json,
            FieldKind::Select { .. } | FieldKind::Relation { .. } if many => Kind::List,
            FieldKind::Password { .. } => Kind::Secret,
            _ => Kind::Text,
        };
        let null = match (&field.kind, kind) {
            (FieldKind::Relation { .. }, Kind::Text) => Some(ValueRef::Text("")),
            (_, Kind::Json) if field.nullable => Some(ValueRef::Json("null")),
            _ => field.nullable.then_some(ValueRef::Null),
        };
        Reading { kind, null }
    }

    /// Hands over the value of a column, as a record would hold it.
    fn value<R>(
        self,
        row: &Row<'_, '_>,
        column: usize,
        take: impl FnOnce(ValueRef<'_>) -> R,
    ) -> QueryResult<R> {
        let field = row.get(column).ok_or(DbError::NotFound)?;
        let Some(mut value) = field.value() else {
            let broken = || DbError::DeserializationError(Box::new(UnexpectedNullError));
            return self.null.map(take).ok_or_else(broken);
        };
        Ok(match self.kind {
            Kind::Text => take(ValueRef::Text(value.read_text())),
            Kind::List => take(ValueRef::List(value.read_text())),
            Kind::Json => take(ValueRef::Json(value.read_text())),
            Kind::Number => take(ValueRef::Number(value.read_double())),
            Kind::Bool => take(ValueRef::Bool(value.read_integer() != 0)),
            Kind::Secret => take(ValueRef::Text("")),
        })
    }
}

/// Where the rows of an answer go.
pub struct Rows<'a> {
    layout: &'a Layout<'a>,
    out: &'a mut Vec<u8>,
    count: usize,
}

impl<'a> Rows<'a> {
    /// Appends to `out`, with commas in between.
    pub fn new(layout: &'a Layout<'a>, out: &'a mut Vec<u8>) -> Self {
        Rows {
            layout,
            out,
            count: 0,
        }
    }

    /// How many there were.
    pub fn count(&self) -> usize {
        self.count
    }

    /// How they look.
    pub(crate) fn layout(&self) -> &'a Layout<'a> {
        self.layout
    }

    /// Appends one.
    pub(crate) fn add(&mut self, row: &Row<'_, '_>) -> QueryResult<()> {
        if self.count > 0 {
            self.out.push(b',');
        }
        self.count += 1;
        self.layout.write(self.out, row)
    }
}

/// Records that were written once, to be copied wherever they belong.
pub struct Texts<'a> {
    layout: &'a Layout<'a>,
    written: Written,
}

/// The text of records, by their ids.
#[derive(Default)]
pub struct Written {
    text: Vec<u8>,
    places: HashMap<String, Range<usize>>,
}

impl<'a> Texts<'a> {
    /// For records of this look, whose rows have ids.
    pub(crate) fn new(layout: &'a Layout<'a>) -> Self {
        Texts {
            layout,
            written: Written::default(),
        }
    }

    /// How they look.
    pub(crate) fn layout(&self) -> &'a Layout<'a> {
        self.layout
    }

    /// Adds one.
    pub(crate) fn add(&mut self, row: &Row<'_, '_>) -> QueryResult<()> {
        let start = self.written.text.len();
        self.layout.write(&mut self.written.text, row)?;
        let place = start..self.written.text.len();
        let id = self.layout.id.map(|column| rows::text(row, column));
        let id = id.ok_or(DbError::NotFound)?;
        self.written.places.insert(id, place);
        Ok(())
    }

    /// All of them.
    pub(crate) fn finish(self) -> Written {
        self.written
    }
}

impl Written {
    /// The record with this id.
    pub(crate) fn find(&self, id: &str) -> Option<&[u8]> {
        self.text.get(self.places.get(id)?.clone())
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.places.len()
    }
}
