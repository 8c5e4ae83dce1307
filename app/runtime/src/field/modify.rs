//! Body keys such as `votes+` and `tags-`: what a body makes of a record's fields.

use std::collections::{BTreeMap, HashSet};

use serde_json::Value as JsonValue;

use super::{cast, generate};
use crate::body::Object;
use crate::collection::Record;
use crate::meta::{CollectionMeta, FieldKind, FieldMeta, Generate};
use crate::value::{Value, ValueRef};

/// What a key does to its field, in the order in which several keys of one field are applied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Change {
    Set,
    Append,
    Prepend,
    Remove,
    Autogenerate,
}

/// The keys that speak of a field, besides its name.
fn modifiers(name: &str) -> [(String, Change); 4] {
    [
        (format!("{name}+"), Change::Append),
        (format!("+{name}"), Change::Prepend),
        (format!("{name}-"), Change::Remove),
        (format!("{name}:autogenerate"), Change::Autogenerate),
    ]
}

/// Are there modifiers in a body? Most have none, and then names are all that is looked for.
fn any_modifiers(body: &Object) -> bool {
    body.keys().any(|key| key.contains(['+', '-', ':']))
}

/// What a body says of a field, in order.
fn spoken<'b>(
    body: &'b Object,
    name: &str,
    modified: bool,
) -> impl Iterator<Item = (Change, &'b JsonValue)> {
    let set = body.get(name).map(|sent| (Change::Set, sent));
    let others = modified.then(|| modifiers(name)).into_iter().flatten();
    let others = others.filter_map(|(key, change)| Some((change, body.get(&key)?)));
    set.into_iter().chain(others)
}

/// Takes every key out that speaks of a field.
pub fn remove_keys(body: &mut Object, name: &str) {
    body.remove(name);
    if any_modifiers(body) {
        for (key, _) in modifiers(name) {
            body.remove(&key);
        }
    }
}

/// Does the body give a value to a field?
pub fn gives(body: &Object, name: &str) -> bool {
    spoken(body, name, any_modifiers(body)).any(|(_, value)| !value.is_null())
}

/// Does the body change a field by what is stored?
pub fn builds_on_stored(body: &Object, name: &str) -> bool {
    let builds = |change| matches!(change, Change::Append | Change::Prepend | Change::Remove);
    spoken(body, name, any_modifiers(body)).any(|(change, _)| builds(change))
}

/// The first field of choices or relations that a body gives more than `most` items at once.
pub fn too_many(meta: &CollectionMeta, body: &Object, most: usize) -> Option<&'static str> {
    let modified = any_modifiers(body);
    let is_long = |sent: &JsonValue| match sent {
        JsonValue::Array(items) => items.len() > most,
        // A list as text, as forms send it, has a comma for each item but one.
        JsonValue::String(text) if text.len() > most => text.matches(',').count() >= most,
        _ => false,
    };
    let lists = meta.fields.iter().filter(|field| {
        matches!(
            field.kind,
            FieldKind::Select { .. } | FieldKind::Relation { .. }
        )
    });
    let mut long = lists.filter(|field| {
        let mut spoken = spoken(body, field.name, modified);
        spoken.any(|(_, sent)| is_long(sent))
    });
    long.next().map(|field| field.name)
}

/// The new values of the fields that a body speaks of, by place; `stored` is what modifiers start
/// from. Autodates can't be given.
pub fn resolve(
    meta: &CollectionMeta,
    body: &Object,
    stored: &dyn Record,
) -> BTreeMap<usize, Value> {
    let modified = any_modifiers(body);
    let mut values = BTreeMap::new();
    for (place, field) in meta.fields.iter().enumerate() {
        if matches!(field.kind, FieldKind::Autodate { .. }) {
            continue;
        }
        let mut current = None;
        for (change, sent) in spoken(body, field.name, modified) {
            let base = || {
                current
                    .clone()
                    .unwrap_or_else(|| owned(&field.kind, stored.get(place)))
            };
            if let Some(value) = apply(field, change, base, sent) {
                current = Some(value);
            }
        }
        if let Some(value) = current {
            values.insert(place, value);
        }
    }
    values
}

/// One change; `None` where the field's type doesn't know it.
fn apply(
    field: &FieldMeta,
    change: Change,
    base: impl Fn() -> Value,
    sent: &JsonValue,
) -> Option<Value> {
    match (&field.kind, change) {
        (_, Change::Set) => Some(cast::cast(field, sent)),
        (FieldKind::Number { .. }, Change::Append | Change::Remove) => {
            let base = match base() {
                Value::Number(number) => number,
                _ => 0.0,
            };
            let sent = cast::to_number(sent);
            Some(Value::Number(if change == Change::Append {
                base + sent
            } else {
                base - sent
            }))
        }
        (FieldKind::Text { generate: how, .. }, Change::Autogenerate) => {
            let made = match how {
                Generate::Pattern(_) => generate::generate(*how),
                Generate::Nothing | Generate::UuidV7 => String::new(),
            };
            Some(Value::Text(cast::text(sent) + &made))
        }
        (FieldKind::Select { .. } | FieldKind::Relation { .. }, change) => {
            let kept = match base() {
                Value::List(items) => items,
                Value::Text(item) if !item.is_empty() => vec![item],
                _ => Vec::new(),
            };
            let sent = cast::items(sent);
            let items = match change {
                Change::Append => [kept, sent].concat(),
                Change::Prepend => [sent, kept].concat(),
                Change::Remove => {
                    let sent: HashSet<String> = sent.into_iter().collect();
                    let stays = |item: &String| !sent.contains(item);
                    kept.into_iter().filter(stays).collect()
                }
                Change::Set | Change::Autogenerate => return None,
            };
            Some(cast::from_items(&field.kind, cast::unique(items)))
        }
        _ => None,
    }
}

/// A stored value, owned.
pub fn owned(kind: &FieldKind, value: ValueRef<'_>) -> Value {
    match value {
        ValueRef::Null => cast::zero(kind),
        ValueRef::Text(text) => Value::Text(text.to_owned()),
        ValueRef::Number(number) => Value::Number(number),
        ValueRef::Bool(value) => Value::Bool(value),
        ValueRef::List(_) => Value::List(value.items()),
        ValueRef::Json(json) => Value::Json(json.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn field(kind: FieldKind) -> FieldMeta {
        FieldMeta {
            name: "f",
            kind,
            hidden: false,
            required: false,
            present: false,
            nullable: false,
            default: None,
            dictionary: false,
        }
    }

    fn select(max_select: u64) -> FieldMeta {
        field(FieldKind::Select {
            values: &[],
            max_select,
        })
    }

    fn list(items: &[&str]) -> Value {
        Value::List(items.iter().map(|&item| item.to_owned()).collect())
    }

    #[test]
    fn lists() {
        let many = select(5);
        for (change, sent, expected) in [
            (Change::Append, json!(["b", "c"]), list(&["a", "b", "c"])),
            (Change::Prepend, json!("b"), list(&["b", "a"])),
            (Change::Remove, json!(["a", "x"]), list(&["b"])),
        ] {
            assert_eq!(
                apply(&many, change, || list(&["a", "b"]), &sent),
                Some(expected)
            );
        }
        let one = select(1);
        let stored = || Value::Text("a".to_owned());
        for (change, sent, expected) in [
            (Change::Append, "b", "b"),
            (Change::Prepend, "b", "a"),
            (Change::Remove, "a", ""),
            (Change::Remove, "b", "a"),
        ] {
            let value = apply(&one, change, stored, &json!(sent));
            assert_eq!(
                value,
                Some(Value::Text(expected.to_owned())),
                "{change:?} {sent}"
            );
        }
    }

    #[test]
    fn long_lists_lose_long_lists() {
        let ids = |from: u32| (from..from + 50_000).map(|id| id.to_string());
        let stored = Value::List(ids(0).collect());
        let sent: Vec<String> = ids(1).collect();
        let start = std::time::Instant::now();
        let left = apply(
            &select(u64::MAX),
            Change::Remove,
            || stored.clone(),
            &json!(sent),
        );
        assert_eq!(left, Some(list(&["0"])));
        // Were each compared with each, this would take minutes.
        assert!(start.elapsed() < std::time::Duration::from_secs(10));
    }

    #[test]
    fn numbers() {
        let number = field(FieldKind::Number {
            min: None,
            max: None,
            only_int: false,
        });
        let stored = || Value::Number(3.0);
        let apply = |change, sent| apply(&number, change, stored, &sent);
        assert_eq!(apply(Change::Append, json!(2)), Some(Value::Number(5.0)));
        assert_eq!(apply(Change::Remove, json!("1")), Some(Value::Number(2.0)));
        assert_eq!(
            apply(Change::Append, json!("abc")),
            Some(Value::Number(3.0))
        );
        assert_eq!(apply(Change::Prepend, json!(2)), None);
    }
}
