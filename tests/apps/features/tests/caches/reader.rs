//! Those who read while others write, and the comparison at rest.

use std::collections::HashMap;
use std::sync::Mutex;

use basalt_blackbox::shortcuts::ok;
use basalt_blackbox::{Client, Response};

/// Pages that are asked for again and again.
const MOST: usize = 120;

/// The pages that writers look at; closed while nobody writes.
#[derive(Default)]
pub struct Pages(Mutex<State>);

#[derive(Default)]
struct State {
    paths: Vec<String>,
    closed: bool,
}

impl Pages {
    /// Remembers a page; the oldest are forgotten.
    pub fn note(&self, path: &str) {
        let mut state = self.0.lock().unwrap();
        if !state.paths.iter().any(|known| known == path) {
            state.paths.push(path.to_owned());
            if state.paths.len() > MOST {
                state.paths.remove(0);
            }
        }
    }

    pub fn close(&self) {
        self.0.lock().unwrap().closed = true;
    }

    /// What there is, for the next round.
    pub fn open(&self) -> Vec<String> {
        let mut state = self.0.lock().unwrap();
        state.closed = false;
        state.paths.clone()
    }

    fn pick(&self, turn: usize) -> Option<Option<String>> {
        let state = self.0.lock().unwrap();
        let from_newest = turn % 8 % state.paths.len().max(1);
        let place = state.paths.len().checked_sub(1 + from_newest);
        (!state.closed).then(|| place.map(|place| state.paths[place].clone()))
    }
}

/// Asks for what writers look at, until they are done. One record's number only grows, so whoever
/// reads it again must not see less.
pub fn watch(number: usize, callers: &[Client], pages: &Pages, counter: &str) {
    let mut seen = 0;
    for turn in number.. {
        let Some(path) = pages.pick(turn) else { return };
        let caller = &callers[turn / 3 % callers.len()];
        if let Some(path) = path {
            let answer = caller.get(&path).unwrap();
            assert!(matches!(answer.status, 200 | 404), "{path}: {answer:?}");
        }
        let now = ok(caller.get(counter))["n"].as_i64().unwrap();
        assert!(now >= seen, "{counter} was at {seen}, now at {now}");
        seen = now;
    }
}

/// While nobody writes: kept and new answers are the same, for each caller. Returns how many were
/// compared.
pub fn compare(callers: &[Client], paths: &[String]) -> usize {
    for (number, path) in paths.iter().enumerate() {
        for (who, caller) in callers.iter().enumerate() {
            let fresh = caller.with_header("Cache-Control", "no-cache");
            let first = caller.get(path).unwrap();
            let (second, anew) = if number % 2 == 0 {
                let anew = fresh.get(path).unwrap();
                (caller.get(path).unwrap(), anew)
            } else {
                (caller.get(path).unwrap(), fresh.get(path).unwrap())
            };
            // What is read anew is not kept, and so has no tag.
            assert_eq!(anew.etag, "");
            for mut kept in [first, second.clone()] {
                kept.etag.clear();
                assert_eq!(kept, anew, "{path} as caller {who}, kept and anew");
            }
            unchanged(caller, path, &second);
        }
    }
    callers.len() * paths.len()
}

/// Who has the answer already is told so, and who has another gets it.
fn unchanged(caller: &Client, path: &str, known: &Response) {
    if known.etag.is_empty() {
        return;
    }
    let same = caller.with_header("If-None-Match", &known.etag);
    let same = same.get(path).unwrap();
    assert_eq!((same.status, same.text.as_str()), (304, ""), "{path}");
    assert_eq!(same.etag, known.etag, "{path}");
    let other = caller.with_header("If-None-Match", "\"another\"");
    assert_eq!(other.get(path).unwrap(), *known, "{path}");
}

/// A client that keeps what it got, as browsers do, and asks whether that still holds.
#[derive(Default)]
pub struct Browser(HashMap<String, Response>);

impl Browser {
    /// The answer, whether it came or was kept.
    pub fn get(&mut self, client: &Client, path: &str) -> Response {
        let kept = self.0.get(path);
        let answer = match kept {
            Some(kept) => client.with_header("If-None-Match", &kept.etag).get(path),
            None => client.get(path),
        };
        let answer = answer.unwrap();
        if let (304, Some(kept)) = (answer.status, kept) {
            return kept.clone();
        }
        if answer.etag.is_empty() {
            self.0.remove(path);
        } else {
            self.0.insert(path.to_owned(), answer.clone());
        }
        answer
    }
}
