//! What `expand` follows, and what it shows of what it finds.

use serde_json::Value;

use crate::support::{World, id, list, ok, record, staff};

/// The nicks under a key of an answer's `expand`.
fn nicks(record: &Value, key: &str) -> Vec<String> {
    let nick = |record: &Value| record["nick"].as_str().unwrap().to_owned();
    match &record["expand"][key] {
        Value::Array(all) => all.iter().map(nick).collect(),
        Value::Null => Vec::new(),
        one => vec![nick(one)],
    }
}

#[test]
fn relations_are_followed_where_they_may_be_read() {
    let world = World::new();
    let expanded = |client, number| {
        let path = record("reports", &id("report", number));
        ok(basalt_blackbox::Client::get(
            client,
            &format!("{path}?expand=about,readers"),
        ))
    };
    for (who, client) in world.others() {
        let closed = expanded(client, 0);
        assert_eq!(nicks(&closed, "about"), [""; 0], "{who}: {closed}");
        assert_eq!(nicks(&closed, "readers"), [""; 0], "{who}: {closed}");
        let open = expanded(client, 1);
        assert_eq!(nicks(&open, "about"), ["ann"], "{who}: {open}");
        assert_eq!(nicks(&open, "readers"), ["ann", "bob"], "{who}: {open}");
        assert_eq!(open["expand"]["about"].get("salary"), None, "{open}");
    }
    assert_eq!(nicks(&expanded(&world.ann, 0), "about"), ["ann"]);
    assert_eq!(nicks(&expanded(&world.ann, 2), "about"), [""; 0]);
    let all = expanded(&world.superuser, 0);
    assert_eq!(nicks(&all, "about"), ["ann"]);
    assert_eq!(all["expand"]["about"]["notes"], "secret");
}

#[test]
fn so_are_relations_of_what_was_found() {
    let world = World::new();
    let expand = [("expand", "about.mentor,readers.mentor.mentor")];
    let answer = list(&world.bob, "reports", &expand);
    let items = answer["items"].as_array().unwrap();
    let mentors = |number: usize| nicks(&items[number]["expand"]["about"], "mentor");
    // Ann's mentor may only be known to Ann; Bob's is the one whom everyone may know.
    assert_eq!(mentors(1), [""; 0], "{answer}");
    assert_eq!(mentors(3), ["open"], "{answer}");
    let reader = &items[3]["expand"]["readers"][1];
    assert_eq!(nicks(reader, "mentor"), ["open"], "{reader}");
    assert_eq!(reader["salary"], 400);
    let open = &reader["expand"]["mentor"];
    assert_eq!(open.get("salary"), None, "{open}");
    assert_eq!(open.get("mentor"), None, "{open}");
    assert_eq!(nicks(open, "mentor"), [""; 0], "{open}");
}

#[test]
fn back_relations_hold_only_what_may_be_read() {
    let world = World::new();
    let back = |client, key: &str| {
        let path = format!("{}?expand={key}", record("staff", &staff("ann")));
        let answer = ok(basalt_blackbox::Client::get(client, &path));
        let found = answer["expand"][key]
            .as_array()
            .cloned()
            .unwrap_or_default();
        let ids = found
            .iter()
            .map(|report| report["id"].as_str().unwrap().to_owned());
        ids.collect::<Vec<_>>()
    };
    let (closed, open) = (id("report", 0), id("report", 1));
    for (_, client) in world.others() {
        assert_eq!(back(client, "reports_via_about"), [id("report", 1)]);
        assert_eq!(
            back(client, "reports_via_readers"),
            [open.clone(), id("report", 3)]
        );
    }
    assert_eq!(back(&world.ann, "reports_via_about"), [closed, open]);
    assert_eq!(back(&world.superuser, "reports_via_readers").len(), 4);
}
