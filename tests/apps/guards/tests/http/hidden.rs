//! Hidden fields: nothing that a client asks for shows what they hold, or depends on it.

use basalt_blackbox::Client;
use basalt_blackbox::client::encode;
use serde_json::{Value, json};

use crate::support::{World, id, list, ok, record, records, staff};

/// Ann keeps the first report, Bob the second one.
fn world() -> World {
    let world = World::new();
    for (number, keeper) in [(0, "ann"), (1, "bob")] {
        let body = json!({ "keeper": staff(keeper) });
        let path = record("reports", &id("report", number));
        ok(world.superuser.patch(&path, &body));
    }
    world
}

fn expanded(client: &Client, path: &str, key: &str) -> Value {
    ok(client.get(&format!("{path}?expand={key}")))["expand"][key].clone()
}

#[test]
fn hidden_relations_are_not_followed() {
    let world = world();
    let report = record("reports", &id("report", 0));
    let ann = record("staff", &staff("ann"));
    for (who, client) in world.others() {
        assert_eq!(expanded(client, &report, "keeper"), Value::Null, "{who}");
        for back in ["reports_via_keeper", "reports(keeper)"] {
            assert_eq!(expanded(client, &ann, back), Value::Null, "{who} {back}");
        }
        let deeper = list(client, "reports", &[("expand", "about.reports_via_keeper")]);
        assert!(!deeper.to_string().contains("via_keeper"), "{deeper}");
    }
    let keeper = expanded(&world.superuser, &report, "keeper");
    assert_eq!(keeper["nick"], "ann");
    let kept = expanded(&world.superuser, &ann, "reports_via_keeper");
    assert_eq!(kept[0]["id"], id("report", 0).as_str());
}

#[test]
fn filters_and_sorts_dont_know_them() {
    let world = world();
    let status = |client: &Client, collection: &str, parameter: &str, text: &str| {
        let text = encode(text.as_bytes());
        let path = format!("{}?{parameter}={text}", records(collection));
        client.get(&path).unwrap().status
    };
    let asked = [
        ("reports", "filter", format!("keeper = '{}'", staff("ann"))),
        ("reports", "filter", "keeper != ''".to_owned()),
        ("reports", "filter", "keeper.nick = 'ann'".to_owned()),
        (
            "staff",
            "filter",
            "reports_via_keeper.title = 'same'".to_owned(),
        ),
        ("reports", "sort", "keeper".to_owned()),
        ("reports", "sort", "-keeper.nick".to_owned()),
        ("staff", "filter", "tokenKey ~ 'a'".to_owned()),
        ("staff", "sort", "password".to_owned()),
        ("reports", "filter", "about.tokenKey ~ 'a'".to_owned()),
    ];
    for (collection, parameter, text) in &asked {
        for (who, client) in world.others() {
            let status = status(client, collection, parameter, text);
            assert_eq!(status, 400, "{who}: {parameter}={text}");
        }
        let status = status(&world.superuser, collection, parameter, text);
        assert_eq!(status, 200, "superuser: {parameter}={text}");
    }
}

#[test]
fn answers_leave_them_out_and_bodies_cant_set_them() {
    let world = world();
    let report = record("reports", &id("report", 0));
    for (who, client) in world.others() {
        let seen = ok(client.get(&format!("{report}?fields=id,keeper")));
        assert_eq!(seen.get("keeper"), None, "{who}: {seen}");
        let sent = json!({ "keeper": staff("boss") });
        let answer = ok(client.patch(&report, &sent));
        assert_eq!(answer.get("keeper"), None, "{who}: {answer}");
    }
    let kept = ok(world.superuser.get(&report));
    assert_eq!(kept["keeper"], staff("ann").as_str());
}
