//! Records of all types, and where an import may be repeated.

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use basalt_runtime::import::Manner;
use diesel::connection::SimpleConnection as _;
use diesel::{Connection as _, SqliteConnection};

use crate::peer::{Peer, contents};

const THINGS: &[&str] = &[
    "id",
    "text",
    "auto",
    "html",
    "n NUMERIC DEFAULT 0 NOT NULL",
    "flag BOOLEAN DEFAULT FALSE NOT NULL",
    "mail",
    "site",
    "day",
    "one",
    "some JSON DEFAULT '[]' NOT NULL",
    "doc JSON DEFAULT NULL",
    "place JSON DEFAULT '{\"lon\":0,\"lat\":0}' NOT NULL",
    "pass",
    "ref",
    "refs JSON DEFAULT '[]' NOT NULL",
    "secret",
    "created",
    "updated",
];

/// Two things that refer to each other, and every value that there is.
fn things() -> Peer {
    let mut peer = Peer::new().with("things", THINGS);
    peer.run(
        r#"INSERT INTO things (id, text, auto, html, n, flag, mail, site, day, one, some, doc, place,
             ref, refs, secret, created, updated) VALUES
           ('thing0000000001', 'ü "1"', 'c-1234', '<p>', 1.5, 1, 'a@example.com',
            'https://example.com', '2024-01-31 12:30:00.123Z', 'b', '["c","a"]',
            '{
               "b": [1, 2.50],
               "a": null
             }', '{"lat":-2.5,"lon":13}',
            'thing0000000002', '["thing0000000002","thing0000000001"]', 'hidden',
            '2020-01-01 00:00:00.000Z', '2021-01-01 00:00:00.000Z'),
           ('thing0000000002', '', 'c-0002', '', -7, 0, '', '', '', '', '[]', 5, '{"lon":0,"lat":0}',
            'thing0000000001', '[]', '', '2022-01-01 00:00:00.000Z', '')"#,
    );
    peer
}

#[test]
fn every_type_of_field() {
    let peer = things();
    let summary = peer.imported();
    let [(name, tally)] = summary.tallies.as_slice() else {
        panic!("{summary}");
    };
    assert_eq!((name.as_str(), tally.read, tally.written), ("things", 2, 2));
    let row = "SELECT json_array(id, text, auto, html, n, flag, mail, site, day, one, some, doc, \
               place, pass, ref, refs, secret, created, updated) AS found FROM things";
    assert_eq!(
        peer.look(&format!("{row} ORDER BY rowid LIMIT 1")),
        r#"["thing0000000001","ü \"1\"","c-1234","<p>",1.5,1,"a@example.com","https://example.com","#
            .to_owned()
            + r#""2024-01-31 12:30:00.123Z","b","[\"c\",\"a\"]","{\"b\":[1,2.50],\"a\":null}","#
            + r#""{\"lon\":13,\"lat\":-2.5}","","thing0000000002","#
            + r#""[\"thing0000000002\",\"thing0000000001\"]","hidden","#
            + r#""2020-01-01 00:00:00.000Z","2021-01-01 00:00:00.000Z"]"#
    );
    assert_eq!(
        peer.look(&format!("{row} ORDER BY rowid DESC LIMIT 1")),
        r#"["thing0000000002","","c-0002","",-7,0,"","","","","[]","5","{\"lon\":0,\"lat\":0}","","#
            .to_owned() + r#""thing0000000001","[]","","2022-01-01 00:00:00.000Z",""]"#
    );
    let links = "SELECT group_concat(owner || position || target) AS found FROM _link_things_refs";
    assert_eq!(
        peer.look(links),
        "thing00000000011thing0000000001,thing00000000010thing0000000002"
    );
}

#[test]
fn the_same_again_changes_nothing() {
    let peer = things();
    peer.imported();
    let before = peer.look("SELECT group_concat(rowid || text) AS found FROM things");
    let summary = peer.imported();
    let tally = &summary.tallies[0].1;
    assert_eq!((tally.read, tally.written, tally.present), (2, 0, 2));
    let after = peer.look("SELECT group_concat(rowid || text) AS found FROM things");
    assert_eq!(before, after);
}

#[test]
fn what_was_changed_here_is_not_overwritten() {
    let mut peer = things();
    peer.imported();
    peer.run("UPDATE things SET text = 'other' WHERE id = 'thing0000000002'");
    peer.run("INSERT INTO things (id, auto) VALUES ('thing0000000003', 'c-0003')");
    let before = contents(&peer.to());
    let summary = peer.import(Manner::default()).unwrap();
    assert_eq!(
        summary.tallies[0].1.reasons,
        ["`thing0000000002`: a record with this id is here already, with other values"]
    );
    assert_eq!(before, contents(&peer.to()));
    let keep_going = Manner {
        keep_going: true,
        ..Manner::default()
    };
    let tally = peer.import(keep_going).unwrap().tallies.remove(0).1;
    assert_eq!((tally.written, tally.present, tally.refused), (1, 1, 1));
    let texts = "SELECT group_concat(text, '|') AS found FROM things";
    assert_eq!(peer.look(texts), "ü \"1\"||");
}

#[test]
fn a_dry_run_says_the_same_and_leaves_nothing() {
    let peer = things();
    let there = contents(&peer.from());
    let tried = peer.import_as(Manner::default(), true).unwrap();
    assert!(!peer.to().exists());
    let done = peer.imported();
    assert_eq!(tried.to_string(), done.to_string());
    assert_eq!(there, contents(&peer.from()));
}

#[test]
fn a_directory_that_is_in_use_is_read_as_it_is_at_one_moment() {
    let mut peer = things();
    peer.run("PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0;");
    peer.run("INSERT INTO things (id, auto) VALUES ('thing0000000003', 'c-0003')");
    let there = contents(&peer.from());
    assert_eq!(peer.imported().tallies[0].1.written, 3);
    let files = |all: &[(std::path::PathBuf, Vec<u8>)]| -> Vec<_> {
        // Only the index of the log, which readers share.
        let kept = all
            .iter()
            .filter(|(path, _)| !path.ends_with("data.db-shm"));
        kept.cloned().collect()
    };
    assert_eq!(files(&there), files(&contents(&peer.from())));
}

/// Each transaction there writes two records, of which the first refers to the second.
#[test]
fn a_directory_that_is_written_meanwhile_is_read_between_two_transactions() {
    let mut peer = Peer::new().with("trees", &["id", "name", "parent"]);
    peer.run("PRAGMA journal_mode = WAL");
    // From now on there is a log.
    peer.run("INSERT INTO trees VALUES ('treea0000000001', '', ''), ('treea0000000002', '', '')");
    let (file, stop) = (peer.from().join("data.db"), AtomicBool::new(false));
    let write = || {
        let mut conn = SqliteConnection::establish(file.to_str().unwrap()).unwrap();
        conn.batch_execute("PRAGMA busy_timeout = 5000; PRAGMA synchronous = OFF")
            .unwrap();
        let mut number = 0;
        while number < 20_000 && !stop.load(Ordering::Relaxed) {
            let (one, two) = (number, number + 1);
            conn.batch_execute(&format!(
                "BEGIN IMMEDIATE; \
                 INSERT INTO trees VALUES ('tree{one:011}', '', 'tree{two:011}'); \
                 INSERT INTO trees VALUES ('tree{two:011}', '', ''); COMMIT"
            ))
            .unwrap();
            number += 2;
        }
        number
    };
    std::thread::scope(|scope| {
        let writer = scope.spawn(write);
        let mut sizes = Vec::new();
        while sizes.last().is_none_or(|size| *size < 200) {
            fs::remove_dir_all(peer.to()).ok();
            sizes.push(peer.imported().tallies[0].1.written);
        }
        stop.store(true, Ordering::Relaxed);
        assert!(sizes.iter().all(|size| size % 2 == 0), "{sizes:?}");
        assert!(writer.join().unwrap() >= 200);
    });
}

#[test]
fn collections_are_found_by_id_and_then_by_name() {
    let mut peer = Peer::new();
    let registry = crate::peer::registry();
    let trees = registry.find("trees").unwrap().meta().id;
    peer.add(trees, "woods", "base", &["id", "name", "parent"]);
    peer.add("other_id", "slugs", "base", &["id", "name"]);
    peer.run("INSERT INTO woods VALUES ('tree00000000001', 'oak', '')");
    peer.run("INSERT INTO slugs VALUES ('a-slug', 'name')");
    let summary = peer.imported();
    let names: Vec<_> = summary
        .tallies
        .iter()
        .map(|(name, _)| name.as_str())
        .collect();
    assert_eq!(names, ["trees", "slugs"]);
    assert_eq!(peer.look("SELECT name AS found FROM trees"), "oak");
}

#[test]
fn what_has_no_place_here_is_said() {
    let mut peer = Peer::new().with("slugs", &["id", "name", "picture", "empty"]);
    peer.add("pbc_1", "_externalAuths", "base", &["id"]);
    peer.add("pbc_2", "_otps", "base", &["id"]);
    peer.run("INSERT INTO slugs VALUES ('a', 'name', 'a.png', ''), ('b', '', '', '')");
    peer.run("INSERT INTO _externalAuths VALUES ('a'), ('b')");
    peer.run("UPDATE _collections SET fields = '[{\"name\":\"picture\",\"type\":\"file\"}]'");
    peer.run("INSERT INTO _collections (id, name, type) VALUES ('v', 'seen', 'view')");
    peer.run(
        "INSERT INTO _params (id, value) VALUES ('settings', \
         '{\"smtp\":{\"enabled\":true},\"s3\":{\"enabled\":false},\"superuserIPs\":[\"::1\"]}')",
    );
    let summary = peer.imported();
    assert_eq!(
        summary.notes,
        [
            "2 records of `_externalAuths` are left: the schema has no such collection",
            "`seen` is a view: it has no records of its own",
            "`slugs.picture` (file) is no field of the schema: what is there is left, of 1 record",
            "settings without a counterpart are left: smtp, superuserIPs",
        ]
    );
}

#[test]
fn files_go_where_their_records_are() {
    let mut peer = Peer::new();
    peer.add("there", "slugs", "base", &["id", "name"]);
    peer.run("INSERT INTO slugs VALUES ('a', ''), ('b', '')");
    let files = peer.from().join("storage/there");
    for (name, content) in [
        ("a/one.txt", "1"),
        ("a/thumbs_one.png/1x1_one.png", ""),
        ("b/two.txt", "22"),
        ("gone/three.txt", "333"),
    ] {
        let path = files.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
    let here = |id: &str| {
        let folder = peer.to().join("storage").join(id);
        let found = contents(&folder).into_iter();
        let name = |path: &Path| path.strip_prefix(&folder).unwrap().display().to_string();
        let found = found.map(|(path, content)| (name(&path), String::from_utf8(content).unwrap()));
        found.collect::<Vec<_>>()
    };
    let registry = crate::peer::registry();
    let id = registry.find("slugs").unwrap().meta().id;
    for _ in 0..2 {
        let summary = peer.imported();
        assert_eq!(summary.notes, ["3 files of records, 3 bytes"]);
        let expected = [
            ("a/one.txt", "1"),
            ("a/thumbs_one.png/1x1_one.png", ""),
            ("b/two.txt", "22"),
        ];
        let expected = expected.map(|(name, content)| (name.to_owned(), content.to_owned()));
        assert_eq!(here(id), expected);
        assert!(!peer.to().join("storage.unfinished").exists());
    }
}
