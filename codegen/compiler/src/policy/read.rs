//! A file of tests, from TOML to the model: shapes here, records in `examples`, claims in `claims`.

use std::cell::Cell;

use toml::Spanned as TomlSpanned;
use toml::de::{DeTable, DeValue};

use super::{Caller, Example, Suite, Test, claims, examples};
use crate::diagnostic::{Code, Diagnostic, Report, Span, Spanned};
use crate::ir;
use crate::load::format::{Key, Shape};
use crate::load::{self, Reader, Text};
use crate::resolve::RuleView;
use crate::source::{MAX_BYTES, Source, too_large};

pub(super) type Node<'a> = TomlSpanned<DeValue<'a>>;

/// About the most claims of one file: each is a request, and its place is looked for.
pub(super) const MOST_CLAIMS: usize = 2000;

const fn key(name: &'static str, shape: Shape, doc: &'static str) -> Key {
    Key {
        name,
        shape,
        required: false,
        doc,
    }
}

const FILE: &[Key] = &[
    key(
        "records",
        Shape::Any,
        "The records that exist before each test: `[records.COLLECTION.NAME]`.",
    ),
    key("test", Shape::Any, "The tests: `[[test]]`."),
];

const TEST: &[Key] = &[
    Key {
        name: "name",
        shape: Shape::Text,
        required: true,
        doc: "What the test is about.",
    },
    key(
        "as",
        Shape::Text,
        "Who asks: `guest` (the default), `superuser`, or a record such as `users.alice`.",
    ),
    key("may", Shape::Texts, "What the caller may do."),
    key("may_not", Shape::Texts, "What the caller may not do."),
    key("body", Shape::Any, "What creates and updates send."),
    key("query", Shape::Any, "Parameters of each request."),
    key("headers", Shape::Any, "Headers of each request."),
    key(
        "sees",
        Shape::Any,
        "Fields that the caller sees, by record.",
    ),
    key(
        "sees_not",
        Shape::Any,
        "Fields that the caller doesn't see, by record.",
    ),
];

/// Reads files of tests and checks them against the schema that they speak of.
///
/// # Errors
/// Everything that is wrong with any of them.
pub fn load(schema: &ir::Schema, sources: &[Source]) -> Result<Vec<Suite>, Report> {
    let view = RuleView::new(schema);
    let mut found = Vec::new();
    let mut suites = Vec::new();
    for file in 0..sources.len() {
        let mut loader = Loader {
            schema,
            view: &view,
            sources,
            file,
            found: Vec::new(),
            examples: Vec::new(),
            cursor: Cell::new((0, 1, 1)),
        };
        suites.extend(loader.suite());
        found.append(&mut loader.found);
    }
    if found.is_empty() {
        Ok(suites)
    } else {
        Err(Report::new(found, sources))
    }
}

/// Reads one file.
pub(super) struct Loader<'a> {
    pub schema: &'a ir::Schema,
    pub view: &'a RuleView,
    pub sources: &'a [Source],
    pub file: usize,
    pub found: Vec<Diagnostic>,
    /// The records that were read so far; their values come when all names are known.
    pub examples: Vec<Example>,
    /// The byte, line and column of the last place that was asked for.
    cursor: Cell<(usize, usize, usize)>,
}

impl Loader<'_> {
    fn suite(&mut self) -> Option<Suite> {
        let source = self.sources.get(self.file)?;
        if source.text.len() > MAX_BYTES {
            let found = too_large(&source.path, source.text.len() as u64);
            self.found.push(found);
            return None;
        }
        let (table, errors) = DeTable::parse_recoverable(&source.text);
        if !errors.is_empty() {
            let found = load::syntax(self.file, source, errors);
            self.found.extend(found);
            return None;
        }
        let top = self.span(0..0);
        self.entries(table.get_ref(), FILE, "a file of tests", top);
        examples::read(self, table.get_ref().get("records"));
        let tests = self.tests(table.get_ref().get("test"));
        if tests.is_empty() && self.found.is_empty() {
            let message = "the file has no tests";
            let found = Diagnostic::of_path(Code::NoTests, source.path.clone(), message);
            self.found.push(found);
        }
        Some(Suite {
            path: source.path.clone(),
            examples: std::mem::take(&mut self.examples),
            tests,
        })
    }

    /// Reports unknown keys and wrong types of a table; returns what is right.
    pub(super) fn entries(
        &mut self,
        table: &DeTable<'_>,
        keys: &'static [Key],
        what: &str,
        span: Span,
    ) -> load::Entries {
        let keys: Vec<&Key> = keys.iter().collect();
        let mut reader = Reader {
            file: self.file,
            found: Vec::new(),
        };
        let entries = reader.table(table, &keys, what, span);
        self.found.append(&mut reader.found);
        entries
    }

    fn tests(&mut self, node: Option<&Node<'_>>) -> Vec<Test> {
        let Some(node) = node else {
            return Vec::new();
        };
        let DeValue::Array(items) = node.get_ref() else {
            self.not_a(node, "`test` must be a list of tables", "write `[[test]]`");
            return Vec::new();
        };
        let mut tests: Vec<Test> = Vec::new();
        let mut names: Vec<Text> = Vec::new();
        let mut claims = 0;
        for item in items {
            if claims.max(names.len()) > MOST_CLAIMS {
                let span = self.span(item.span());
                examples::too_many(self, span, "claims", MOST_CLAIMS);
                break;
            }
            let DeValue::Table(table) = item.get_ref() else {
                self.not_a(item, "a test must be a table", "write `[[test]]`");
                continue;
            };
            let span = self.span(item.span());
            let Some((name, test)) = self.test(table, span) else {
                continue;
            };
            claims += test.claims.len();
            match names.iter().find(|other| other.value == name.value) {
                Some(other) => {
                    let message = format!("two tests are called `{}`", name.value);
                    let found =
                        Diagnostic::new(Code::DuplicateName, name.span, message, "the second");
                    self.found.push(found.with_also(other.span, "the first"));
                }
                None => tests.push(test),
            }
            names.push(name);
        }
        tests
    }

    fn test(&mut self, table: &DeTable<'_>, span: Span) -> Option<(Text, Test)> {
        let entries = self.entries(table, TEST, "a test", span);
        let name = entries.text("name")?;
        let caller = match entries.text("as") {
            Some(text) => self.caller(&text),
            None => Some(Caller::Guest),
        };
        let mut test = Test {
            name: name.value.clone(),
            caller: caller.unwrap_or(Caller::Guest),
            body: Vec::new(),
            query: self.texts(table.get("query"), "query"),
            headers: self.texts(table.get("headers"), "headers"),
            claims: Vec::new(),
            place: self.place(name.span),
        };
        for (key, may) in [("may", true), ("may_not", false)] {
            let texts = entries.texts(key);
            if let Some(beyond) = texts.get(MOST_CLAIMS) {
                examples::too_many(self, beyond.span, "claims", MOST_CLAIMS);
            }
            for text in texts.iter().take(MOST_CLAIMS) {
                test.claims.extend(claims::read(self, text, may));
            }
        }
        for (key, may) in [("sees", true), ("sees_not", false)] {
            test.claims
                .extend(claims::fields(self, table.get(key), may));
        }
        test.body = claims::body(self, table.get("body"), &test.claims);
        let asks = ["may", "may_not", "sees", "sees_not"];
        if !asks.iter().any(|key| entries.entry(key).is_some()) {
            let message = format!("the test `{}` claims nothing", name.value);
            let found = Diagnostic::new(Code::NoTests, name.span, message, "claims nothing");
            let help = "say what the caller `may` and `may_not` do, or which fields it `sees`";
            self.found.push(found.with_help(help));
        }
        Some((name, test))
    }

    fn caller(&mut self, text: &Text) -> Option<Caller> {
        match text.value.as_str() {
            "guest" => return Some(Caller::Guest),
            "superuser" => return Some(Caller::Superuser),
            _ => {}
        }
        let known = self.find(&text.value);
        let accounts = |name: &str| {
            let collection = self.schema.collection(name);
            collection.is_some_and(|it| matches!(it.kind, ir::CollectionKind::Auth(_)))
        };
        let (message, label) = match known.and_then(|id| self.examples.get(id)) {
            Some(example) if accounts(&example.collection) => return known.map(Caller::User),
            Some(example) => {
                let message = format!("records of `{}` can't log in", example.collection);
                (message, "not an account")
            }
            None => (format!("nobody is called `{}`", text.value), "who is this?"),
        };
        let mut names = vec!["guest".to_owned(), "superuser".to_owned()];
        let users = self.examples.iter().filter(|it| accounts(&it.collection));
        names.extend(users.map(Example::full_name));
        let found = Diagnostic::new(Code::UnknownCaller, text.span, message, label);
        self.push_near(found, &text.value, &names);
        None
    }

    /// A table of texts, such as headers.
    fn texts(&mut self, node: Option<&Node<'_>>, what: &str) -> Vec<(String, String)> {
        let Some(node) = node else {
            return Vec::new();
        };
        let DeValue::Table(table) = node.get_ref() else {
            self.not_a(node, &format!("`{what}` must be a table"), "write `{ … }`");
            return Vec::new();
        };
        let mut texts = Vec::new();
        for (name, value) in load::in_order(table) {
            match value.get_ref() {
                DeValue::String(text) => {
                    texts.push((name.get_ref().to_string(), text.to_string()));
                }
                _ => self.not_a(
                    value,
                    &format!("`{}` must be a string", name.get_ref()),
                    "write it in quotes",
                ),
            }
        }
        texts
    }

    /// A record by its full name, `users.alice`.
    pub(super) fn find(&self, name: &str) -> Option<usize> {
        let (collection, name) = name.split_once('.')?;
        let same = |it: &Example| it.collection == collection && it.name == name;
        self.examples.iter().position(same)
    }

    /// Reports a name that no record has.
    pub(super) fn no_record(&mut self, name: &str, span: Span) {
        let names: Vec<String> = self.examples.iter().map(Example::full_name).collect();
        let message = format!("there is no record `{name}`");
        let found = Diagnostic::new(Code::UnknownRecord, span, message, "no such record");
        self.push_near(found, name, &names);
    }

    /// Adds a finding with the name that was probably meant. Nobody reads so many that it would
    /// pay to look for all.
    fn push_near(&mut self, found: Diagnostic, name: &str, names: &[String]) {
        const MOST: usize = 200;
        self.found.push(if self.found.len() < MOST {
            found.suggest(name, names.iter().map(String::as_str))
        } else {
            found
        });
    }

    pub(super) fn not_a(&mut self, node: &Node<'_>, message: &str, help: &str) {
        let label = match node.get_ref().type_str() {
            "integer" => "this is a number".to_owned(),
            "array" => "this is a list".to_owned(),
            kind => format!("this is a {kind}"),
        };
        let span = self.span(node.span());
        let found = Diagnostic::new(Code::WrongType, span, message, label);
        self.found.push(found.with_help(help));
    }

    pub(super) fn span(&self, range: std::ops::Range<usize>) -> Span {
        Span {
            file: self.file,
            start: range.start,
            end: range.end,
        }
    }

    /// `path:line:column`. Places are mostly asked for in the order of the file, so each is counted
    /// from the one before.
    pub(super) fn place(&self, span: Span) -> String {
        let Some(source) = self.sources.get(span.file) else {
            return String::new();
        };
        let (mut at, mut line, mut column) = self.cursor.get();
        if span.start < at {
            (at, line, column) = (0, 1, 1);
        }
        for c in source.text.get(at..span.start).unwrap_or_default().chars() {
            if c == '\n' {
                (line, column) = (line + 1, 1);
            } else {
                column += 1;
            }
        }
        self.cursor.set((span.start, line, column));
        format!("{}:{line}:{column}", source.path)
    }

    /// A part of a string's value, as a place in the file.
    pub(super) fn inside(&self, text: &Text, range: std::ops::Range<usize>) -> Span {
        let bytes = basalt_lang::span::Span {
            start: range.start,
            end: range.end,
        };
        load::inside(self.sources, text.span, bytes)
    }

    /// A key with its place.
    pub(super) fn key(&self, key: &TomlSpanned<std::borrow::Cow<'_, str>>) -> Text {
        Spanned {
            value: key.get_ref().to_string(),
            span: self.span(key.span()),
        }
    }
}

impl Example {
    /// `users.alice`
    pub fn full_name(&self) -> String {
        format!("{}.{}", self.collection, self.name)
    }
}
