//! Requests that are answered with what an earlier one was answered, and what is kept for that.

use std::sync::Arc;

use rocket::Request;

use super::depends::Depends;
use super::{Reply, Shared};
use crate::registry::Entry;
use crate::request::Auth;
use crate::storage::{Answer, Watch};

/// What a client says about answers that it or the server has already.
pub struct Wish<'r> {
    /// Nothing that an earlier request found out: neither its totals nor its answer.
    pub anew: bool,
    /// The entity tags of what the client has: `If-None-Match`.
    tags: Option<&'r str>,
    /// The state before anything was read, if the answer may be kept. There is no body then.
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

impl<'r> Wish<'r> {
    /// To be asked before the caller's record is read, on which answers depend too.
    pub fn of(app: &Shared, request: &'r Request<'_>) -> Self {
        let headers = request.headers();
        let anew = headers.get("Cache-Control").any(forbids);
        // Rules may look at a body.
        let bare = !headers.contains("Transfer-Encoding")
            && headers.get_one("Content-Length").is_none_or(|it| it == "0");
        let keeps = app.answers.are_kept() && !anew && bare;
        Wish {
            anew,
            tags: headers.get_one("If-None-Match"),
            before: keeps.then(|| app.db.changes()).flatten(),
        }
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
        match self.tags {
            Some(tags) if names(tags, &answer.tag) => Reply::unchanged(&answer.tag),
            _ => Reply::kept(Arc::clone(&answer.body), &answer.tag),
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
    let (own, length, id) = (entry.meta().name, account.len(), id.unwrap_or_default());
    format!("{verb} {own} {caller} {length} {account} {query} {id}")
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
