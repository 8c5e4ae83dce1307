//! Sources that are damaged, or hold what can't be: one report, and nothing is changed.

use std::fs;

use basalt_blackbox::Random;
use basalt_runtime::import::{self, Import, Manner};
use features_app::MIGRATIONS;

use crate::peer::{Peer, contents, registry};

const SLUGS: &[&str] = &["id", "name"];
const LEAVES: &[&str] = &[
    "id",
    "soft",
    "soft_many JSON DEFAULT '[]' NOT NULL",
    "hard",
    "hard_many JSON DEFAULT '[]' NOT NULL",
    "changed",
];

/// The import fails with this line, and leaves nothing, nor changes what was there.
#[track_caller]
fn fails(peer: &Peer, expected: &str) {
    let there = contents(&peer.from());
    let error = peer
        .import(Manner::default())
        .map(|summary| summary.to_string());
    let error = format!("{:#}", error.unwrap_err());
    let error = error.replace(&peer.from().display().to_string(), "pb_data");
    assert!(error.contains(expected), "{error}");
    assert!(!error.contains('\n'), "{error}");
    assert!(!peer.to().exists());
    assert_eq!(there, contents(&peer.from()));
}

/// The import refuses records for these reasons, and leaves nothing. Without them, it goes through.
#[track_caller]
fn refuses(peer: &Peer, expected: &[&str]) {
    let summary = peer.import(Manner::default()).unwrap();
    let reasons = summary.tallies.iter().flat_map(|(name, tally)| {
        let with_name = |reason: &String| format!("{name}: {reason}");
        tally.reasons.iter().map(with_name).collect::<Vec<_>>()
    });
    assert_eq!(reasons.collect::<Vec<_>>(), expected);
    assert!(!summary.is_good());
    assert!(!peer.to().exists());
    let keep_going = Manner {
        keep_going: true,
        ..Manner::default()
    };
    let summary = peer.import(keep_going).unwrap();
    assert!(summary.refused() >= expected.len() as u64, "{summary}");
    let kept: u64 = summary.tallies.iter().map(|(_, tally)| tally.written).sum();
    let read: u64 = summary.tallies.iter().map(|(_, tally)| tally.read).sum();
    assert_eq!(kept + summary.refused(), read, "{summary}");
}

#[test]
fn no_directory_or_no_database() {
    let peer = Peer::new();
    fs::remove_file(peer.from().join("data.db")).unwrap();
    fails(
        &peer,
        "pb_data has no data.db: give the data directory of PocketBase",
    );
    fs::remove_dir(peer.from()).unwrap();
    fails(
        &peer,
        "pb_data is no directory: give the data directory of PocketBase",
    );
}

#[test]
fn another_file() {
    let peer = Peer::new();
    fs::write(peer.from().join("data.db"), "Dear diary").unwrap();
    fails(&peer, "pb_data/data.db is not a SQLite database");
    fs::write(peer.from().join("data.db"), "").unwrap();
    fails(
        &peer,
        "pb_data/data.db is no database of PocketBase 0.23 or later",
    );
}

#[test]
fn a_database_of_something_else() {
    let mut peer = Peer::new();
    peer.run("DROP TABLE _collections");
    let what = "is no database of PocketBase 0.23 or later: cannot read the table `_collections`: no such table";
    fails(&peer, what);
}

#[test]
fn a_project_from_before_0_23() {
    let mut peer = Peer::new().with("slugs", SLUGS);
    peer.run("ALTER TABLE _collections RENAME COLUMN fields TO schema");
    fails(
        &peer,
        "is no database of PocketBase 0.23 or later: cannot read",
    );
}

#[test]
fn a_cut_file() {
    let mut peer = Peer::new().with("slugs", SLUGS);
    for number in 0..500 {
        peer.run(&format!(
            "INSERT INTO slugs VALUES ('slug{number}', '{}')",
            "x".repeat(100)
        ));
    }
    let file = peer.from().join("data.db");
    let whole = fs::read(&file).unwrap();
    for part in [whole.len() / 2, whole.len() - 100, 5000, 100] {
        fs::write(&file, &whole[..part]).unwrap();
        fails(&peer, "pb_data/data.db");
    }
}

#[test]
fn a_damaged_page() {
    let mut peer = Peer::new().with("slugs", SLUGS);
    for number in 0..500 {
        peer.run(&format!(
            "INSERT INTO slugs VALUES ('slug{number}', '{}')",
            "x".repeat(100)
        ));
    }
    let file = peer.from().join("data.db");
    let mut bytes = fs::read(&file).unwrap();
    let page = bytes.len() / 2 / 4096 * 4096;
    bytes[page..page + 64].fill(0xff);
    fs::write(&file, &bytes).unwrap();
    fails(&peer, "pb_data/data.db can't be read as a whole: ");
}

/// Whatever is wrong with a file: an error and nothing, or records that are what they were checked
/// to be.
#[test]
fn damage_anywhere() {
    let mut whole = Peer::new()
        .with("slugs", SLUGS)
        .with("trees", &["id", "name", "parent"]);
    for number in 0..60 {
        let text = "x".repeat(number * 7);
        whole.run(&format!(
            "INSERT INTO slugs VALUES ('slug{number}', '{text}')"
        ));
        whole.run(&format!(
            "INSERT INTO trees VALUES ('tree{number:011}', '{text}', '')"
        ));
    }
    let bytes = fs::read(whole.from().join("data.db")).unwrap();
    let mut random = Random::new(7);
    let mut failed = 0;
    for round in 0..60 {
        let copy = Peer::new();
        let mut damaged = bytes.clone();
        for _ in 0..1 + random.below(6) {
            let at = random.below(damaged.len());
            damaged[at] = (random.word() & 0xff) as u8;
        }
        if round % 5 == 0 {
            damaged.truncate(random.below(bytes.len()));
        }
        fs::write(copy.from().join("data.db"), &damaged).unwrap();
        match copy.import(Manner::default()) {
            Ok(summary) => assert_eq!(summary.is_good(), copy.to().exists(), "{round}: {summary}"),
            Err(error) => {
                let error = format!("{error:#}");
                assert!(!error.contains('\n'), "{round}: {error}");
                assert!(!copy.to().exists(), "{round}: {error}");
                failed += 1;
            }
        }
    }
    assert!(failed > 10, "{failed}");
}

#[test]
fn the_directory_that_is_read() {
    let peer = Peer::new().with("slugs", SLUGS);
    let there = contents(&peer.from());
    let from = peer.from();
    let into_itself = Import {
        from: &from,
        to: from.join("../pb_data"),
        manner: Manner::default(),
        dry_run: false,
    };
    let error = import::data(&into_itself, &registry(), &MIGRATIONS);
    let error = error.map(drop).unwrap_err().to_string();
    assert!(
        error.ends_with("pb_data is read, so it can't be the data folder too"),
        "{error}"
    );
    assert_eq!(there, contents(&peer.from()));
}

#[test]
fn a_collection_without_its_table() {
    let mut peer = Peer::new().with("slugs", SLUGS);
    peer.run("DROP TABLE slugs");
    fails(&peer, "the collection `slugs` has no table");
}

#[test]
fn a_table_without_ids() {
    let mut peer = Peer::new().with("slugs", &["name"]);
    peer.run("INSERT INTO slugs VALUES ('a')");
    fails(&peer, "the table `slugs` has no column `id`");
}

#[test]
fn another_type_of_collection() {
    let mut peer = Peer::new();
    peer.add("other", "slugs", "auth", &["id", "name"]);
    fails(
        &peer,
        "`slugs` is of type auth there, and base in the schema",
    );
}

#[test]
fn options_that_are_no_json() {
    let mut peer = Peer::new().with("slugs", SLUGS);
    peer.run("UPDATE _collections SET options = '{'");
    fails(&peer, "the options of the collection `slugs` are no JSON");
    peer.run("UPDATE _collections SET options = '{}', fields = 'x'");
    fails(&peer, "the fields of the collection `slugs` are no JSON");
}

#[test]
fn a_log_that_is_cut() {
    let mut peer = Peer::new().with("slugs", SLUGS);
    peer.run("PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0;");
    peer.run("INSERT INTO slugs VALUES ('a', 'first')");
    peer.run("INSERT INTO slugs VALUES ('b', 'second')");
    let log = peer.from().join("data.db-wal");
    let bytes = fs::read(&log).unwrap();
    let copy = Peer::new();
    fs::copy(peer.from().join("data.db"), copy.from().join("data.db")).unwrap();
    // What a copy of a running server's files may miss: the end of the log. What was committed
    // before is there.
    fs::write(copy.from().join("data.db-wal"), &bytes[..bytes.len() - 10]).unwrap();
    assert_eq!(copy.imported().tallies[0].1.written, 1);
}

#[test]
fn texts_that_are_not_utf8() {
    let mut peer = Peer::new().with("slugs", SLUGS);
    peer.run(
        "INSERT INTO slugs VALUES ('a', CAST(x'c328' AS TEXT)), ('b', x'00ff'), ('c', 'fine')",
    );
    refuses(
        &peer,
        &[
            "slugs: `a`: name: a text that isn't valid UTF-8 is no text",
            "slugs: `b`: name: binary data is no text",
        ],
    );
}

#[test]
fn ids_that_differ_in_case_only() {
    let mut peer = Peer::new().with("codes", SLUGS);
    peer.run("INSERT INTO codes VALUES ('ABC12', 'first'), ('abc12', 'second'), ('abd12', '')");
    let twin = "codes: `abc12`: another record's id differs from this one in letter case only";
    refuses(&peer, &[twin]);
    assert_eq!(
        peer.look("SELECT group_concat(id) AS found FROM codes"),
        "ABC12,abd12"
    );
}

#[test]
fn ids_that_the_schema_does_not_allow() {
    let mut peer = Peer::new().with("trees", &["id", "name", "parent"]);
    peer.run(
        "INSERT INTO trees VALUES ('short', '', ''), ('', '', ''), ('tree00000000001', '', '')",
    );
    refuses(
        &peer,
        &[
            "trees: `short`: id: Must be at least 15 character(s).",
            "trees: ``: it has no id",
        ],
    );
}

#[test]
fn values_that_the_schema_does_not_allow() {
    let mut peer = Peer::new().with(
        "notes",
        &["id", "title", "revision NUMERIC", "owner", "parent"],
    );
    let long = "x".repeat(41);
    peer.run(&format!(
        "INSERT INTO notes VALUES ('note00000000001', '{long}', 0, '', ''), ('note00000000002', '', 0, '', '')"
    ));
    let reason = "notes: `note00000000001`: title: Must be no more than 40 character(s).";
    let as_is = Manner {
        as_is: true,
        ..Manner::default()
    };
    let tried = peer.import_as(as_is, true).unwrap();
    assert_eq!(tried.refused(), 0, "{tried}");
    refuses(&peer, &[reason]);
}

#[test]
fn relations_to_nowhere() {
    let mut peer = Peer::new()
        .with("trees", &["id", "name", "parent"])
        .with("leaves", LEAVES);
    peer.run(
        "INSERT INTO trees VALUES ('tree00000000001', '', 'nowhere'), \
              ('tree00000000002', '', 'tree00000000001'), ('tree00000000003', '', '')",
    );
    peer.run(
        r#"INSERT INTO leaves VALUES
        ('leaf00000000001', 'tree00000000002', '[]', '', '[]', ''),
        ('leaf00000000002', '', '["tree00000000003","lost"]', '', '[]', ''),
        ('leaf00000000003', 'tree00000000003', '[]', '', '["tree00000000003"]', '')"#,
    );
    refuses(
        &peer,
        &[
            "trees: `tree00000000001`: parent: there is no record `nowhere` in `trees`",
            "leaves: `leaf00000000002`: soft_many: there is no record `lost` in `trees`",
        ],
    );
    // What leads to a record that is left out is left out too.
    assert_eq!(
        peer.look("SELECT group_concat(id) AS found FROM trees"),
        "tree00000000003"
    );
    assert_eq!(
        peer.look("SELECT group_concat(id) AS found FROM leaves"),
        "leaf00000000003"
    );
    assert_eq!(
        peer.look("SELECT count(*) || '' AS found FROM _link_leaves_hard_many"),
        "1"
    );
}

#[test]
fn json_that_is_none() {
    let mut peer = Peer::new().with("subjects", &["id", "kinds JSON", "j JSON", "more JSON"]);
    peer.run(
        r#"INSERT INTO subjects VALUES ('subj00000000001', '["a"', '{}', '[]'),
        ('subj00000000002', '[]', '{"a":', '[]'), ('subj00000000003', '[]', 'null', '{"a":1}'),
        ('subj00000000004', '["b"]', '[1]', NULL)"#,
    );
    refuses(
        &peer,
        &[
            "subjects: `subj00000000001`: kinds: `[\\\"a\\\"` is no list of texts",
            "subjects: `subj00000000002`: j: `{\\\"a\\\":` is no JSON",
            "subjects: `subj00000000003`: more: there is no record `{\"a\":1}` in `subjects`",
        ],
    );
}

#[test]
fn values_that_must_be_unique() {
    let mut peer = Peer::new().with("uniques", &["id", "slug", "left", "right NUMERIC", "label"]);
    peer.run("INSERT INTO uniques (id, slug, right) VALUES \
              ('uniq00000000001', 'One', 0), ('uniq00000000002', 'one', 0), ('uniq00000000003', '', 0)");
    let reason = "uniques: `uniq00000000002`: another record has the same `slug`";
    refuses(&peer, &[reason]);
}

#[test]
fn an_account_of_two_collections() {
    let accounts = &[
        "id",
        "password",
        "tokenKey",
        "email",
        "username",
        "active BOOLEAN",
    ];
    let mut peer = Peer::new();
    let registry = registry();
    for name in ["members", "_superusers"] {
        peer.add(
            registry.find(name).unwrap().meta().id,
            name,
            "auth",
            accounts,
        );
        let key = "k".repeat(40);
        peer.run(&format!(
            "INSERT INTO {name} VALUES ('same00000000001', '', '{key}', 'a@example.com', 'abc', 1)"
        ));
    }
    refuses(
        &peer,
        &["members: `same00000000001`: an account of `_superusers` has the same id"],
    );
}
