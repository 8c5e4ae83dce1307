//! Requests that are answered with what an earlier one was answered, and what is kept for that.

use std::sync::Arc;

use rocket::Request;
use rocket::http::Header;

use super::depends::Depends;
use super::{Reply, Shared};
use crate::registry::Entry;
use crate::request::Auth;
use crate::storage::{Answer, Watch};

/// What a client says about answers that it or the server has already.
#[derive(Default)]
pub struct Wish {
    /// Nothing that an earlier request found out: neither its totals nor its answer.
    pub anew: bool,
    /// The entity tags of what the client has: `If-None-Match`.
    tags: Vec<String>,
    /// Is there no body?
    pub bare: bool,
    /// The state before anything was read, if the answer may be kept.
    pub before: Option<u64>,
}

/// An answer that is being read, with what it is to be kept under.
pub struct Keeping {
    key: String,
    before: u64,
}

/// What an answer that is being read depends on, as of the moment before.
pub struct Moment {
    key: String,
    watch: Watch,
    version: u64,
}

impl Wish {
    /// To be asked before the caller's record is read, on which answers depend too.
    pub fn of(app: &Shared, request: &Request<'_>) -> Self {
        let mut wish = Wish {
            bare: true,
            ..Wish::default()
        };
        // One way through all of them is much shorter than to look each of these up.
        for Header { name, value } in request.headers().iter() {
            let name = name.as_str();
            let is = |wanted: &str| name.eq_ignore_ascii_case(wanted);
            match name.len() {
                13 if is("Cache-Control") => wish.anew = wish.anew || forbids(&value),
                13 if is("If-None-Match") => wish.tags.push(value.into_owned()),
                14 if is("Content-Length") => wish.bare = wish.bare && value == "0",
                17 if is("Transfer-Encoding") => wish.bare = false,
                _ => {}
            }
        }
        // Rules may look at a body.
        if wish.bare && !wish.anew && app.answers.are_kept() {
            wish.before = app.db.changes();
        }
        wish
    }

    /// The answer that was kept, or what it will be kept under.
    pub fn known(
        app: &Shared,
        request: &Request<'_>,
        entry: &Entry,
        id: Option<&str>,
        auth: Option<&Auth>,
        before: u64,
    ) -> Result<Arc<Answer>, Keeping> {
        let key = key(request, entry, id, auth);
        let found = app.answers.find(&key);
        found.ok_or(Keeping { key, before })
    }

    /// An answer that is kept: 304 if the client has it already.
    pub fn reply(&self, answer: &Answer) -> Reply {
        if self.tags.iter().any(|tags| names(tags, &answer.tag)) {
            Reply::unchanged(&answer.tag)
        } else {
            Reply::kept(Arc::clone(&answer.body), &answer.tag)
        }
    }
}

/// Parts can't be taken for each other: names and a URL's query have no blanks, and of the two ids
/// the length of one is told.
fn key(request: &Request<'_>, entry: &Entry, id: Option<&str>, auth: Option<&Auth>) -> String {
    let query = request.uri().query().map_or("", |query| query.as_str());
    let (caller, account) = match auth {
        Some(auth) => (auth.record.meta().name, auth.record.id()),
        None => ("", ""),
    };
    let verb = if id.is_some() { "view" } else { "list" };
    let length = account.len().to_string();
    let (own, id) = (entry.meta().name, id.unwrap_or_default());
    [verb, own, caller, &length, account, query, id].join(" ")
}

impl Keeping {
    /// To be asked when all is known that the answer depends on, and before it is read. `None` if
    /// it can't be kept.
    pub fn begin(self, app: &Shared, depends: &Depends<'_>) -> Option<Moment> {
        if !depends.repeats() {
            return None;
        }
        let watch = app.db.watch(depends.collections());
        let version = watch.version();
        // The caller's record was read before the versions were taken: it must be of that state.
        (app.db.changes() == Some(self.before)).then_some(Moment {
            key: self.key,
            watch,
            version,
        })
    }
}

impl Moment {
    /// Keeps the answer.
    pub fn keep(self, app: &Shared, body: Vec<u8>, late: bool) -> Arc<Answer> {
        let answer = Arc::new(Answer::new(body, late, self.watch, self.version));
        app.answers.keep(self.key, Arc::clone(&answer));
        answer
    }
}

/// Does a line of `Cache-Control` ask for an answer that nothing earlier went into?
fn forbids(line: &str) -> bool {
    let mut directives = line.split(',').map(str::trim);
    directives.any(|directive| {
        ["no-cache", "no-store"]
            .iter()
            .any(|no| directive.eq_ignore_ascii_case(no))
    })
}

/// Is this tag one of a list? `If-None-Match` compares weakly.
fn names(tags: &str, tag: &str) -> bool {
    let mut tags = tags.split(',').map(str::trim);
    tags.any(|one| one == "*" || one.strip_prefix("W/").unwrap_or(one) == tag)
}

#[cfg(test)]
mod tests {
    use super::{forbids, names};

    #[test]
    fn directives_are_words_of_a_list() {
        for line in ["no-cache", "max-age=0, No-Store", "no-store"] {
            assert!(forbids(line), "{line}");
        }
        for line in ["", "max-age=0", "no-cachet", "only-if-cached"] {
            assert!(!forbids(line), "{line}");
        }
    }

    #[test]
    fn tags_are_found_in_lists() {
        for tags in [
            "\"a\"",
            "W/\"a\"",
            "\"b\", \"a\"",
            " W/\"b\" ,W/\"a\" ",
            "*",
        ] {
            assert!(names(tags, "\"a\""), "{tags}");
        }
        for tags in ["", "a", "\"b\"", "\"A\"", "W/", "w/\"a\""] {
            assert!(!names(tags, "\"a\""), "{tags}");
        }
    }
}
