//! A filter finds nothing by what may not be read, whichever way it asks.

use serde_json::json;

use crate::support::{World, create, found, id, ok, record, staff};

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

#[test]
fn records_that_cant_be_listed_keep_back_nothing_behind_links_that_cant_be_read() {
    let world = World::new();
    let ghost = json!({
        "id": id("staff", 4), "nick": "ghost",
        "password": "correct horse", "passwordConfirm": "correct horse",
    });
    create(&world.superuser, "staff", ghost);
    let set = |path: &str, body| {
        ok(world.superuser.patch(path, &body));
    };
    let report = |number| record("reports", &id("report", number));
    let check = |filter: &str, expected| {
        for (who, client) in world.others() {
            let found = found(client, "reports", &[("filter", filter)]);
            assert_eq!(found, expected, "{who}: {filter}");
        }
    };
    let ways = |expected| {
        for way in [
            "about.nick = 'zz'",
            "about.nick ?~ 'zz'",
            "about.mentor.nick = 'zz'",
            "readers.nick ?= 'zz'",
            "readers.nick = 'zz'",
            "readers.mentor.nick ?= 'zz'",
            "about.nick = readers.role",
        ] {
            check(&format!("title = 'same' || {way}"), expected);
        }
    };
    // Whom closed reports are about, who reads them and who anyone's mentor is, is not for everyone.
    set(
        &report(0),
        json!({ "about": id("staff", 4), "readers": [id("staff", 4)] }),
    );
    let mentor = json!({ "mentor": id("staff", 4) });
    set(&record("staff", &staff("ann")), mentor);
    ways("0123");
    for sort in ["about.nick", "about.mentor.nick", "readers.nick"] {
        let found = found(&world.guest, "reports", &[("sort", sort)]);
        assert_eq!(found.len(), 4, "{sort}: {found}");
    }
    // Links that can be read lead to what can't be listed.
    set(&report(1), json!({ "about": id("staff", 4) }));
    check("title = 'same' || about.nick = 'zz'", "023");
    check("title = 'same' || about.nick = readers.role", "023");
    set(&report(3), json!({ "readers": [id("staff", 4)] }));
    check("title = 'same' || readers.nick ?= 'zz'", "012");
}
