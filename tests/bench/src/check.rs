//! Speed counts only if the answers are right: both servers must find what the data set says, and
//! tell the same about it.

use serde_json::Value;

use anyhow::{Context, Result};

use crate::request::Request;
use crate::rows::{Row, Work};
use crate::server::Server;
use crate::wires::{Material, own_filter};

/// What differs from run to run or from schema to schema.
const OWN: [&str; 4] = ["collectionId", "collectionName", "created", "updated"];

/// The answer that a read row measures; pages in an order that both servers share.
pub async fn answer(
    server: &Server,
    row: &Row,
    collection: &str,
    material: &Material,
) -> Result<Option<Value>> {
    let base = format!("/api/collections/{collection}/records");
    let path = match row.work {
        Work::List { query, cold, .. } => {
            let filter = if cold { own_filter(0) } else { String::new() };
            format!("{base}{query}{filter}&sort=id")
        }
        Work::View => format!("{base}/{}", material.first_user()),
        _ => return Ok(None),
    };
    let mut answer = server
        .ask(Request::new("GET", &path).token(&server.user))
        .await?;
    strip(&mut answer);
    Ok(Some(answer))
}

/// How many records a collection has.
pub async fn count(server: &Server, collection: &str) -> Result<u64> {
    let path = format!("/api/collections/{collection}/records?perPage=1");
    let page = server
        .ask(Request::new("GET", &path).token(&server.superuser))
        .await?;
    page.get("totalItems")
        .and_then(Value::as_u64)
        .context("the list has no totalItems")
}

/// What is wrong with an answer, from the data set's point of view.
pub fn judge(page: &Value, row: &Row, material: &Material) -> Option<String> {
    let Work::List { rule, query, .. } = row.work else {
        let id = page.get("id").and_then(Value::as_str);
        let due = material.first_user();
        return (id != Some(due)).then(|| format!("the record is {id:?} where {due} was due"));
    };
    let posts = material.posts(row.kind);
    let due = posts
        .iter()
        .filter(|post| rule.admits(&material.data, post))
        .count();
    let items = page
        .get("items")
        .and_then(Value::as_array)
        .map_or(0, Vec::len);
    if items != due.min(20) {
        return Some(format!(
            "{items} items on the page where {} were due",
            due.min(20)
        ));
    }
    let total = page.get("totalItems").and_then(Value::as_i64);
    let due = if query.contains("skipTotal") {
        -1
    } else {
        i64::try_from(due).unwrap_or(-1)
    };
    (total != Some(due)).then(|| format!("totalItems is {total:?} where {due} was due"))
}

/// Where two answers first differ.
pub fn difference(peer: &Value, basalt: &Value, at: &str) -> Option<String> {
    match (peer, basalt) {
        (Value::Object(left), Value::Object(right)) => {
            let keys = |map: &serde_json::Map<String, Value>| {
                let mut keys: Vec<String> = map.keys().cloned().collect();
                keys.sort();
                keys
            };
            let (mine, other) = (keys(left), keys(right));
            if mine != other {
                return Some(format!("{at} has the keys {mine:?} and {other:?}"));
            }
            let pairs = left
                .iter()
                .filter_map(|(key, value)| Some((key, value, right.get(key)?)));
            pairs
                .into_iter()
                .find_map(|(key, one, two)| difference(one, two, &format!("{at}.{key}")))
        }
        (Value::Array(left), Value::Array(right)) if left.len() == right.len() => {
            let pairs = left.iter().zip(right).enumerate();
            pairs
                .into_iter()
                .find_map(|(place, (one, two))| difference(one, two, &format!("{at}[{place}]")))
        }
        (Value::Array(left), Value::Array(right)) => {
            Some(format!("{at} has {} and {} items", left.len(), right.len()))
        }
        _ if peer == basalt => None,
        _ => Some(format!("{at} is {} and {}", quote(peer), quote(basalt))),
    }
}

/// A value that fits a line of the report.
fn quote(value: &Value) -> String {
    const LONGEST: usize = 80;
    let text = value.to_string();
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text,
    }
}

fn strip(value: &mut Value) {
    match value {
        Value::Object(map) => {
            for key in OWN {
                // The key itself counts, its value doesn't.
                if let Some(own) = map.get_mut(key) {
                    *own = Value::Null;
                }
            }
            map.values_mut().for_each(strip);
        }
        Value::Array(items) => items.iter_mut().for_each(strip),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn finds_the_first_difference() {
        let check = |one: Value, two: Value, due: Option<&str>| {
            assert_eq!(difference(&one, &two, "page").as_deref(), due);
        };
        let page = json!({ "items": [{ "id": "a" }, { "id": "b" }], "totalItems": 2 });
        check(page.clone(), page.clone(), None);
        let other = json!({ "items": [{ "id": "a" }, { "id": "c" }], "totalItems": 2 });
        check(
            page.clone(),
            other,
            Some(r#"page.items[1].id is "b" and "c""#),
        );
        let other = json!({ "items": [{ "id": "a" }, {}], "totalItems": 2 });
        check(
            page.clone(),
            other,
            Some(r#"page.items[1] has the keys ["id"] and []"#),
        );
        check(json!([1]), json!([1, 2]), Some("page has 1 and 2 items"));
        check(json!(1), json!("1"), Some(r#"page is 1 and "1""#));
    }

    #[test]
    fn own_values_do_not_count_but_their_keys_do() {
        let mut one = json!([{ "created": "x", "n": 1 }]);
        let mut two = json!([{ "created": "y", "n": 1 }]);
        strip(&mut one);
        strip(&mut two);
        assert_eq!(one, two);
        assert!(difference(&one, &json!([{ "n": 1 }]), "page").is_some());
    }
}
