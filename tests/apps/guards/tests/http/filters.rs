//! A filter finds nothing by what may not be read, whichever way it asks.

use serde_json::json;

use crate::support::{World, found, ok, record, staff};

#[test]
fn a_comparison_counts_only_where_it_may_be_read() {
    let world = World::new();
    let ann = staff("ann");
    let own = format!("mentor = '{}'", staff("boss"));
    for filter in [
        "salary > 0",
        "salary != 999",
        "salary = 100",
        "salary = salary",
        "code != ''",
        "code ~ 'd'",
        "code:lower = 'd'",
        "code !~ 'x'",
        "skills:length = 2",
        "skills:each != 'tact'",
        "skills:each ?= 'rust'",
        "mentor.nick = 'boss'",
        "mentor.nick != 'nobody' && nick = 'ann'",
        "mentor.salary > 0",
        "(salary > 0 || bonus > 0) && nick != ''",
        "notes = '' || notes != ''",
        own.as_str(),
    ] {
        for (who, client) in world.others() {
            assert_eq!(
                found(client, "staff", &[("filter", filter)]),
                "",
                "{who}: {filter}"
            );
        }
    }
    let found = |client, filter: &str| found(client, "staff", &[("filter", filter)]);
    for filter in [
        "salary > 0",
        "salary != 999",
        "code ~ 'd'",
        "skills:length = 2",
        &own,
    ] {
        assert_eq!(found(&world.ann, filter), "1", "{filter}");
    }
    assert_eq!(found(&world.boss, "salary > 150"), "023");
    assert_eq!(found(&world.guest, "mentor.nick = 'open'"), "2");
    assert_eq!(
        found(&world.superuser, "notes = 'secret' && salary > 150"),
        "023"
    );
    let mixed = format!("salary > 150 || id = '{ann}'");
    assert_eq!(found(&world.guest, &mixed), "1");
}

#[test]
fn so_it_does_behind_relations() {
    let world = World::new();
    let check = |client, filter, expected| {
        let found = found(client, "reports", &[("filter", filter)]);
        assert_eq!(found, expected, "{filter}");
    };
    check(&world.guest, "about.salary > 0", "");
    check(&world.guest, "about.nick = 'ann'", "1");
    check(&world.guest, "about.nick != 'nobody'", "13");
    check(&world.ann, "about.nick = 'ann'", "01");
    check(&world.ann, "about.salary = 100", "01");
    check(&world.boss, "about.salary > 200", "3");
    check(&world.guest, "readers.nick ?= 'ann'", "13");
    check(&world.guest, "readers.salary ?> 0", "");
    check(&world.guest, "readers.salary > 0", "");
    check(&world.guest, "readers.salary != 999", "");
    check(&world.boss, "readers.salary > 0", "13");
    check(&world.superuser, "readers.salary > 0", "0123");
}

#[test]
fn so_it_does_behind_back_relations() {
    let world = World::new();
    let check = |client, filter, expected| {
        let found = found(client, "staff", &[("filter", filter)]);
        assert_eq!(found, expected, "{filter}");
    };
    check(&world.guest, "reports_via_about.score ?= 3", "");
    check(&world.guest, "reports_via_about.score ?= 1", "1");
    check(&world.guest, "reports_via_about.score ?> 0", "12");
    check(&world.guest, "reports_via_about.open ?= false", "");
    check(&world.ann, "reports_via_about.open ?= false", "1");
    check(&world.superuser, "reports_via_about.score ?= 3", "1");
}

#[test]
fn totals_follow_what_rules_look_at() {
    let world = World::new();
    let check = |expected| {
        let found = found(&world.guest, "reports", &[("filter", "score > 0")]);
        assert_eq!(found, expected);
    };
    check("13");
    let path = record("staff", &staff("ann"));
    ok(world.superuser.patch(&path, &json!({ "nick": "public" })));
    check("013");
    ok(world.superuser.patch(&path, &json!({ "nick": "ann" })));
    check("13");
}
