//! The commands of the guide, as they stand there.

use crate::support::{Database, Place, collections};

const GUIDE: &str = include_str!("../../../../docs/from-pocketbase.md");

/// The lines of the guide's first step that are commands.
fn commands() -> Vec<&'static str> {
    let step = GUIDE.split("\n## ").find(|part| part.starts_with("1. "));
    let lines = step.unwrap().lines();
    let commands = lines.filter(|line| line.starts_with("    ") && line.contains("basalt "));
    commands.map(str::trim).collect()
}

#[test]
fn the_steps_for_the_schema_work_as_they_are_told() {
    let place = Place::new();
    drop(Database::make(&place.path("pb_data"), &collections()));
    place.write("pb_schema.json", collections().to_string());
    let commands = commands();
    assert!(commands.len() >= 5, "{commands:?}");
    for command in commands {
        let args: Vec<&str> = command.split_whitespace().collect();
        assert_eq!(args[0], "basalt", "{command}");
        let ended = place.run(&args[1..]);
        assert_eq!(ended.code, Some(0), "{command}: {ended:?}");
    }
    assert!(place.read("schema/posts.toml").contains("public = true"));
    let folder = place.path("migrations/sqlite");
    let made = std::fs::read_dir(folder).unwrap().next().unwrap().unwrap();
    let sql = std::fs::read_to_string(made.path().join("up.sql")).unwrap();
    assert!(sql.contains("CREATE TABLE \"posts\""), "{sql}");
}
