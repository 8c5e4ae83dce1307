//! A checksum of records that doesn't depend on their order: the same records, the same sum.

use std::fmt;

use twox_hash::XxHash3_128;

use crate::collection::Record;
use crate::value::ValueRef;

/// How many records, and the sum of what is in them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Sum {
    /// How many.
    pub count: u64,
    sum: u128,
}

impl Sum {
    /// Counts a record in.
    pub fn add(&mut self, print: u128) {
        self.count = self.count.wrapping_add(1);
        self.sum = self.sum.wrapping_add(print);
    }

    /// Counts a record out.
    pub fn remove(&mut self, print: u128) {
        self.count = self.count.wrapping_sub(1);
        self.sum = self.sum.wrapping_sub(print);
    }

    /// Both together.
    #[must_use]
    pub fn with(self, other: Sum) -> Sum {
        Sum {
            count: self.count.wrapping_add(other.count),
            sum: self.sum.wrapping_add(other.sum),
        }
    }
}

impl fmt::Display for Sum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({:032x})", self.count, self.sum)
    }
}

/// What tells a record from every other one: a digest of all its fields.
pub fn print(record: &dyn Record) -> u128 {
    let mut bytes = Vec::with_capacity(512);
    for place in 0..record.meta().fields.len() {
        let (tag, text) = match record.get(place) {
            ValueRef::Null => (0, None),
            ValueRef::Text(text) => (1, Some(text)),
            ValueRef::Number(number) => {
                bytes.push(2);
                // One zero, as the table has only one.
                bytes.extend_from_slice(&(number + 0.0).to_le_bytes());
                continue;
            }
            ValueRef::Bool(value) => (3 + u8::from(value), None),
            ValueRef::List(text) => (5, Some(text)),
            ValueRef::Json(text) => (6, Some(text)),
        };
        bytes.push(tag);
        if let Some(text) = text {
            bytes.extend_from_slice(&text.len().to_le_bytes());
            bytes.extend_from_slice(text.as_bytes());
        }
    }
    XxHash3_128::oneshot(&bytes)
}
