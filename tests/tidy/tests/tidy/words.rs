//! How modules begin, and words that stand nowhere.

use super::none;
use super::tree::{File, files, sources};

/// `path:line: line` for each line that has one of the words.
fn with_words<'a>(
    file: &'a File,
    lines: impl Iterator<Item = (usize, &'a str)>,
    words: &[&str],
) -> Vec<String> {
    let found = lines.filter(|(_, line)| words.iter().any(|word| line.contains(word)));
    let found = found.map(|(number, line)| format!("{}:{number}: {}", file.path, line.trim()));
    found.collect()
}

#[test]
fn each_module_says_what_it_is_for() {
    let mut silent = Vec::new();
    for file in sources() {
        if !file.text.starts_with("//! ") {
            silent.push(file.path);
        }
    }
    none(&silent, "modules begin with a line of `//!`");
}

#[test]
fn nothing_is_left_to_do() {
    // Put together, so that this file isn't found.
    let words = [
        concat!("TO", "DO"),
        concat!("FIX", "ME"),
        concat!("XX", "X"),
    ];
    let texts = files(&["rs", "toml", "md", "mjs", "sql"]);
    let found: Vec<String> = texts
        .iter()
        .flat_map(|file| with_words(file, file.lines(), &words))
        .collect();
    none(&found, "work that is left is an issue, no comment");
}

#[test]
fn tests_run_fail_by_assertion_and_wait_for_events() {
    let words = [
        concat!("#[ign", "ore"),
        concat!("should_", "panic"),
        concat!("thread::sl", "eep"),
        concat!("time::sl", "eep"),
    ];
    let files = sources();
    // The benchmark is a program, not a test: it waits for servers that it doesn't know.
    let tests = files.iter().filter(|file| !file.is_in(&["tests/bench/"]));
    let found: Vec<String> = tests
        .flat_map(|file| with_words(file, file.tests(), &words))
        .collect();
    none(&found, "no test is skipped, panics on purpose or sleeps");
}
