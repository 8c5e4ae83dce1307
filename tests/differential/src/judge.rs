//! What a server answers to a list, reduced to what must agree.

use std::time::{Duration, Instant};

use anyhow::Result;
use basalt_blackbox::client::encode;
use basalt_blackbox::{Client, Response};
use serde_json::Value;

/// The peer gives up on a query after half a minute, and answers 400.
const PATIENCE: Duration = Duration::from_secs(20);

/// The answer to a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// HTTP status; 0 if no answer came in time.
    pub status: u16,
    /// `totalItems`; -1 unless the status is 200.
    pub total: i64,
    /// The ids, in the order of the answer if a sort was asked for, else sorted.
    pub ids: Vec<String>,
}

/// Lists a collection with a filter and a sort; either may be empty.
pub fn list(client: &Client, collection: &str, filter: &str, sort: &str) -> Result<Listed> {
    let mut path = format!("/api/collections/{collection}/records?perPage=500&fields=id&q=x&n=1");
    for (name, text) in [("filter", filter), ("sort", sort)] {
        if !text.is_empty() {
            path.push_str(&format!("&{name}={}", encode(text.as_bytes())));
        }
    }
    let start = Instant::now();
    let answer = match client.get(&path) {
        Ok(answer) if start.elapsed() < PATIENCE => answer,
        _ => return Ok(Listed::unanswered()),
    };
    let mut listed = read(&answer);
    if sort.is_empty() {
        listed.ids.sort();
    }
    Ok(listed)
}

fn read(answer: &Response) -> Listed {
    let body = answer.json();
    let items = body.pointer("/items").and_then(Value::as_array);
    let ids = items.into_iter().flatten().map(|item| {
        let id = item.pointer("/id").and_then(Value::as_str);
        id.unwrap_or_default().to_owned()
    });
    Listed {
        status: answer.status,
        total: body
            .pointer("/totalItems")
            .and_then(Value::as_i64)
            .unwrap_or(-1),
        ids: ids.collect(),
    }
}

impl Listed {
    /// No answer came in time.
    fn unanswered() -> Self {
        Self {
            status: 0,
            total: -1,
            ids: Vec::new(),
        }
    }

    /// A short form for reports.
    pub fn short(&self) -> String {
        match self.status {
            200 => {
                let ids = self.ids.iter().map(|id| {
                    let (name, number) = id.split_at(id.find('0').unwrap_or(0));
                    format!("{name}{}", number.trim_start_matches('0'))
                });
                let ids: Vec<String> = ids.collect();
                format!("{} [{}]", self.total, ids.join(" "))
            }
            status => format!("status {status}"),
        }
    }
}
