//! Everything that can be wrong with schema files: the codes with their severity and general help,
//! one finding ([`Diagnostic`]), and all findings with their sources ([`Report`]).

use std::fmt;
use std::sync::Arc;

use basalt_lang::Severity;

use crate::source::Source;

mod render;

/// Nobody reads more findings at once, and each costs a search for its line.
const MOST_SHOWN: usize = 200;

/// A message, label or help that is longer is cut.
const LONGEST_TEXT: usize = 300;

/// A range of bytes in one of the sources.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Span {
    /// The source's place in the list that was given.
    pub file: usize,
    /// First byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

/// A value and where it stands.
#[derive(Debug, Clone)]
pub struct Spanned<T> {
    /// The value.
    pub value: T,
    /// Its place.
    pub span: Span,
}

macro_rules! codes {
    ($($name:ident = $text:literal, $severity:ident, $help:literal;)+) => {
        /// The kind of a finding about the files themselves; findings in rules bring the language's
        /// own codes.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Code { $(#[doc = $text] $name,)+ }

        impl Code {
            /// Every code, so that a test can ask for a case of each.
            pub const ALL: &'static [Code] = &[$(Code::$name,)+];

            /// The stable name, e.g. `schema::unknown_field_type`.
            pub fn as_str(self) -> &'static str {
                match self { $(Code::$name => $text,)+ }
            }

            /// Error or warning.
            pub fn severity(self) -> Severity {
                match self { $(Code::$name => Severity::$severity,)+ }
            }

            /// What to do when the place where it was found knows nothing better.
            pub fn help(self) -> &'static str {
                match self { $(Code::$name => $help,)+ }
            }
        }
    };
}

codes! {
    Unreadable = "source::unreadable", Error, "check that the path exists and may be read";
    NotUtf8 = "source::not_utf8", Error, "save the file as UTF-8";
    TooLarge = "source::too_large", Error, "a schema file holds one collection; 1 MiB is the limit";
    NoFiles = "source::no_files", Error, "add a file such as `posts.toml` with `name = \"posts\"` and a `[fields]` table";
    Syntax = "schema::syntax", Error, "the file must be valid TOML";
    UnknownKey = "schema::unknown_key", Error, "see the README of the schema directory for the keys that exist";
    WrongType = "schema::wrong_type", Error, "give a value of the expected type";
    MissingKey = "schema::missing_key", Error, "add the key";
    UnknownChoice = "schema::unknown_choice", Error, "use one of the allowed values";
    UnknownCollectionType = "schema::unknown_collection_type", Error, "use `base` or `auth`";
    UnknownFieldType = "schema::unknown_field_type", Error, "use one of: text, editor, number, bool, email, url, date, autodate, select, relation, json, password, geoPoint";
    Unsupported = "schema::unsupported", Error, "leave it out for now";
    BadName = "schema::bad_name", Error, "use letters (a-z, A-Z), digits and underscores";
    ReservedName = "schema::reserved_name", Error, "choose another name";
    DuplicateName = "schema::duplicate_name", Error, "rename one of the two";
    NameClash = "schema::name_clash", Error, "rename one of the two";
    TooManyFields = "schema::too_many_fields", Error, "move some of them into a collection of their own";
    ManyFields = "schema::many_fields", Warning, "the package needs `diesel` with a feature for wide tables";
    BadId = "schema::bad_id", Error, "use 1 to 100 letters (a-z, A-Z), digits and underscores";
    DuplicateId = "schema::duplicate_id", Error, "give each collection an id of its own, or leave `id` out";
    BadRename = "schema::bad_rename", Error, "`renamed_from` is the name before, which nothing may bear now";
    UnknownCollection = "schema::unknown_collection", Error, "add a file for that collection, or name one that exists";
    BadRange = "schema::bad_range", Error, "correct one of the bounds";
    BadValues = "schema::bad_values", Error, "list each value once";
    BadPattern = "schema::bad_pattern", Error, "use the syntax of RE2: no look-around, no back-references";
    BadGenerator = "schema::bad_generator", Error, "every generated value must satisfy the field's other options";
    Contradiction = "schema::contradiction", Error, "remove one of the two";
    BadDefault = "schema::bad_default", Error, "give a value that the field would accept, or leave `default` out";
    BadDomain = "schema::bad_domain", Error, "write the bare domain, such as `example.com`";
    BadDate = "schema::bad_date", Error, "write a date in UTC, such as `2024-01-31` or `2024-01-31 12:00:00Z`";
    SystemField = "schema::system_field", Error, "leave the field out: it is implied";
    AutodateNever = "schema::autodate_never", Error, "set `on_create = true`, `on_update = true`, or both";
    RequiredCycle = "schema::required_cycle", Error, "make one of these relations optional";
    UnknownIndexField = "schema::unknown_index_field", Error, "index a field of this collection";
    BadIndex = "schema::bad_index", Error, "index fields with a single plain value";
    DuplicateIndex = "schema::duplicate_index", Error, "remove or rename one of the two";
    BadWhere = "schema::bad_where", Error, "compare fields of this collection with literals, e.g. `email != ''`";
    IdentityField = "schema::identity_field", Error, "an identity field needs a unique index on just that field";
    AuthOnly = "schema::auth_only", Error, "set `type = \"auth\"`, or leave it out";
    NoEffect = "schema::no_effect", Warning, "leave it out";
    LooserView = "lint::looser_view", Warning, "give `view` the rule of `list`; or acknowledge that records may be viewed by id, above `[rules]`: `allow = [\"lint::looser_view\"]`";
    Unsettable = "lint::unsettable", Warning, "the value is always empty here: a condition that wants it empty (`= ''`, `:isset = false`) can go; one that wants a value never holds, so name a field that clients can set, or lock the rule";
    HiddenInRule = "lint::hidden_in_rule", Warning, "if callers may learn that, acknowledge it for this file, above `[rules]`: `allow = [\"lint::hidden_in_rule\"]`";
    Oracle = "leak::oracle", Warning, "compare with something that callers can't choose; or acknowledge it for this file, above `[rules]`: `allow = [\"leak::oracle\"]`";
    LeakUnique = "leak::unique", Warning, "leave the index out, or say who may set the field by a `write` rule; or acknowledge it on the field: `allow = [\"leak::unique\"]`";
    LeakDelete = "leak::delete", Warning, "set `cascade_delete = true`, or make the relation optional; or acknowledge it on the field: `allow = [\"leak::delete\"]`";
    ImportSyntax = "import::syntax", Error, "export the collections again: the file must be whole";
    ImportShape = "import::shape", Error, "export the collections from PocketBase's dashboard (Settings, Export collections), or give its data directory";
    ImportDuplicate = "import::duplicate", Error, "rename one of the two in PocketBase, and export again";
    ImportNotYet = "import::not_yet", Warning, "it stays in the file as a comment";
    ImportLeftOut = "import::left_out", Error, "change it in PocketBase and export again, or go on without it: it stays in the file as a comment";
    NoTests = "policy::no_tests", Error, "add a test: `[[test]]` with a `name`, and what the caller `may` and `may_not` do";
    UnknownCaller = "policy::unknown_caller", Error, "use `guest`, `superuser`, or a record of an auth collection such as `users.alice`";
    UnknownRecord = "policy::unknown_record", Error, "declare it in this file, as `[records.COLLECTION.NAME]`";
    UnknownTestField = "policy::unknown_field", Error, "name a field of the collection";
    RecordCircle = "policy::circle", Error, "leave one of the relations empty";
    Statement = "policy::statement", Error, "write e.g. `view posts.draft`, `create posts`, or `list posts where public = true -> draft`";
}

/// One finding.
#[derive(Debug, Clone, PartialEq)]
pub struct Diagnostic {
    /// The stable name of its kind.
    pub code: &'static str,
    /// Error or warning.
    pub severity: Severity,
    /// What happened: lower case, no full stop, user words in backticks.
    pub message: String,
    /// Where: a range in a source, or just a path.
    pub place: Place,
    /// A short remark for the marked bytes; may be empty.
    pub label: String,
    /// Other places that belong to it.
    pub also: Vec<(Span, String)>,
    /// What to do about it.
    pub help: Option<String>,
}

/// Where a finding stands.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// A file or directory as a whole.
    Path(String),
    /// A range of a source.
    Span(Span),
}

impl Diagnostic {
    /// A finding at a place in a source, with the code's general help.
    pub fn new(
        code: Code,
        span: Span,
        message: impl Into<String>,
        label: impl Into<String>,
    ) -> Self {
        Self {
            code: code.as_str(),
            severity: code.severity(),
            message: shorten(&message.into()),
            place: Place::Span(span),
            label: shorten(&label.into()),
            also: Vec::new(),
            help: Some(code.help().to_owned()),
        }
    }

    /// A finding about a whole file or directory.
    pub fn of_path(code: Code, path: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            place: Place::Path(path.into()),
            ..Self::new(code, Span::default(), message, "")
        }
    }

    /// A finding of the rule language, moved to its place in the file.
    pub fn of_rule(error: &basalt_lang::Error, span: Span) -> Self {
        Self {
            code: error.code.as_str(),
            severity: error.severity(),
            message: shorten(&error.message),
            place: Place::Span(span),
            label: shorten(&error.label),
            also: Vec::new(),
            help: error.help.as_deref().map(shorten),
        }
    }

    /// Replaces the code's general help.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Replaces the help by "did you mean", if one of the known words is near.
    #[must_use]
    pub fn suggest<'a>(self, word: &str, known: impl IntoIterator<Item = &'a str>) -> Self {
        match nearest(word, known) {
            Some(near) => self.with_help(format!("did you mean `{near}`?")),
            None => self,
        }
    }

    /// Adds another place.
    #[must_use]
    pub fn with_also(mut self, span: Span, label: impl Into<String>) -> Self {
        self.also.push((span, label.into()));
        self
    }
}

/// Texts quote words of the file, which may be of any length and hold line breaks.
fn shorten(text: &str) -> String {
    let mut short = String::new();
    for (at, c) in text.chars().enumerate() {
        match c {
            _ if at == LONGEST_TEXT => {
                short.push('…');
                break;
            }
            c if c.is_control() => short.extend(c.escape_default()),
            c => short.push(c),
        }
    }
    short
}

/// A text in one line, with its control characters escaped.
pub fn visible(text: &str) -> String {
    let mut shown = String::new();
    for c in text.chars() {
        if c.is_control() {
            shown.extend(c.escape_default());
        } else {
            shown.push(c);
        }
    }
    shown
}

/// The known word that was probably meant: alike, or two edits away.
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let lower = word.to_lowercase();
    let scored = known.into_iter().map(|candidate| {
        let folded = candidate.to_lowercase();
        let edits = strsim::damerau_levenshtein(&lower, &folded);
        (strsim::jaro_winkler(&lower, &folded), edits, candidate)
    });
    scored
        .filter(|(alike, edits, _)| *alike >= 0.8 || *edits <= 2 && lower.len() >= 4)
        .max_by(|left, right| left.0.total_cmp(&right.0))
        .map(|(.., candidate)| candidate)
}

/// Findings with the sources they speak of, in the order of the sources.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    diagnostics: Vec<Diagnostic>,
    sources: Arc<Vec<Source>>,
}

impl Report {
    /// Orders the findings by place, so that the same schema gives the same report.
    pub fn new(mut diagnostics: Vec<Diagnostic>, sources: &[Source]) -> Self {
        diagnostics.sort_by(|left, right| left.place.cmp(&right.place));
        Self {
            diagnostics,
            sources: Arc::new(sources.to_vec()),
        }
    }

    /// The findings, in order.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    /// Nothing found?
    pub fn is_empty(&self) -> bool {
        self.diagnostics.is_empty()
    }

    /// The number of errors.
    pub fn errors(&self) -> usize {
        self.count(Severity::Error)
    }

    /// The number of warnings.
    pub fn warnings(&self) -> usize {
        self.count(Severity::Warning)
    }

    fn count(&self, severity: Severity) -> usize {
        let same = |found: &&Diagnostic| found.severity == severity;
        self.diagnostics.iter().filter(same).count()
    }

    /// The whole report: code, path:line:col, the lines with carets, labels and help. Of very many
    /// findings only the first ones.
    pub fn render(&self, color: bool) -> String {
        let shown = self.shown().iter();
        let shown = shown.map(|found| render::graphical(found, &self.sources, color));
        let more = self.more().map(|more| format!("  {more}\n"));
        shown.chain(more).collect::<Vec<_>>().join("\n")
    }

    /// One line for each finding, e.g. ``schema/posts.toml:8:19: unknown field `auht` ``, as
    /// cargo shows it. Of very many findings only the first ones.
    pub fn first_lines(&self) -> Vec<String> {
        let line = |found: &Diagnostic| {
            let place = render::place(&found.place, &self.sources);
            let help = found.help.as_deref();
            match help.filter(|help| help.starts_with("did you mean")) {
                Some(help) => format!("{place}: {} ({help})", found.message),
                None => format!("{place}: {}", found.message),
            }
        };
        self.shown().iter().map(line).chain(self.more()).collect()
    }

    fn shown(&self) -> &[Diagnostic] {
        self.diagnostics
            .get(..MOST_SHOWN)
            .unwrap_or(&self.diagnostics)
    }

    fn more(&self) -> Option<String> {
        let more = self.diagnostics.len().checked_sub(MOST_SHOWN)?;
        (more > 0).then(|| format!("and {more} more"))
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.first_lines().join("\n"))
    }
}

impl std::error::Error for Report {}
