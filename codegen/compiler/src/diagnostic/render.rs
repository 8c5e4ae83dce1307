//! Findings as text: the place as `path:line:col`, and miette's graphical form.

use std::fmt;

use basalt_lang::Severity;
use miette::{
    GraphicalReportHandler, GraphicalTheme, LabeledSpan, MietteError, MietteSpanContents,
    SourceCode, SourceSpan, SpanContents,
};

use super::{Diagnostic, Place, Span};
use crate::source::Source;

/// Lines longer than this are not quoted: nobody reads them, and a report must stay readable.
const LONGEST_QUOTED_LINE: usize = 400;

/// `path:line:col`, or the path alone.
pub(super) fn place(place: &Place, sources: &[Source]) -> String {
    match place {
        Place::Path(path) => path.clone(),
        Place::Span(span) => match sources.get(span.file) {
            Some(source) => {
                let (line, column) = source.line_column(span.start);
                format!("{}:{line}:{column}", source.path)
            }
            None => String::new(),
        },
    }
}

/// One finding, as it is shown in a terminal.
pub(super) fn graphical(found: &Diagnostic, sources: &[Source], color: bool) -> String {
    let theme = if color {
        GraphicalTheme::unicode()
    } else {
        GraphicalTheme::unicode_nocolor()
    };
    let handler = GraphicalReportHandler::new_themed(theme)
        .with_width(100)
        .with_links(false);
    let mut text = String::new();
    if handler
        .render_report(&mut text, &Shown::new(found, sources))
        .is_err()
    {
        // Only a place outside of its source can do that; the finding itself must not be lost.
        text = format!("{}: {}\n", place(&found.place, sources), found.message);
    }
    let lines = text.lines().map(str::trim_end);
    let mut text = lines.collect::<Vec<_>>().join("\n");
    text.push('\n');
    text
}

#[derive(Debug)]
struct Shown<'s> {
    message: String,
    code: &'static str,
    severity: Severity,
    help: Option<String>,
    source: Option<&'s Source>,
    labels: Vec<LabeledSpan>,
}

impl<'s> Shown<'s> {
    fn new(found: &Diagnostic, sources: &'s [Source]) -> Self {
        let mut shown = Self {
            message: found.message.clone(),
            code: found.code,
            severity: found.severity,
            help: found.help.clone(),
            source: None,
            labels: Vec::new(),
        };
        match quotable(&found.place, sources) {
            Some((span, source)) => {
                shown.source = Some(source);
                shown.labels.push(LabeledSpan::new_primary_with_span(
                    Some(found.label.clone()).filter(|label| !label.is_empty()),
                    (span.start, span.end - span.start),
                ));
            }
            None => {
                let place = place(&found.place, sources);
                shown.message = format!("{place}: {}", found.message);
            }
        }
        for (span, label) in &found.also {
            shown.add(*span, label, &found.place, sources);
        }
        shown
    }

    /// Another place: a second label in the same file, a line of help in another one.
    fn add(&mut self, span: Span, label: &str, primary: &Place, sources: &[Source]) {
        let same_file = matches!(primary, Place::Span(first) if first.file == span.file);
        if same_file && self.source.is_some() {
            let range = (span.start, span.end.saturating_sub(span.start));
            let label = LabeledSpan::new_with_span(Some(label.to_owned()), range);
            self.labels.push(label);
            return;
        }
        let line = format!("{label}: {}", place(&Place::Span(span), sources));
        self.help = Some(match self.help.take() {
            Some(help) => format!("{help}\n{line}"),
            None => line,
        });
    }
}

/// The source to quote, unless the place has none or its line is too long.
fn quotable<'a>(place: &Place, sources: &'a [Source]) -> Option<(Span, &'a Source)> {
    let Place::Span(span) = place else {
        return None;
    };
    let source = sources.get(span.file)?;
    let before = source.text.get(..span.start)?;
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    let line = source.text.get(start..)?.lines().next().unwrap_or_default();
    (line.len() <= LONGEST_QUOTED_LINE && span.end <= source.text.len()).then_some((*span, source))
}

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Shown<'_> {}

impl miette::Diagnostic for Shown<'_> {
    fn code<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        Some(Box::new(self.code))
    }

    fn severity(&self) -> Option<miette::Severity> {
        Some(match self.severity {
            Severity::Error => miette::Severity::Error,
            Severity::Warning => miette::Severity::Warning,
        })
    }

    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.help
            .as_ref()
            .map(|help| Box::new(help) as Box<dyn fmt::Display>)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.source.map(|source| source as &dyn SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        Some(Box::new(self.labels.iter().cloned()))
    }
}

impl SourceCode for Source {
    /// The text's own contents, but with the path, and with columns that count characters.
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        lines_before: usize,
        lines_after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        let inner = self.text.read_span(span, lines_before, lines_after)?;
        let column = self.line_column(inner.span().offset()).1;
        Ok(Box::new(MietteSpanContents::new_named(
            self.path.clone(),
            inner.data(),
            *inner.span(),
            inner.line(),
            column.saturating_sub(1),
            inner.line_count(),
        )))
    }
}
