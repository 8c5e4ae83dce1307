//! Speed counts only if the answers are right: both servers must find what the data set says, and
//! tell the same about it.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

use crate::cli::Side;
use crate::data::Post;
use crate::request::Request;
use crate::rows::{Row, Work};
use crate::server::Server;
use crate::wires::{HOOKED, LOGIN, Material, REWRITTEN, credentials};

/// What differs from run to run or from schema to schema.
const OWN: [&str; 4] = ["collectionId", "collectionName", "created", "updated"];

/// The answer that a row is about; pages in an order that both servers share.
pub fn answer(
    server: &Server,
    row: &Row,
    collection: &str,
    material: &Material,
) -> Result<Option<Value>> {
    let path = match (row.work, material.read_path(row, collection)) {
        (Work::List { .. }, Some(path)) => format!("{path}&sort=id"),
        (Work::View | Work::Newest, Some(path)) => path,
        (Work::Login | Work::Refresh, _) => return login(server, row).map(Some),
        (Work::Hooked, _) => {
            let first = material.posts.first().map(|post| post.id.as_str());
            let first = first.unwrap_or_default();
            format!("/api/collections/{collection}/records/{first}")
        }
        _ => return Ok(None),
    };
    let mut answer = server.ask(Request::new("GET", &path).token(&server.user))?;
    strip(&mut answer);
    if row.work == Work::Newest {
        // Which of two is newer depends on which of two clients was served first.
        forget(&mut answer);
    }
    Ok(Some(answer))
}

/// The record that a login or its refresh answers with, whose token must be one.
fn login(server: &Server, row: &Row) -> Result<Value> {
    const REFRESH: &str = "/api/collections/users/auth-refresh";
    let refreshed = |token: &str| server.ask(Request::new("POST", REFRESH).token(token));
    let body = credentials();
    let mut answer = match row.work {
        Work::Login => server.ask(Request::new("POST", LOGIN).body(&body))?,
        _ => refreshed(&server.user)?,
    };
    let token = answer.get("token").and_then(Value::as_str);
    refreshed(token.context("no token")?).context("with the token of the answer")?;
    let mut record = answer.get_mut("record").context("no record")?.take();
    strip(&mut record);
    Ok(record)
}

/// What each answer to the requests of a row must be, which is judged here: what is measured is right,
/// and not only what is asked beside. `None` if the server gives up on it.
pub fn model(
    server: &Server,
    path: &str,
    row: &Row,
    material: &Material,
) -> Result<Option<Arc<[u8]>>> {
    let answer = server.fetch(Request::new("GET", path).token(&server.user))?;
    if answer.status == 400 && server.side == Side::Peer {
        return Ok(None);
    }
    ensure!(answer.status == 200, "status {}", answer.status);
    let page: Value = serde_json::from_slice(&answer.body).context("not JSON")?;
    let wrong = judge(&page, row, material).or_else(|| judge_items(&page, row, material));
    if let Some(wrong) = wrong {
        bail!("{wrong}");
    }
    Ok(Some(Arc::from(answer.body)))
}

/// The bytes of what a row reads, which must be the same whether kept or made anew.
pub fn bytes(server: &Server, path: &str) -> Result<Vec<u8>> {
    let read = Request::new("GET", path).token(&server.user);
    let anew = server.fetch(read.cold(true))?;
    let warm = server.fetch(read)?;
    ensure!(
        (anew.status, warm.status) == (200, 200),
        "statuses {} and {}",
        anew.status,
        warm.status
    );
    ensure!(
        anew.body == warm.body,
        "with no-cache the answer is another one"
    );
    Ok(warm.body)
}

/// How many records a collection has.
pub fn count(server: &Server, collection: &str) -> Result<u64> {
    let path = format!("/api/collections/{collection}/records?perPage=1");
    let page = server.ask(Request::new("GET", &path).token(&server.superuser))?;
    page.get("totalItems")
        .and_then(Value::as_u64)
        .context("the list has no totalItems")
}

/// What is wrong with an answer, from the data set's point of view.
pub fn judge(page: &Value, row: &Row, material: &Material) -> Option<String> {
    let text = |key| page.get(key).and_then(Value::as_str);
    match row.work {
        Work::List { rule, query, .. } => {
            let posts = material.posts.iter();
            let due = posts.filter(|post| rule.admits(&material.data, post));
            judge_page(page, due.count(), query.contains("skipTotal"))
        }
        Work::Storm => judge_page(page, material.posts.len(), false),
        Work::Newest => {
            let count = page.as_array().map_or(0, Vec::len);
            let due = material.posts.len().min(20);
            (count != due).then(|| format!("{count} posts where {due} were due"))
        }
        Work::Hooked => {
            let (title, due) = (text("title"), format!("{REWRITTEN}{HOOKED}"));
            (title != Some(&due)).then(|| format!("the title is {title:?} where {due:?} was due"))
        }
        _ => {
            let (id, due) = (text("id"), material.first_user());
            (id != Some(due)).then(|| format!("the record is {id:?} where {due} was due"))
        }
    }
}

fn judge_page(page: &Value, found: usize, skip_total: bool) -> Option<String> {
    let items = page
        .get("items")
        .and_then(Value::as_array)
        .map_or(0, Vec::len);
    let due = found.min(20);
    if items != due {
        return Some(format!("{items} items on the page where {due} were due"));
    }
    let total = page.get("totalItems").and_then(Value::as_i64);
    let due = match skip_total {
        true => -1,
        false => i64::try_from(found).unwrap_or(-1),
    };
    (total != Some(due)).then(|| format!("totalItems is {total:?} where {due} was due"))
}

/// Are these different records of the data set, that the rule shows, with the values that they have?
fn judge_items(page: &Value, row: &Row, material: &Material) -> Option<String> {
    let items = page.get("items").and_then(Value::as_array)?;
    let admits = |post: &Post| match row.work {
        Work::List { rule, .. } => rule.admits(&material.data, post),
        _ => true,
    };
    let known: HashMap<&str, &Post> = material
        .posts
        .iter()
        .map(|post| (post.id.as_str(), post))
        .collect();
    let mut seen = HashSet::new();
    for item in items {
        let id = item.get("id").and_then(Value::as_str).unwrap_or_default();
        match known.get(id) {
            None => return Some(format!("{id:?} is none of the records")),
            Some(_) if !seen.insert(id) => return Some(format!("{id} is there twice")),
            Some(post) if !admits(post) => return Some(format!("the rule doesn't show {id}")),
            Some(post) => {
                let sent = post.body.as_object().into_iter().flatten();
                // Lists may come back in another order.
                let mut sent = sent.filter(|(_, value)| !value.is_array());
                let other = |key| {
                    item.get(key)
                        .is_some_and(|shown| Some(shown) != post.body.get(key))
                };
                if let Some((key, _)) = sent.find(|(key, _)| other(key.as_str())) {
                    return Some(format!("{id} has another {key} than it was given"));
                }
            }
        }
    }
    None
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

/// Leaves the shape only.
fn forget(value: &mut Value) {
    match value {
        Value::Object(map) => map.values_mut().for_each(forget),
        Value::Array(items) => items.iter_mut().for_each(forget),
        other => *other = Value::Null,
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
