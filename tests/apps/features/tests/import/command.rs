//! The commands of the built program.

use std::fs;
use std::time::Duration;

use basalt_blackbox::Target;
use basalt_blackbox::process::{self, Ended, spawn};

use crate::peer::{Peer, contents};

fn program() -> Target {
    Target::application(env!("CARGO_BIN_EXE_basalt-features-app"))
}

/// Runs a command; `$FROM`, `$TO` and `$FILE` stand for paths.
fn run(peer: &Peer, command: &str) -> Ended {
    let args: Vec<String> = command.split(' ').map(|part| path(peer, part)).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    program().run(&args, peer.root()).unwrap()
}

fn path(peer: &Peer, part: &str) -> String {
    match part {
        "$FROM" => peer.from().display().to_string(),
        "$TO" => peer.to().display().to_string(),
        "$FILE" => peer.root().join("file.csv").display().to_string(),
        other => other.to_owned(),
    }
}

#[test]
fn a_summary_and_exit_codes() {
    let mut peer = Peer::new().with("slugs", &["id", "name"]);
    peer.run("INSERT INTO slugs VALUES ('a', 'first'), ('b', 'second')");
    let tried = run(&peer, "import data $FROM --dir $TO --dry-run");
    assert_eq!((tried.code, tried.stderr.as_str()), (Some(0), ""));
    assert!(
        tried
            .stdout
            .ends_with("Nothing was changed: this was a dry run.\n")
    );
    let done = run(&peer, "import data $FROM --dir $TO");
    assert_eq!((done.code, done.stderr.as_str()), (Some(0), ""));
    assert_eq!(
        done.stdout,
        "collection       read    written    present    refused\n\
         slugs               2          2          0          0\n\
         Done. What was read and what is stored have been compared: they are the same.\n"
    );
    let written = run(
        &peer,
        "export data slugs --dir $TO --format csv --out $FILE",
    );
    assert_eq!(written.code, Some(0), "{written:?}");
    let file = peer.root().join("file.csv");
    assert_eq!(
        fs::read_to_string(&file).unwrap(),
        "id,name\na,first\nb,second\n"
    );
    let shown = run(&peer, "export data slugs --dir $TO");
    assert_eq!(
        shown.stdout,
        "{\"id\":\"a\",\"name\":\"first\"}\n{\"id\":\"b\",\"name\":\"second\"}\n"
    );
    fs::write(&file, "id,name\na,first\nc,third\n").unwrap();
    let read = run(&peer, "import records slugs $FILE --dir $TO");
    assert_eq!((read.code, read.stderr.as_str()), (Some(0), ""));
    assert_eq!(
        peer.look("SELECT group_concat(name) AS found FROM slugs"),
        "first,second,third"
    );
    for (command, code, message) in [
        ("import data $TO/nothing --dir $TO", 1, "error: "),
        ("import data", 2, "required"),
        (
            "export data nothing --dir $TO",
            1,
            "error: there is no collection `nothing`",
        ),
        ("import records slugs $TO --dir $TO", 1, "error: "),
    ] {
        let ended = run(&peer, command);
        assert_eq!(ended.code, Some(code), "{command}: {ended:?}");
        assert!(ended.stderr.contains(message), "{command}: {ended:?}");
    }
    peer.run("UPDATE slugs SET name = 'other'");
    let refused = run(&peer, "import data $FROM --dir $TO");
    assert_eq!(refused.code, Some(1));
    assert!(
        refused
            .stderr
            .starts_with("error: 2 records are refused, so nothing was changed")
    );
}

#[test]
fn an_import_that_is_killed_begins_anew() {
    let mut peer = Peer::new().with("slugs", &["id", "name"]);
    peer.run(
        "WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 30000) \
         INSERT INTO slugs SELECT 'slug' || n, 'name' || n FROM numbers",
    );
    let args = ["import", "data", "$FROM", "--dir", "$TO"].map(|part| path(&peer, part));
    let args = args.each_ref().map(String::as_str);
    let target = program();
    let mut killed = 0;
    for limit in [1, 20, 100, 300] {
        let mut child = spawn(&target.program, &args, peer.root(), "killed").unwrap();
        let ended = process::wait(&mut child, Duration::from_millis(limit)).unwrap();
        killed += u32::from(ended.is_none());
    }
    assert!(killed > 0);
    let summary = peer.imported();
    let tally = &summary.tallies[0].1;
    assert_eq!(tally.written + tally.present, 30000, "{summary}");
    assert_eq!(
        peer.look("SELECT count(*) || '' AS found FROM slugs"),
        "30000"
    );
    let left = contents(&peer.to());
    let names: Vec<_> = left
        .iter()
        .map(|(path, _)| path.file_name().unwrap().to_str().unwrap())
        .collect();
    assert_eq!(names, ["data.db", "data.db.lock"]);
}
