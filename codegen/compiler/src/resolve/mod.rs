//! Documents to the model: names and types are looked up, rules compiled, indexes derived. Every
//! mistake is collected; a broken part leaves a recovery value, so that its neighbours are still
//! checked and nothing is reported twice.

use std::collections::BTreeSet;

use basalt_lang::{Scope, Severity};

use crate::diagnostic::{Code, Diagnostic, Place, Report, Span, Spanned};
use crate::ir::{self, Location};
use crate::load::{self, Document};
use crate::source::Source;

mod auth;
mod collections;
mod cycles;
mod dates;
mod defaults;
mod fields;
mod follows;
mod implied;
mod indexes;
mod kinds;
mod lint;
mod patterns;
mod rules;
mod view;

pub use view::RuleView;

/// A schema without errors.
#[derive(Debug, Clone, PartialEq)]
pub struct Checked {
    /// The model.
    pub schema: ir::Schema,
    /// What is valid, but odd.
    pub warnings: Report,
}

/// Reads, checks and resolves schema files. The order of the files makes no difference.
///
/// # Errors
/// All errors of all files at once, and the warnings with them.
pub fn resolve(sources: &[Source]) -> Result<Checked, Report> {
    let mut sources = sources.to_vec();
    sources.sort_by(|left, right| left.path.cmp(&right.path));
    let mut found = Vec::new();
    if sources.is_empty() {
        let message = "there are no schema files";
        found.push(Diagnostic::of_path(Code::NoFiles, "schema", message));
    }
    let mut documents = load::load(&sources, &mut found);
    documents.push(implied::superusers(sources.len()));
    let mut cx = Context {
        sources: &sources,
        line_starts: sources.iter().map(line_starts).collect(),
        missing_collections: documents.iter().any(|document| document.nameless),
        torn: documents
            .iter()
            .filter(|document| document.broken || document.partial)
            .map(|document| document.file)
            .collect(),
        found,
        broken_fields: BTreeSet::new(),
    };
    let schema = model(&documents, &mut cx);
    let found = cx.found;
    let failed = found.iter().any(|one| one.severity == Severity::Error);
    let report = Report::new(found, &sources);
    if failed {
        return Err(report);
    }
    Ok(Checked {
        schema,
        warnings: report,
    })
}

/// The steps, in order: each needs what those before it have settled.
fn model(documents: &[Document], cx: &mut Context<'_>) -> ir::Schema {
    let drafts = collections::order(documents, cx);
    let mut schema = ir::Schema {
        collections: collections::declare(&drafts, cx),
    };
    fields::resolve(&drafts, &mut schema, cx);
    cycles::check(&drafts, &schema, cx);
    let view = RuleView::with_access(&schema, |at| rules::list_access(&drafts, at));
    indexes::resolve(&drafts, &mut schema, &view, cx);
    auth::resolve(&drafts, &mut schema, cx);
    rules::resolve(&drafts, &mut schema, &view, cx);
    indexes::of_rules(&mut schema);
    lint::check(&drafts, &schema, &view, cx);
    schema
}

/// The first byte of each line.
fn line_starts(source: &Source) -> Vec<usize> {
    let breaks = source.text.match_indices('\n').map(|(at, _)| at + 1);
    std::iter::once(0).chain(breaks).collect()
}

/// What every step needs: the sources, the findings, and what is known to be broken.
struct Context<'a> {
    sources: &'a [Source],
    /// Where the lines of each source start: every field and rule is located.
    line_starts: Vec<Vec<usize>>,
    found: Vec<Diagnostic>,
    /// Fields whose type or name could not be settled, each behind its collection's name in Rust:
    /// rules that lead through them are not judged.
    broken_fields: BTreeSet<(String, String)>,
    /// Some file gives no name: collections that seem unknown may be there.
    missing_collections: bool,
    /// Files that could not be read whole: fields that seem unknown may be there.
    torn: BTreeSet<usize>,
}

impl Context<'_> {
    fn report(
        &mut self,
        code: Code,
        span: Span,
        message: impl Into<String>,
        label: impl Into<String>,
    ) {
        self.found.push(Diagnostic::new(code, span, message, label));
    }

    fn push(&mut self, found: Diagnostic) {
        self.found.push(found);
    }

    /// Path and line; nothing for what no file says.
    fn location(&self, span: Span) -> Location {
        match (self.sources.get(span.file), self.line_starts.get(span.file)) {
            (Some(source), Some(starts)) => Location {
                path: source.path.clone(),
                line: starts.partition_point(|start| *start <= span.start),
            },
            _ => Location::default(),
        }
    }

    /// Where some bytes of a string's value stand.
    fn inside(&self, string: &Spanned<String>, start: usize, end: usize) -> Span {
        let bytes = basalt_lang::span::Span { start, end };
        load::inside(self.sources, string.span, bytes)
    }

    /// Adds a finding of the rule language about a text of the file, unless it only follows from
    /// something that was reported where it is.
    fn push_rule_error(
        &mut self,
        text: &Spanned<String>,
        error: &basalt_lang::Error,
        scope: &Scope<'_>,
    ) {
        if self.only_follows(text, error, scope) {
            return;
        }
        let span = error.span;
        let place = self.inside(text, span.start, span.end);
        let found = Diagnostic::of_rule(error, place);
        if !self
            .found
            .iter()
            .any(|earlier| earlier.place == Place::Span(place) && earlier.message == found.message)
        {
            self.push(found);
        }
    }

    /// Is the file of this text one that could not be read whole?
    fn is_torn(&self, text: &Spanned<String>) -> bool {
        self.torn.contains(&text.span.file)
    }

    fn mark_broken(&mut self, table: &str, field: &str) {
        self.broken_fields
            .insert((table.to_owned(), field.to_owned()));
    }

    fn is_broken(&self, collection: &ir::Collection, field: &str) -> bool {
        let key = (collection.name.rust.clone(), field.to_owned());
        self.broken_fields.contains(&key)
    }
}
