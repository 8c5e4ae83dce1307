//! A schema file that is being written: its parts, each of which can be left out and is then a
//! comment with the reason.

use std::ops::Range;

use super::{Found, write};

/// Which part of a file it is.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Part {
    Rule(&'static str),
    Field(String),
    Index {
        name: String,
        unique: bool,
    },
    /// An index that is a comment only.
    Sql,
    /// What accounts log in with.
    Identity(Vec<String>),
    /// The token of a login.
    Token,
}

/// One part of a file.
#[derive(Debug)]
pub(super) struct Item {
    pub part: Part,
    /// As TOML, without its table's head.
    pub text: String,
    /// Lines above it.
    pub notes: Vec<String>,
    /// Why it is a comment only.
    pub left_out: Option<String>,
}

/// A file.
#[derive(Debug)]
pub(super) struct Draft {
    pub name: String,
    pub id: Option<String>,
    pub kind: &'static str,
    /// Of a view.
    pub query: Option<String>,
    /// Rules that are mistakes here are warnings.
    pub imported: bool,
    /// Lines at the top.
    pub notes: Vec<String>,
    pub items: Vec<Item>,
    /// What is left out of it.
    pub found: Vec<Found>,
    /// Why there is no such collection.
    pub left_out: Option<String>,
}

/// A file's text, and where in it each of the items is.
pub(super) struct Written {
    pub text: String,
    pub items: Vec<(Range<usize>, usize)>,
}

impl Item {
    pub(super) fn new(part: Part, text: String) -> Self {
        Item {
            part,
            text,
            notes: Vec::new(),
            left_out: None,
        }
    }
}

impl Draft {
    /// The file's name.
    pub(super) fn file(&self) -> String {
        match self.left_out {
            None => format!("{}.toml", self.name),
            // Nothing reads it until it is renamed.
            Some(_) => format!("{}.toml.off", self.name),
        }
    }

    pub(super) fn write(&self) -> Written {
        let mut written = Written {
            text: String::new(),
            items: Vec::new(),
        };
        if let Some(reason) = &self.left_out {
            let note = format!("This collection is left out: {reason}.");
            written.text.push_str(&write::comment(&note));
            let note = "To bring it back, correct this file and rename it to end in `.toml`.";
            written.text.push_str(&write::comment(note));
        }
        for note in &self.notes {
            written.text.push_str(&write::comment(note));
        }
        written.line(&format!("name = {}", write::string(&self.name)));
        if let Some(id) = &self.id {
            written.line(&format!("id = {}", write::string(id)));
        }
        written.line(&format!("type = {}", write::string(self.kind)));
        if self.imported {
            let why = "Some of the rules are mistakes by the rules of this compiler, but not by \
                       PocketBase's.";
            written.text.push_str(&write::comment(why));
            written.line("imported = true");
        }
        if let Some(query) = &self.query {
            written.line(&format!("query = {}", write::lines(query)));
        }
        for (head, wanted) in SECTIONS {
            let items = self.items.iter().enumerate();
            let items: Vec<_> = items.filter(|(_, item)| wanted(&item.part)).collect();
            if items.is_empty() {
                continue;
            }
            written.line("");
            written.line(head);
            for (at, item) in items {
                written.item(at, item);
            }
        }
        let items = self.items.iter().enumerate();
        for (at, item) in
            items.filter(|(_, item)| matches!(item.part, Part::Index { .. } | Part::Sql))
        {
            written.line("");
            written.item(at, item);
        }
        written
    }
}

type Section = (&'static str, fn(&Part) -> bool);

const SECTIONS: &[Section] = &[
    ("[rules]", |part| matches!(part, Part::Rule(_))),
    ("[fields]", |part| matches!(part, Part::Field(_))),
    ("[auth]", |part| {
        matches!(part, Part::Identity(_) | Part::Token)
    }),
];

impl Written {
    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn item(&mut self, at: usize, item: &Item) {
        for note in &item.notes {
            self.text.push_str(&write::comment(note));
        }
        let text = match item.part {
            Part::Index { .. } => format!("[[indexes]]\n{}", item.text),
            _ => item.text.clone(),
        };
        match &item.left_out {
            Some(reason) => {
                let note = format!("Left out: {reason}.");
                self.text.push_str(&write::comment(&note));
                self.text.push_str(&write::comment(&text));
                if item.part == Part::Rule("auth") {
                    // Without the rule, everyone could log in.
                    self.line("auth = false");
                }
            }
            None => {
                let start = self.text.len();
                self.line(&text);
                self.items.push((start..self.text.len(), at));
            }
        }
    }
}
