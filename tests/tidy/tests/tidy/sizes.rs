//! Files that can be read at one sitting, functions that fit a screen.

use super::none;
use super::tree::{File, sources};

/// A function: where it begins, and how many lines it has.
struct Function<'a> {
    place: String,
    signature: &'a str,
    lines: usize,
}

/// The functions among these lines. The formatter ends each with a brace at the indentation of
/// its first line, so no parser is needed.
fn functions<'a>(file: &File, lines: impl Iterator<Item = (usize, &'a str)>) -> Vec<Function<'a>> {
    let lines: Vec<(usize, &str)> = lines.collect();
    let mut found = Vec::new();
    for (start, (number, line)) in lines.iter().enumerate() {
        let signature = line.trim_start();
        let before = signature.split("fn ").next().unwrap_or_default();
        let words = ["", "async", "const", "pub", "pub(crate)", "pub(super)"];
        if before == signature || !before.split(' ').all(|word| words.contains(&word)) {
            continue;
        }
        let indent = line.len() - signature.len();
        let mut rest = lines.iter().skip(start).map(|(_, line)| *line);
        let Some(head) = rest
            .clone()
            .position(|line| line.ends_with(['{', ';', '}']))
        else {
            continue;
        };
        let end = format!("{:indent$}}}", "");
        let has_body = rest
            .clone()
            .nth(head)
            .is_some_and(|line| line.ends_with('{'));
        let last = if has_body {
            rest.position(|line| line == end)
        } else {
            Some(head)
        };
        found.push(Function {
            place: format!("{}:{number}", file.path),
            signature,
            lines: last.unwrap_or_else(|| panic!("{}:{number} has no end", file.path)) + 1,
        });
    }
    found
}

/// The value that `share` of the sorted values don't exceed.
fn quantile(sorted: &[usize], share: f64) -> usize {
    let place = (sorted.len().saturating_sub(1)) as f64 * share;
    sorted.get(place as usize).copied().unwrap()
}

#[test]
fn files_are_short() {
    let files = sources();
    let mut lengths: Vec<usize> = files.iter().map(|file| file.lines().count()).collect();
    lengths.sort_unstable();
    let (median, most) = (quantile(&lengths, 0.5), quantile(&lengths, 0.9));
    assert!(median <= 200, "the median file has {median} lines");
    assert!(most <= 400, "one file in ten has over {most} lines");
    let long = files.iter().filter(|file| file.lines().count() > 600);
    let long: Vec<String> = long.map(|file| file.path.clone()).collect();
    none(&long, "files have at most 600 lines");
}

#[test]
fn functions_are_short() {
    let (mut long, mut lengths) = (Vec::new(), Vec::new());
    for file in &sources() {
        let code = functions(file, file.code());
        lengths.extend(code.iter().map(|function| function.lines));
        let code = code.into_iter().map(|function| (function, 80));
        let tests = functions(file, file.tests()).into_iter();
        let tests = tests.map(|function| (function, 120));
        for (function, limit) in code.chain(tests) {
            if function.lines > limit {
                let Function {
                    place,
                    signature,
                    lines,
                } = function;
                long.push(format!(
                    "{place}: {lines} lines, at most {limit}: {signature}"
                ));
            }
        }
    }
    none(&long, "functions fit a screen");
    lengths.sort_unstable();
    assert!(lengths.len() > 1000, "only {} functions", lengths.len());
    let most = quantile(&lengths, 0.9);
    assert!(most <= 45, "one function in ten has over {most} lines");
}
