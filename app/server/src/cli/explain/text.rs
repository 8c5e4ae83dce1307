//! The explanation for people: sections with headings, no line longer than a hundred columns where
//! its words allow that.

use super::layout;
use super::report::{CallerReport, Case, Explanation, StatementReport, Tree};

/// The widest line.
const WIDTH: usize = 100;

/// The text; `color`: for a terminal.
pub(super) fn render(explanation: &Explanation, color: bool) -> String {
    let mut page = Page {
        text: String::new(),
        color,
    };
    page.title(explanation);
    page.meaning(explanation);
    if let Some(memory) = &explanation.memory {
        page.heading("Memory form (what decides about a record in memory)");
        memory
            .trim_end()
            .lines()
            .for_each(|line| page.line(1, line));
    }
    if explanation.asked == "memory" {
        page.heading("SQL");
        page.line(
            1,
            "none of its own: the rule is asked of one record, in its memory form",
        );
    }
    let mut rest = explanation.callers.as_slice();
    while let Some((caller, tail)) = rest.split_first() {
        // Whom the rule treats alike is said once.
        let alike = |other: &&CallerReport| {
            (&other.condition, &other.cases) == (&caller.condition, &caller.cases)
        };
        let count = tail.iter().take_while(alike).count();
        let (twins, tail) = tail.split_at(count);
        let names: Vec<String> = [caller].into_iter().chain(twins).map(name).collect();
        page.caller(&names.join(", "), caller);
        rest = tail;
    }
    page.indexes(explanation);
    page.text
}

struct Page {
    text: String,
    color: bool,
}

impl Page {
    /// A line at a depth of indentation.
    fn line(&mut self, depth: usize, line: &str) {
        let text = format!("{:indent$}{line}", "", indent = 2 * depth);
        self.text.push_str(text.trim_end());
        self.text.push('\n');
    }

    fn heading(&mut self, heading: &str) {
        self.text.push('\n');
        if self.color {
            self.text.push_str(&format!("\x1b[1m{heading}\x1b[0m\n"));
        } else {
            self.line(0, heading);
        }
    }

    /// A line that is broken where it is too long.
    fn long(&mut self, depth: usize, text: &str) {
        for line in layout::paragraph(text, WIDTH - 2 * depth) {
            self.line(depth, &line);
        }
    }

    fn title(&mut self, explanation: &Explanation) {
        let mut title = match &explanation.rule {
            Some(rule) => format!("{}: the {rule} rule", explanation.collection),
            None => format!("{}: a rule", explanation.collection),
        };
        if let Some(source) = &explanation.source {
            title.push_str(&format!(" ({source})"));
        }
        if self.color {
            title = format!("\x1b[1m{title}\x1b[0m");
        }
        self.line(0, &title);
        match (explanation.state, &explanation.text) {
            ("locked", _) => self.line(1, "locked: superusers only"),
            ("public", _) => self.line(1, "public: everyone, guests included"),
            (_, Some(text)) => text.lines().for_each(|line| self.long(1, line)),
            _ => {}
        }
        if let Some(filter) = &explanation.filter {
            self.line(0, "and a client's filter");
            filter.lines().for_each(|line| self.long(1, line));
        }
        for warning in &explanation.warnings {
            self.long(0, &format!("warning: {warning}"));
        }
    }

    fn meaning(&mut self, explanation: &Explanation) {
        for (tree, heading) in [
            (&explanation.tree, "Types"),
            (&explanation.filter_tree, "Types of the filter"),
        ] {
            if let Some(tree) = tree {
                self.heading(heading);
                self.tree(1, tree);
            }
        }
        if let Some(class) = explanation.class {
            self.heading("Class");
            self.long(1, &class_in_words(class, &explanation.reads));
        }
        if !explanation.before_query.is_empty() {
            self.heading("Decided before any query");
            for condition in &explanation.before_query {
                self.long(1, condition);
            }
        }
        if !explanation.plan.is_empty() {
            self.heading("Plan");
            for line in &explanation.plan {
                let text = line.trim_start();
                self.long(1 + (line.len() - text.len()) / 2, text);
            }
        }
    }

    fn tree(&mut self, depth: usize, tree: &Tree) {
        let (head, items) = match tree {
            Tree::All(items) => ("all of", items),
            Tree::Any(items) => ("any of", items),
            Tree::Compare { left, op, right } => {
                let line = format!(
                    "{} ({}) {op} {} ({})",
                    left.text, left.kind, right.text, right.kind
                );
                return self.long(depth, &line);
            }
        };
        self.line(depth, head);
        items.iter().for_each(|item| self.tree(depth + 1, item));
    }

    fn caller(&mut self, who: &str, caller: &CallerReport) {
        self.heading(who);
        self.long(
            1,
            &match caller.condition.as_str() {
                "always" => "every record".to_owned(),
                "never" => "no record".to_owned(),
                condition => format!("the records with {condition}"),
            },
        );
        for case in &caller.cases {
            self.case(case);
        }
    }

    fn case(&mut self, case: &Case) {
        let mut depth = 1;
        if let Some(when) = &case.when {
            let records = match case.records {
                "all" => ": every record",
                _ => ":",
            };
            self.long(depth, &format!("{when}{records}"));
            depth += 1;
        }
        if case.statements.is_empty() {
            self.line(depth, "nothing is queried, since no record can match");
        }
        for statement in &case.statements {
            self.statement(depth, statement);
        }
    }

    fn statement(&mut self, depth: usize, statement: &StatementReport) {
        self.line(
            depth,
            match (statement.query, statement.form) {
                ("page", Some("exists")) => "page, where many records match (EXISTS)",
                ("page", Some(_)) => "page, where fewer than 3 in 100 match (IN)",
                ("page", None) => "page",
                ("total", _) => "total",
                _ => "one record",
            },
        );
        for line in layout::statement(&statement.sql, WIDTH - 2 * depth - 2) {
            self.line(depth + 1, &line);
        }
        let values: Vec<String> = statement.values.iter().map(ToString::to_string).collect();
        if !values.is_empty() {
            self.long(depth + 1, &format!("values {}", values.join(", ")));
        }
        for (number, step) in statement.query_plan.iter().enumerate() {
            let mark = if number == 0 { "plan" } else { "" };
            let indent = 2 * step.depth;
            let width = WIDTH.saturating_sub(2 * depth + 7 + indent);
            for (number, line) in layout::paragraph(&step.detail, width).iter().enumerate() {
                let mark = if number == 0 { mark } else { "" };
                self.line(depth + 1, &format!("{mark:<5}{:indent$}{line}", ""));
            }
        }
    }

    fn indexes(&mut self, explanation: &Explanation) {
        let indexes = &explanation.indexes;
        if !indexes.used.is_empty() {
            self.heading("Indexes that are used");
            for index in &indexes.used {
                let columns = index.columns.join(", ");
                let whose = format!("{} ({columns})", index.collection);
                self.long(1, &format!("{} on {whose}: {}", index.name, index.reason));
            }
        }
        if !indexes.missing.is_empty() {
            self.heading("Indexes that are missing");
            for missing in &indexes.missing {
                let column = format!("{}.{}", missing.collection, missing.field);
                self.long(1, &format!("{column}: {}", missing.reason));
            }
        }
    }
}

fn name(caller: &CallerReport) -> String {
    match (caller.caller, &caller.collection) {
        ("guest", _) => "Guest".to_owned(),
        ("superuser", _) => "Superuser".to_owned(),
        (_, Some(collection)) => format!("Record of {collection}"),
        (other, None) => other.to_owned(),
    }
}

fn class_in_words(class: &str, reads: &[String]) -> String {
    match class {
        "constant" => "constant: it always comes out the same".to_owned(),
        "request" => "request: the request alone decides, without the database".to_owned(),
        "record" => "record: the record's own fields and the request decide".to_owned(),
        _ if reads.is_empty() => "relational: other records decide, too".to_owned(),
        _ => format!("relational: records of {} decide, too", reads.join(", ")),
    }
}
