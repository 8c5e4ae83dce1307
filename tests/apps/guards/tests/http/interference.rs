//! What a caller may not read makes no difference to any answer: the same random requests before
//! and after such values were changed must be answered alike, to the last byte.

use basalt_blackbox::Client;
use basalt_blackbox::client::encode;
use basalt_blackbox::random::Random;
use serde_json::{Value, json};

use crate::support::{STAFF, World, id, ok, record, records, staff};

/// Ways to values, from records of `staff`.
const OF_STAFF: &[&str] = &[
    "salary",
    "bonus",
    "code",
    "code:lower",
    "skills",
    "skills:length",
    "skills:each",
    "mentor",
    "mentor.nick",
    "mentor.salary",
    "mentor.email",
    "mentor.mentor.nick",
    "mentor.skills:each",
    "notes",
    "nick",
    "role",
    "email",
    "reports_via_about.score",
    "reports_via_about.secret",
    "reports_via_about.title",
    "reports_via_about.open",
    "reports_via_readers.about.nick",
    "reports_via_readers.score",
    "reports_via_about.readers.salary",
];

/// Ways to values, from records of `reports`.
const OF_REPORTS: &[&str] = &[
    "title",
    "open",
    "about",
    "about.nick",
    "about.salary",
    "about.code",
    "about.mentor.nick",
    "about.mentor.mentor.salary",
    "about.skills:each",
    "readers",
    "readers:length",
    "readers:each",
    "readers.nick",
    "readers.salary",
    "readers.email",
    "about.email",
    "readers.mentor.nick",
    "score",
    "secret",
    "about.reports_via_about.score",
    "readers.reports_via_about.score",
];

const VALUES: &[&str] = &[
    "100",
    "200",
    "350",
    "0",
    "1",
    "3",
    "true",
    "false",
    "null",
    "''",
    "'a'",
    "'d'",
    "'ann'",
    "'open'",
    "'rust'",
    "'secret'",
    "'%'",
    "'staff0000000001'",
];

const OPERATORS: &[&str] = &[
    "=", "!=", ">", ">=", "<", "<=", "~", "!~", "?=", "?!=", "?>", "?>=", "?<", "?<=", "?~", "?!~",
];

const EXPANDS: &[&str] = &[
    "mentor",
    "mentor.mentor",
    "about",
    "readers",
    "about.mentor",
    "readers.mentor.mentor",
    "reports_via_about",
    "reports_via_readers.about",
    "about.reports_via_about.readers",
];

fn comparison(random: &mut Random, ways: &[&str]) -> String {
    let left = random.pick(ways);
    let right = match random.below(4) {
        0 => random.pick(ways),
        _ => random.pick(VALUES),
    };
    let operator = random.pick(OPERATORS);
    match random.below(6) {
        0 => format!("{right} {operator} {left}"),
        _ => format!("{left} {operator} {right}"),
    }
}

fn filter(random: &mut Random, ways: &[&str]) -> String {
    let mut filter = comparison(random, ways);
    for _ in 0..random.below(3) {
        let word = random.pick(&["&&", "||"]);
        filter = format!("({filter}) {word} {}", comparison(random, ways));
    }
    filter
}

/// The paths of some requests.
fn requests(random: &mut Random, count: usize) -> Vec<String> {
    let one = |_| {
        let (collection, ways) = random.pick(&[("staff", OF_STAFF), ("reports", OF_REPORTS)]);
        let mut query = format!("filter={}", encode(filter(random, ways).as_bytes()));
        if random.below(3) == 0 {
            query.clear();
        }
        if random.below(2) == 0 {
            let (sign, way) = (random.pick(&["", "-"]), random.pick(ways));
            query.push_str(&format!("&sort={sign}{way}"));
        }
        if random.below(3) == 0 {
            query.push_str(&format!("&expand={}", random.pick(EXPANDS)));
        }
        format!("{}?{query}", records(collection))
    };
    (0..count).map(one).collect()
}

/// Gives all that `name` may not read another value; for guests, `name` is nobody's.
fn change(world: &World, name: &str) {
    let change = |path: String, body: Value| {
        ok(world.superuser.patch(&path, &body));
    };
    for (number, other) in STAFF.into_iter().enumerate().filter(|(_, it)| *it != name) {
        let salary = [150, 350, 50, 1][number];
        let mut body = json!({
            "bonus": salary, "code": format!("x{number}"), "skills": ["tact"], "notes": "other",
        });
        if name != "boss" {
            body["salary"] = json!(salary);
        }
        if matches!(other, "ann" | "open") {
            body["email"] = json!(format!("x{number}@example.com"));
        }
        match other {
            "ann" => body["mentor"] = json!(staff("bob")),
            "open" => body["mentor"] = json!(staff("boss")),
            _ => {}
        }
        change(record("staff", &staff(other)), body);
    }
    for (number, about) in [(0, "ann"), (2, "bob")] {
        let mut body = json!({ "readers": [staff("boss")], "score": 9 - number });
        if about != name {
            body["about"] = json!(staff("open"));
        }
        change(record("reports", &id("report", number)), body);
    }
    for number in 0..4 {
        change(
            record("reports", &id("report", number)),
            json!({ "secret": "other" }),
        );
    }
}

fn check(world: &World, client: &Client, name: &str, seed: u64) {
    let mut random = Random::new(seed);
    let requests = requests(&mut random, 300);
    let ask = || {
        let answers = requests.iter().map(|path| client.get(path).unwrap());
        answers.collect::<Vec<_>>()
    };
    let before = ask();
    change(world, name);
    let after = ask();
    for ((path, before), after) in requests.iter().zip(&before).zip(&after) {
        assert!(before.status < 500, "{name}: {path}: {before:?}");
        assert_eq!(before, after, "{name}: {path}");
    }
    let found = before
        .iter()
        .filter(|answer| answer.text.contains("\"id\""))
        .count();
    assert!(found > 30, "{name}: only {found} answers hold records");
}

#[test]
fn what_guests_may_not_read_makes_no_difference() {
    let world = World::new();
    check(&world, &world.guest, "nobody", 1);
}

#[test]
fn what_other_accounts_may_not_read_makes_no_difference() {
    let world = World::new();
    check(&world, &world.client, "nobody", 2);
}

#[test]
fn what_colleagues_may_not_read_makes_no_difference() {
    let world = World::new();
    check(&world, &world.ann, "ann", 3);
}

#[test]
fn what_a_boss_may_not_read_makes_no_difference() {
    let world = World::new();
    check(&world, &world.boss, "boss", 4);
}

/// A random body for a record of `staff`.
fn body_for_staff(random: &mut Random) -> Value {
    let mut body = json!({});
    for _ in 0..=random.below(3) {
        let number = random.pick(&[0, 1, 100, 400, 999, 5000]);
        let skill = random.pick(&["rust", "sql", "tact", "none"]);
        let colleague = staff(random.pick(&STAFF));
        let (key, value) = match random.below(8) {
            0 => (
                random.pick(&["salary", "salary+", "salary-"]),
                json!(number),
            ),
            1 => (random.pick(&["bonus", "bonus+", "bonus-"]), json!(number)),
            2 => (
                random.pick(&["skills", "skills+", "+skills", "skills-"]),
                json!(skill),
            ),
            3 => (
                random.pick(&["mentor", "mentor-", "mentor+"]),
                json!(colleague),
            ),
            4 => ("role", json!(random.pick(&["boss", "clerk", ""]))),
            5 => ("rank", json!(random.pick(&["none", "chief"]))),
            6 => ("nick", json!(random.pick(&["ann", "x", "name"]))),
            _ => ("notes", json!(random.pick(&["secret", "other"]))),
        };
        body[key] = value;
    }
    body
}

/// A random body for a record of `reports`.
fn body_for_reports(random: &mut Random) -> Value {
    let mut body = json!({});
    for _ in 0..=random.below(3) {
        let colleague = staff(random.pick(&STAFF));
        let (key, value) = match random.below(5) {
            0 => (random.pick(&["about", "about-"]), json!(colleague)),
            1 => (
                random.pick(&["readers", "readers+", "readers-"]),
                json!(colleague),
            ),
            2 => (
                random.pick(&["score", "score+", "score-"]),
                json!(random.below(9)),
            ),
            3 => ("secret", json!(random.pick(&["secret", "other", ""]))),
            _ => ("title", json!("new")),
        };
        body[key] = value;
    }
    body
}

#[test]
fn what_may_not_be_read_makes_no_difference_to_writes() {
    let worlds = [World::new(), World::new()];
    change(&worlds[1], "bob");
    let mut random = Random::new(5);
    let mut outcomes = [0; 2];
    for _ in 0..300 {
        let (path, body, bob) = match random.below(3) {
            0 => {
                // Reports that are closed, and stay so.
                let number = random.pick(&[0, 2]);
                let path = record("reports", &id("report", number));
                (path, body_for_reports(&mut random), false)
            }
            _ => {
                let name = random.pick(&["boss", "ann", "open"]);
                (
                    record("staff", &staff(name)),
                    body_for_staff(&mut random),
                    true,
                )
            }
        };
        let [before, after] = [&worlds[0], &worlds[1]].map(|world| {
            let client = if bob { &world.bob } else { &world.guest };
            client.patch(&path, &body).unwrap()
        });
        assert_eq!(before, after, "{path} {body}");
        // 404 where the update rule doesn't hold of the body.
        assert!(matches!(before.status, 200 | 400 | 404), "{before:?}");
        outcomes[usize::from(before.status == 200)] += 1;
    }
    assert!(outcomes.iter().all(|count| *count > 30), "{outcomes:?}");
}
