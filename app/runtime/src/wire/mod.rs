//! How records and answers look as JSON: keys in byte order, numbers as the peer writes them,
//! hidden fields and guarded addresses left out.

pub mod layout;
pub mod number;
mod text;

pub use self::text::write as write_text;

use serde_json::Value as JsonValue;

use crate::collection::Record;
use crate::meta::{CollectionMeta, FieldKind};
use crate::query::picker::{Picked, Picker};
use crate::value::ValueRef;

/// What stands under a key of a record.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Slot {
    Field(usize),
    CollectionId,
    CollectionName,
    Expand,
}

/// The keys of a collection's records, in byte order, each with its JSON spelling.
pub struct Shape {
    meta: &'static CollectionMeta,
    keys: Vec<Key>,
}

struct Key {
    name: &'static str,
    /// `"name":`
    json: String,
    /// The same with the value, where that is the same for all records.
    whole: String,
    slot: Slot,
    hidden: bool,
    guarded: bool,
}

/// Appends the value of a key.
pub type Writer<'a> = &'a dyn Fn(&mut Vec<u8>);

/// What the caller may see of a record.
#[derive(Debug, Clone, Copy)]
pub struct Sight {
    /// Hidden fields too.
    pub hidden: bool,
    /// The address, although the record hides it.
    pub email: bool,
    /// What is left out.
    pub withheld: Withheld,
}

/// The fields that their own rules keep from the caller, by their places.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Withheld(u128);

impl Withheld {
    /// Adds a field.
    pub fn add(&mut self, field: usize) {
        self.0 |= bit(field);
    }

    /// Is this field one of them?
    pub fn contains(self, field: usize) -> bool {
        self.0 & bit(field) != 0
    }

    fn has(self, slot: Slot) -> bool {
        match slot {
            Slot::Field(field) => self.contains(field),
            Slot::CollectionId | Slot::CollectionName | Slot::Expand => false,
        }
    }
}

/// No table is so wide that fields would share a bit; if one were, it would show too little.
fn bit(field: usize) -> u128 {
    1 << (field % 128)
}

impl Shape {
    /// The shape of a collection's records.
    pub fn of(meta: &'static CollectionMeta) -> Self {
        let mut keys: Vec<Key> = Vec::with_capacity(meta.fields.len() + 3);
        for (place, field) in meta.fields.iter().enumerate() {
            // Nobody ever sees the secrets of an auth collection.
            if meta.auth.is_some() && matches!(field.name, "password" | "tokenKey") {
                continue;
            }
            let guarded = meta.auth.is_some() && field.name == "email";
            keys.push(Key::new(
                field.name,
                Slot::Field(place),
                field.hidden,
                guarded,
            ));
        }
        keys.push(Key::fixed("collectionId", Slot::CollectionId, meta.id));
        keys.push(Key::fixed(
            "collectionName",
            Slot::CollectionName,
            meta.name,
        ));
        keys.push(Key::new("expand", Slot::Expand, false, false));
        keys.sort_by_key(|key| key.name);
        Shape { meta, keys }
    }

    /// Appends a record. `expand` writes the value of that key; `None` leaves the key out.
    pub fn write(
        &self,
        out: &mut Vec<u8>,
        record: &dyn Record,
        sight: Sight,
        expand: Option<Writer<'_>>,
        picker: Option<&Picker>,
    ) {
        out.push(b'{');
        let start = out.len();
        let show_email = sight.email || self.shows_email(record);
        for key in &self.keys {
            let left_out = key.hidden && !sight.hidden
                || key.guarded && !show_email
                || sight.withheld.has(key.slot)
                || key.slot == Slot::Expand && expand.is_none();
            let picked = picker.map_or(Picked::Whole, |picker| picker.pick(key.name));
            if left_out || matches!(picked, Picked::Nothing) {
                continue;
            }
            if out.len() > start {
                out.push(b',');
            }
            out.extend_from_slice(key.json.as_bytes());
            match picked {
                // What is expanded is picked from when it is read.
                Picked::Part(inner) if key.slot != Slot::Expand => {
                    let mut whole = Vec::new();
                    self.write_slot(&mut whole, record, key.slot, expand);
                    inner.rewrite(&whole, out);
                }
                _ => self.write_slot(out, record, key.slot, expand),
            }
        }
        out.push(b'}');
    }

    /// Does an account show its address to everyone?
    pub fn shows_email(&self, record: &dyn Record) -> bool {
        let visible = self.meta.field_index("emailVisibility");
        visible.is_some_and(|field| record.get(field) == ValueRef::Bool(true))
    }

    fn write_slot(
        &self,
        out: &mut Vec<u8>,
        record: &dyn Record,
        slot: Slot,
        expand: Option<Writer<'_>>,
    ) {
        match slot {
            Slot::Field(field) => write_field(out, self.meta, field, record.get(field)),
            Slot::CollectionId => write_text(out, self.meta.id),
            Slot::CollectionName => write_text(out, self.meta.name),
            Slot::Expand => {
                if let Some(expand) = expand {
                    expand(out);
                }
            }
        }
    }
}

impl Key {
    fn fixed(name: &'static str, slot: Slot, value: &str) -> Self {
        let mut key = Key::new(name, slot, false, false);
        key.whole = format!("{}{}", key.json, json_text(&value.into()));
        key
    }

    fn new(name: &'static str, slot: Slot, hidden: bool, guarded: bool) -> Self {
        let mut json = Vec::new();
        write_text(&mut json, name);
        json.push(b':');
        let json = String::from_utf8_lossy(&json).into_owned();
        Key {
            name,
            whole: String::new(),
            json,
            slot,
            hidden,
            guarded,
        }
    }
}

fn write_field(out: &mut Vec<u8>, meta: &CollectionMeta, field: usize, value: ValueRef<'_>) {
    let kind = meta.field(field).map(|field| &field.kind);
    if matches!(kind, Some(FieldKind::Password { .. })) {
        return out.extend_from_slice(b"\"\"");
    }
    write_value(out, value);
}

/// Appends a field's value.
fn write_value(out: &mut Vec<u8>, value: ValueRef<'_>) {
    match value {
        ValueRef::Null => out.extend_from_slice(b"null"),
        ValueRef::Text(text) => write_text(out, text),
        ValueRef::Number(number) => number::write(out, number),
        ValueRef::Bool(value) => out.extend_from_slice(if value { b"true" } else { b"false" }),
        ValueRef::List(json) | ValueRef::Json(json) => out.extend_from_slice(json.as_bytes()),
    }
}

/// Appends any JSON value, compact, with numbers as the peer writes them.
pub fn write_json(out: &mut Vec<u8>, value: &JsonValue) {
    match value {
        JsonValue::Null => out.extend_from_slice(b"null"),
        JsonValue::Bool(true) => out.extend_from_slice(b"true"),
        JsonValue::Bool(false) => out.extend_from_slice(b"false"),
        JsonValue::Number(number) => number::write(out, number.as_f64().unwrap_or_default()),
        JsonValue::String(text) => write_text(out, text),
        JsonValue::Array(items) => {
            out.push(b'[');
            for (place, item) in items.iter().enumerate() {
                if place > 0 {
                    out.push(b',');
                }
                write_json(out, item);
            }
            out.push(b']');
        }
        JsonValue::Object(entries) => {
            out.push(b'{');
            for (place, (key, item)) in entries.iter().enumerate() {
                if place > 0 {
                    out.push(b',');
                }
                write_text(out, key);
                out.push(b':');
                write_json(out, item);
            }
            out.push(b'}');
        }
    }
}

/// Any JSON value as compact text.
pub fn json_text(value: &JsonValue) -> String {
    let mut out = Vec::new();
    write_json(&mut out, value);
    String::from_utf8(out).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_compact_and_sorted() {
        let value: JsonValue =
            serde_json::json!({"b": 1.0, "a": [1e21, null, true, "<&\u{2028}\u{1}\n"], "B": {}});
        assert_eq!(
            json_text(&value),
            "{\"B\":{},\"a\":[1e+21,null,true,\"<&\u{2028}\\u0001\\n\"],\"b\":1}"
        );
    }
}
