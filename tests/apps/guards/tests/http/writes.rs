//! Who may set what.

use basalt_blackbox::Client;
use serde_json::{Value, json};

use crate::support::{World, id, ok, record, records, staff};

/// The status of an answer, and the code of each field's error.
fn outcome(answer: anyhow::Result<basalt_blackbox::Response>) -> (u16, String) {
    let answer = answer.unwrap();
    let body = answer.json();
    let errors = body["data"].as_object().cloned().unwrap_or_default();
    let errors = errors.iter().map(|(field, error)| {
        let code = error["code"].as_str().unwrap_or_default();
        format!("{field}: {code}")
    });
    (answer.status, errors.collect::<Vec<_>>().join(", "))
}

fn member(more: Value) -> Value {
    let mut body = json!({
        "nick": "newcomer", "password": "correct horse", "passwordConfirm": "correct horse",
    });
    body.as_object_mut()
        .unwrap()
        .extend(more.as_object().unwrap().clone());
    body
}

#[test]
fn a_create_may_leave_guarded_fields_as_they_begin() {
    let world = World::new();
    let post = |client: &Client, more| outcome(client.post(&records("staff"), &member(more)));
    let refused = |fields: &[&str]| {
        let all = fields
            .iter()
            .map(|field| format!("{field}: validation_not_allowed"));
        (400, all.collect::<Vec<_>>().join(", "))
    };
    assert_eq!(
        post(&world.guest, json!({ "role": "boss" })),
        refused(&["role"])
    );
    assert_eq!(
        post(&world.client, json!({ "role": "boss" })),
        refused(&["role"])
    );
    let both = json!({ "rank": "chief", "salary": 1, "role": "" });
    assert_eq!(post(&world.guest, both), refused(&["rank", "salary"]));
    assert_eq!(
        post(&world.guest, json!({ "salary+": 1 })),
        refused(&["salary"])
    );
    // All that is wrong is said at once.
    let wrong = json!({ "salary": 5000, "nick": "x" });
    assert_eq!(
        post(&world.guest, wrong),
        (
            400,
            "nick: validation_min_text_constraint, salary: validation_not_allowed".to_owned()
        )
    );
    let plain = json!({ "role": "", "salary": 0, "rank": "none" });
    assert_eq!(post(&world.guest, plain), (200, String::new()));
    let full = json!({ "nick": "clerk", "role": "clerk", "salary": 7 });
    assert_eq!(post(&world.boss, full), (200, String::new()));
    let full = json!({ "nick": "chief", "rank": "chief" });
    assert_eq!(post(&world.boss, full.clone()), refused(&["rank"]));
    assert_eq!(post(&world.superuser, full), (200, String::new()));
}

#[test]
fn an_update_may_repeat_what_its_author_can_read() {
    let world = World::new();
    let path = record("staff", &staff("ann"));
    let patch = |client: &Client, body: Value| outcome(client.patch(&path, &body));
    let refused = (400, "salary: validation_not_allowed".to_owned());
    let fine = (200, String::new());
    assert_eq!(patch(&world.ann, json!({ "salary": 500 })), refused);
    assert_eq!(patch(&world.ann, json!({ "salary+": 1 })), refused);
    assert_eq!(patch(&world.ann, json!({ "salary-": 0 })), fine);
    assert_eq!(
        patch(&world.ann, json!({ "salary": 100, "nick": "anna" })),
        fine
    );
    assert_eq!(patch(&world.boss, json!({ "salary": 500 })), fine);
    let stored = ok(world.superuser.get(&path));
    assert_eq!(
        (&stored["salary"], &stored["nick"]),
        (&json!(500), &json!("anna"))
    );
    // A whole record that was read may be sent back.
    let mut whole = ok(world.ann.get(&path));
    whole["nick"] = json!("ann");
    assert_eq!(patch(&world.ann, whole), fine);
    let all = json!({ "role": "boss", "rank": "chief", "nick": "x" });
    let expected = "nick: validation_min_text_constraint, rank: validation_not_allowed, \
                    role: validation_not_allowed";
    assert_eq!(patch(&world.ann, all), (400, expected.to_owned()));
    let stored = ok(world.superuser.get(&path));
    assert_eq!(
        (&stored["role"], &stored["rank"]),
        (&json!("clerk"), &json!("none"))
    );
}

#[test]
fn nobody_finds_a_value_by_trying_to_set_it() {
    let world = World::new();
    let path = record("staff", &staff("ann"));
    let refused = (400, "salary: validation_not_allowed".to_owned());
    for salary in [100, 101] {
        let answer = outcome(world.bob.patch(&path, &json!({ "salary": salary })));
        assert_eq!(answer, refused, "{salary}");
    }
    // Everyone may set a bonus, but its limit must not tell how much there was.
    for body in [
        json!({ "bonus+": 100 }),
        json!({ "bonus+": 950 }),
        json!({ "bonus-": 1 }),
    ] {
        let answer = outcome(world.bob.patch(&path, &body));
        assert_eq!(
            answer,
            (400, "bonus: validation_not_allowed".to_owned()),
            "{body}"
        );
    }
    for body in [json!({ "skills+": "tact" }), json!({ "+skills": "rust" })] {
        let answer = outcome(world.bob.patch(&path, &body));
        assert_eq!(
            answer,
            (400, "skills: validation_not_allowed".to_owned()),
            "{body}"
        );
    }
    let set = ok(world.bob.patch(&path, &json!({ "bonus": 5 })));
    assert_eq!(set.get("bonus"), None, "{set}");
    let own = ok(world
        .ann
        .patch(&path, &json!({ "bonus+": 5, "skills+": "tact" })));
    assert_eq!(
        (&own["bonus"], &own["skills"]),
        (&json!(10), &json!(["rust", "sql", "tact"]))
    );
}

#[test]
fn a_value_that_is_taken_is_no_news_to_those_who_may_not_set_it() {
    let world = World::new();
    let path = record("reports", &id("report", 0));
    let answer = outcome(world.ann.patch(&path, &json!({ "secret": "secret" })));
    assert_eq!(answer, (400, "secret: validation_not_allowed".to_owned()));
    let answer = outcome(
        world
            .ann
            .post(&records("reports"), &json!({ "secret": "x" })),
    );
    assert_eq!(answer, (400, "secret: validation_not_allowed".to_owned()));
    let answer = outcome(world.superuser.patch(&path, &json!({ "secret": "other" })));
    assert_eq!(answer, (200, String::new()));
}

#[test]
fn the_fields_that_every_account_has_can_be_guarded_too() {
    let world = World::new();
    let post = |client: &Client, more| outcome(client.post(&records("clients"), &member(more)));
    let refused = |field: &str| (400, format!("{field}: validation_not_allowed"));
    let with_id = json!({ "id": id("client", 1) });
    let with_email = json!({ "email": "new@example.com" });
    assert_eq!(post(&world.guest, with_id.clone()), refused("id"));
    assert_eq!(post(&world.ann, with_id.clone()), refused("id"));
    assert_eq!(post(&world.guest, with_email.clone()), refused("email"));
    assert_eq!(post(&world.ann, with_email), (200, String::new()));
    let own = json!({ "nick": "own" });
    assert_eq!(post(&world.guest, own), (200, String::new()));
    let mut with_id = with_id;
    with_id["nick"] = json!("other");
    assert_eq!(post(&world.superuser, with_id), (200, String::new()));
    // The rule is that of the field; who manages accounts is asked besides.
    let found = ok(world.client.get(&records("clients")));
    let client = found["items"][0]["id"].as_str().unwrap();
    let body = json!({ "email": "mine@example.com" });
    assert_eq!(
        outcome(world.client.patch(&record("clients", client), &body)),
        refused("email")
    );
}

#[test]
fn rules_see_nothing_of_what_a_modifier_would_build_on() {
    let world = World::new();
    // The rule bounds a bonus; added to those that are stored, this one is within and beyond it.
    for name in ["ann", "open", "boss"] {
        let path = record("staff", &staff(name));
        let answer = outcome(world.bob.patch(&path, &json!({ "bonus+": 1250 })));
        let refused = (400, "bonus: validation_not_allowed".to_owned());
        assert_eq!(answer, refused, "{name}");
    }
    let own = record("staff", &staff("ann"));
    let answer = outcome(world.ann.patch(&own, &json!({ "bonus+": 1450 })));
    assert_eq!(answer, (404, String::new()));
    let answer = outcome(world.ann.patch(&own, &json!({ "bonus+": 50 })));
    assert_eq!(answer, (200, String::new()));
}

#[test]
fn nobody_finds_an_address_by_trying_to_set_it() {
    let world = World::new();
    let patch = |client: &Client, name: &str, address: &str| {
        let body = json!({ "email": format!("{address}@example.com") });
        outcome(client.patch(&record("staff", &staff(name)), &body))
    };
    let mismatch = (400, "email: validation_values_mismatch".to_owned());
    for address in ["b", "z"] {
        assert_eq!(patch(&world.bob, "ann", address), mismatch, "{address}");
    }
    // Those who see an address may repeat it.
    let fine = (200, String::new());
    assert_eq!(patch(&world.ann, "ann", "b"), fine);
    assert_eq!(patch(&world.bob, "boss", "c"), fine);
    assert_eq!(patch(&world.bob, "boss", "z"), mismatch);
}

#[test]
fn hooks_dont_run_for_what_is_refused() {
    let world = World::new();
    let refused = (400, "rank: validation_not_allowed".to_owned());
    let body = json!({ "rank": "hooked" });
    let path = record("staff", &staff("ann"));
    assert_eq!(outcome(world.boss.patch(&path, &body)), refused);
    let new = member(body.clone());
    assert_eq!(outcome(world.guest.post(&records("staff"), &new)), refused);
    let hooked = (418, String::new());
    assert_eq!(outcome(world.superuser.patch(&path, &body)), hooked);
    let answer = outcome(world.superuser.post(&records("staff"), &new));
    assert_eq!(answer, hooked);
}
