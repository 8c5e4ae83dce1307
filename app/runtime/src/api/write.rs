//! What creates and updates share: taking values over, and what the server fills in itself.

use std::collections::BTreeMap;

use super::account;
use crate::auth::guard::SUPERUSERS;
use crate::collection::Record;
use crate::error::{ApiError, FieldError};
use crate::field::{generate, modify, validate};
use crate::meta::{CollectionMeta, FieldKind, Generate};
use crate::request::RequestInfo;
use crate::value::{DateTime, Value, ValueRef};

/// The two kinds of writes, as autodates tell them apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moment {
    /// The record is new.
    Create,
    /// The record was there.
    Update,
}

/// Items that a field may be given at once. All other writes wait while they are compared with those
/// that are stored and looked up. PocketBase can look up no more either.
const MOST_ITEMS: usize = 32_766;

/// 400 with `message` if a field is given too many items, before the writer is asked.
pub fn refuse_long_lists(
    meta: &CollectionMeta,
    info: &RequestInfo,
    message: &str,
) -> Result<(), ApiError> {
    let Some(field) = modify::too_many(meta, &info.body.raw, MOST_ITEMS) else {
        return Ok(());
    };
    let what = format!("Send no more than {MOST_ITEMS} at once.");
    let error = FieldError::new("validation_too_many_values", what);
    Err(ApiError::invalid(
        message,
        [(field.to_owned(), error)].into_iter().collect(),
    ))
}

/// Puts the values into the record and before the rules; returns their fields.
pub fn take_over(
    meta: &CollectionMeta,
    info: &mut RequestInfo,
    record: &mut dyn Record,
    values: BTreeMap<usize, Value>,
) -> Vec<usize> {
    let mut given = Vec::with_capacity(values.len());
    for (place, value) in values {
        if let Some(field) = meta.field(place) {
            info.body
                .fields
                .insert(field.name.to_owned(), value.clone());
        }
        record.set(place, value);
        given.push(place);
    }
    given
}

/// Fills in what the server decides: generated texts of a new record, autodates, and that
/// superusers are always verified.
pub fn complete(record: &mut dyn Record, moment: Moment) {
    let meta = record.meta();
    let now = DateTime::now();
    for (place, field) in meta.fields.iter().enumerate() {
        match field.kind {
            FieldKind::Autodate {
                on_create,
                on_update,
            } => {
                let due = match moment {
                    Moment::Create => on_create,
                    Moment::Update => on_update,
                };
                if due {
                    record.set(place, Value::Text(now.as_str().to_owned()));
                }
            }
            FieldKind::Text { .. } if moment == Moment::Create => generate_missing(record, place),
            _ => {}
        }
    }
    if meta.name == SUPERUSERS {
        account::set(record, "verified", Value::Bool(true));
    }
}

/// Generates the text of a field that has none.
pub fn generate_missing(record: &mut dyn Record, place: usize) {
    let Some(field) = record.meta().field(place) else {
        return;
    };
    let how = validate::generation(field);
    if how != Generate::Nothing && record.get(place) == ValueRef::Text("") {
        record.set(place, Value::Text(generate::generate(how)));
    }
}
