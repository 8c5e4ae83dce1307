//! Builds the files as they are drafted, and leaves out what doesn't build, until all of it does.

use std::collections::BTreeSet;

use basalt_lang::Severity;

use super::draft::{Draft, Item, Part, Written};
use super::{Found, auth};
use crate::diagnostic::{Diagnostic, Place, Report, Span};
use crate::resolve::resolve;
use crate::source::Source;

/// Leaves out what doesn't build. Returns the number of warnings about the rest.
pub(super) fn settle(drafts: &mut [Draft]) -> usize {
    // Rules are judged mildly first: only what is an error even then is left out.
    for draft in drafts.iter_mut() {
        draft.imported = true;
    }
    let mut tried = Tried::of(drafts);
    while let Err(report) = tried.build() {
        if !tried.take_back(&report, drafts) {
            break;
        }
        tried = Tried::of(drafts);
    }
    judge_strictly(drafts);
    Tried::of(drafts)
        .build()
        .unwrap_or_else(|report| report.warnings())
}

/// Only files that need it say that their rules are to be judged mildly.
fn judge_strictly(drafts: &mut [Draft]) {
    for draft in drafts.iter_mut() {
        draft.imported = false;
    }
    let tried = Tried::of(drafts);
    let Err(report) = tried.build() else {
        return;
    };
    for error in report.diagnostics() {
        if let (Severity::Error, Place::Span(span)) = (error.severity, &error.place)
            && let Some(at) = tried.drafts.get(span.file)
            && let Some(draft) = drafts.get_mut(*at)
        {
            draft.imported = true;
        }
    }
}

/// Files as they were built, in the order of the sources.
struct Tried {
    sources: Vec<Source>,
    written: Vec<Written>,
    /// The draft of each source.
    drafts: Vec<usize>,
}

impl Tried {
    fn of(drafts: &[Draft]) -> Self {
        let mut live: Vec<(String, usize)> = drafts
            .iter()
            .enumerate()
            .filter(|(_, draft)| draft.left_out.is_none())
            .map(|(at, draft)| (draft.file(), at))
            .collect();
        // As the compiler orders them.
        live.sort();
        let mut tried = Tried {
            sources: Vec::new(),
            written: Vec::new(),
            drafts: Vec::new(),
        };
        for (path, at) in live {
            let Some(written) = drafts.get(at).map(Draft::write) else {
                continue;
            };
            tried.sources.push(Source {
                path,
                text: written.text.clone(),
            });
            tried.written.push(written);
            tried.drafts.push(at);
        }
        tried
    }

    /// The number of warnings; nothing to build is no mistake.
    fn build(&self) -> Result<usize, Report> {
        if self.sources.is_empty() {
            return Ok(0);
        }
        resolve(&self.sources).map(|checked| checked.warnings.warnings())
    }

    /// Leaves out the place of each error. Returns whether anything changed.
    fn take_back(&self, report: &Report, drafts: &mut [Draft]) -> bool {
        let words = not_yet(drafts);
        let mut changed = false;
        let errors = report.diagnostics().iter();
        for error in errors.filter(|one| one.severity == Severity::Error) {
            changed |= match &error.place {
                Place::Span(span) => self.at_span(error, *span, &words, drafts),
                Place::Path(path) => self.at_path(error, path, drafts),
            };
        }
        changed
    }

    fn at_path(&self, error: &Diagnostic, path: &str, drafts: &mut [Draft]) -> bool {
        let same = |source: &Source| source.path == path;
        let at = self.sources.iter().position(same);
        let draft = at.and_then(|at| drafts.get_mut(*self.drafts.get(at)?));
        draft.is_some_and(|draft| draft.leave_out(&error.message))
    }

    fn at_span(
        &self,
        error: &Diagnostic,
        span: Span,
        words: &BTreeSet<String>,
        drafts: &mut [Draft],
    ) -> bool {
        let draft = self
            .drafts
            .get(span.file)
            .and_then(|at| drafts.get_mut(*at));
        let (Some(draft), Some(written)) = (draft, self.written.get(span.file)) else {
            return false;
        };
        let here = |(range, _): &&(std::ops::Range<usize>, usize)| range.contains(&span.start);
        let Some((_, at)) = written.items.iter().find(here) else {
            return draft.leave_out(&error.message);
        };
        let Some(item) = draft.items.get_mut(*at) else {
            return false;
        };
        let marked = written.text.get(span.start..span.end).unwrap_or_default();
        let (changed, found) = leave_out(item, error, marked, words);
        draft.found.extend(found);
        changed
    }
}

/// Names of what there is not yet: a rule about it is no loss of its own.
fn not_yet(drafts: &[Draft]) -> BTreeSet<String> {
    let mut words = BTreeSet::new();
    for draft in drafts {
        if draft.query.is_some() {
            words.insert(draft.name.clone());
        }
        let found = draft.found.iter().filter(|found| found.not_yet);
        words.extend(found.filter_map(|found| found.field.clone()));
    }
    words
}

impl Draft {
    fn leave_out(&mut self, reason: &str) -> bool {
        if self.left_out.is_some() {
            return false;
        }
        self.left_out = Some(reason.to_owned());
        self.found.push(Found::left_out("the collection", reason));
        true
    }
}

/// Leaves out an item, or the identity field that is marked.
fn leave_out(
    item: &mut Item,
    error: &Diagnostic,
    marked: &str,
    words: &BTreeSet<String>,
) -> (bool, Option<Found>) {
    if item.left_out.is_some() {
        return (false, None);
    }
    let reason = error.message.as_str();
    if let Part::Identity(fields) = &mut item.part {
        let name = marked.trim_matches(['"', '\'']);
        let before = fields.len();
        fields.retain(|field| field != name);
        if fields.len() != before {
            item.text = auth::identity_text(fields);
            item.notes.push(format!("`{name}` is left out: {reason}."));
            let subject = format!("login by `{name}`");
            return (true, Some(Found::left_out(&subject, reason)));
        }
    }
    item.left_out = Some(reason.to_owned());
    let found = match &item.part {
        Part::Rule(key) if mentions(&item.text, words) => {
            let subject = format!("the rule `{key}`");
            Found::not_yet(&subject, reason)
        }
        Part::Rule(key) => Found::left_out(&format!("the rule `{key}`"), reason),
        Part::Field(name) => Found::left_out(&format!("field `{name}`"), reason).of_field(name),
        Part::Index { name, unique: true } => {
            Found::left_out(&format!("the unique index `{name}`"), reason)
        }
        Part::Index { name, .. } => Found::not_yet(&format!("the index `{name}`"), reason),
        Part::Sql => return (false, None),
        Part::Identity(_) => Found::left_out("login by password", reason),
        Part::Token => Found::left_out("the lifetime of tokens", reason),
    };
    (true, Some(found))
}

/// Does a rule use one of these words?
fn mentions(rule: &str, words: &BTreeSet<String>) -> bool {
    let separate = |c: char| !c.is_ascii_alphanumeric() && c != '_';
    rule.split(separate).any(|word| {
        words.contains(word)
            || word
                .split_once("_via_")
                .is_some_and(|(c, f)| words.contains(c) || words.contains(f))
    })
}
