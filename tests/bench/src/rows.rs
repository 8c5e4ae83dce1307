//! The rows of the benchmark: what is asked of both servers, and how often.

use serde_json::{Value, json};

use crate::rules::{ListRule, RULED};

/// A part of the report that gets its own geometric mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Group {
    /// Creating records.
    Create,
    /// Logging in and refreshing.
    Auth,
    /// One record.
    Read,
    /// Pages of records.
    List,
    /// Pages of records under a rule.
    ListRule,
    /// Deleting records.
    Delete,
}

impl Group {
    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Group::Create => "create",
            Group::Auth => "auth",
            Group::Read => "read",
            Group::List => "list",
            Group::ListRule => "list rule",
            Group::Delete => "delete",
        }
    }

    /// Do its rows write to the database?
    pub fn writes(self) -> bool {
        matches!(self, Group::Create | Group::Delete)
    }
}

/// One of the sizes of the posts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Size {
    /// As in the collection's name: `10k`.
    pub name: &'static str,
    /// How many posts.
    pub posts: usize,
}

/// All sizes.
pub const SIZES: [Size; 4] = [
    Size {
        name: "10k",
        posts: 10_000,
    },
    Size {
        name: "25k",
        posts: 25_000,
    },
    Size {
        name: "50k",
        posts: 50_000,
    },
    Size {
        name: "100k",
        posts: 100_000,
    },
];

/// Which records a row is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// organizations
    Organizations,
    /// permissions
    Permissions,
    /// users
    Users,
    /// posts10k and so on
    Posts(Size),
}

impl Kind {
    /// The collection's name, in both servers.
    pub fn collection(self) -> String {
        match self {
            Kind::Organizations => "organizations".to_owned(),
            Kind::Permissions => "permissions".to_owned(),
            Kind::Users => "users".to_owned(),
            Kind::Posts(size) => format!("posts{}", size.name),
        }
    }
}

/// What one request of a row does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Work {
    /// Creates the first or the second half of the records.
    Create { second: bool },
    /// Logs in with a password.
    Login,
    /// Refreshes a token.
    Refresh,
    /// Views one record.
    View,
    /// Lists a page, while other records are updated or not.
    List {
        rule: ListRule,
        query: &'static str,
        updates: usize,
    },
    /// Deletes records; a second row on the same collection takes other ones.
    Delete { second: bool },
}

/// When a row runs: the benchmark app's data differs from phase to phase.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    /// From empty databases to the data set.
    Create,
    /// The data set alone.
    Base,
    /// The data set and the collections with other rules.
    Ruled,
    /// The data set alone again, being deleted.
    Delete,
}

/// One row.
#[derive(Debug, Clone)]
pub struct Row {
    /// Its part of the report.
    pub group: Group,
    /// What it is called there.
    pub name: String,
    /// The records it is about.
    pub kind: Kind,
    /// What it does.
    pub work: Work,
    /// How many requests.
    pub requests: usize,
    /// How many at a time.
    pub concurrency: usize,
    /// The rule, for the report.
    pub rule: &'static str,
    /// Changes to the peer's collection before the row, and back after it.
    pub patches: Option<(Value, Value)>,
    /// The collection of the benchmark app that has this rule.
    pub collection: String,
    /// When it runs.
    pub phase: Phase,
}

impl Row {
    /// The name that `--rows` is matched against.
    pub fn full_name(&self) -> String {
        format!("{} {}", self.group.name(), self.name)
    }

    fn new(group: Group, kind: Kind, work: Work, requests: usize, concurrency: usize) -> Row {
        let name = kind.collection();
        let collection = name.clone();
        let (rule, patches, phase) = ("", None, Phase::Base);
        Row {
            group,
            name,
            kind,
            work,
            requests,
            concurrency,
            rule,
            patches,
            collection,
            phase,
        }
    }

    fn named(mut self, suffix: &str) -> Row {
        self.name = format!("{} {suffix}", self.name);
        self
    }

    fn ruled(mut self, key: &str, rule: &'static str, variant: &str) -> Row {
        self.patches = Some((json!({ key: rule }), json!({ key: "" })));
        self.collection.push_str(variant);
        self.rule = rule;
        self.named(rule)
    }

    fn during(mut self, phase: Phase) -> Row {
        self.phase = phase;
        self
    }
}

/// Every row for these sizes, in the order in which they run.
pub fn all(sizes: &[Size]) -> Vec<Row> {
    let mut rows = create_rows(sizes);
    rows.extend(auth_and_read_rows());
    for &size in sizes {
        rows.extend(list_rows(Kind::Posts(size)));
    }
    for &size in sizes {
        rows.extend(
            RULED
                .into_iter()
                .flat_map(|rule| rule_rows(Kind::Posts(size), rule)),
        );
        let rule = "@request.auth.id != ''";
        let delete = Row::new(
            Group::Delete,
            Kind::Posts(size),
            Work::Delete { second: true },
            100,
            10,
        );
        rows.push(
            delete
                .ruled("deleteRule", rule, "_auth")
                .during(Phase::Ruled),
        );
    }
    let cascades = [Kind::Users, Kind::Organizations];
    let deleted = sizes.iter().map(|&size| Kind::Posts(size)).chain(cascades);
    rows.extend(deleted.map(|kind| {
        let work = Work::Delete { second: false };
        let row = Row::new(Group::Delete, kind, work, 100, 10).during(Phase::Delete);
        if cascades.contains(&kind) {
            row.named("(cascade)")
        } else {
            row
        }
    }));
    rows
}

fn create_rows(sizes: &[Size]) -> Vec<Row> {
    const NAMED: &str = "@request.body.name != ''";
    const USERS: &str = "@request.body.email != '' && @request.body.permissions:length > 0";
    const POSTS: &str = "@request.auth.id != '' && @request.body.public:isset = true";
    let fixed = [
        (Kind::Organizations, NAMED, "_named", 50, 10),
        (Kind::Permissions, NAMED, "_named", 25, 5),
        (Kind::Users, USERS, "_ruled", 250, 50),
    ];
    let posts = sizes.iter().map(|&size| {
        (
            Kind::Posts(size),
            POSTS,
            ListRule::Auth.suffix(),
            size.posts / 2,
            500,
        )
    });
    let pair = |(kind, rule, variant, requests, concurrency)| {
        let row = |second| {
            let work = Work::Create { second };
            Row::new(Group::Create, kind, work, requests, concurrency).during(Phase::Create)
        };
        [row(false), row(true).ruled("createRule", rule, variant)]
    };
    fixed.into_iter().chain(posts).flat_map(pair).collect()
}

fn auth_and_read_rows() -> Vec<Row> {
    let row = |group, work, name: &str, requests, concurrency| {
        let name = format!("{name} {requests}x{concurrency}");
        Row {
            name,
            ..Row::new(group, Kind::Users, work, requests, concurrency)
        }
    };
    vec![
        row(Group::Auth, Work::Login, "auth-with-password", 250, 250),
        row(Group::Auth, Work::Login, "auth-with-password", 250, 10),
        row(Group::Auth, Work::Refresh, "auth-refresh", 1000, 1000),
        row(Group::Auth, Work::Refresh, "auth-refresh", 1000, 100),
        row(Group::Read, Work::View, "view user", 1000, 1000),
        row(Group::Read, Work::View, "view user", 1000, 100),
    ]
}

const PAGE: &str = "?perPage=20";
const PAGE_ONLY: &str = "?perPage=20&skipTotal=1";

fn list_rows(kind: Kind) -> Vec<Row> {
    let row = |name, query, requests, concurrency, updates| {
        let work = Work::List {
            rule: ListRule::Public,
            query,
            updates,
        };
        Row::new(Group::List, kind, work, requests, concurrency).named(name)
    };
    vec![
        row("simpleA", PAGE, 1000, 1, 0),
        row("simpleB", PAGE, 1000, 1000, 0),
        row("simpleC skipTotal", PAGE_ONLY, 1000, 1000, 0),
        row("mixed with 300 updates", PAGE, 1000, 1000, 300),
        row("expand author", "?perPage=20&expand=author", 100, 10, 0),
        row(
            "expand author, fields",
            "?perPage=20&expand=author&fields=id,collectionId,expand.author.id",
            100,
            10,
            0,
        ),
        row(
            "expand author.permissions",
            "?perPage=20&expand=author.permissions",
            100,
            10,
            0,
        ),
        row(
            "expand author.permissions, fields",
            "?perPage=20&expand=author.permissions&fields=id,collectionId,expand.author.id,\
             expand.author.expand.permissions.id",
            100,
            10,
            0,
        ),
    ]
}

/// With and without total; where the peer's benchmark tries an index: without and with it.
fn rule_rows(kind: Kind, rule: ListRule) -> Vec<Row> {
    let row = |query, index: Option<&str>| {
        let work = Work::List {
            rule,
            query,
            updates: 0,
        };
        let row = Row::new(Group::ListRule, kind, work, 100, 10);
        let mut row = row
            .ruled("listRule", rule.text(), rule.suffix())
            .during(Phase::Ruled);
        if let Some(field) = index {
            let table = kind.collection();
            let sql = format!("CREATE INDEX `bench_{table}_{field}` ON `{table}` (`{field}`)");
            row.patches = Some((
                json!({ "listRule": rule.text(), "indexes": [sql] }),
                json!({ "listRule": "", "indexes": [] }),
            ));
            row = row.named("[index]");
        }
        if query == PAGE_ONLY {
            row.named("[skipTotal]")
        } else {
            row
        }
    };
    match rule.indexed() {
        Some(field) => {
            vec![
                row(PAGE, None),
                row(PAGE, Some(field)),
                row(PAGE_ONLY, Some(field)),
            ]
        }
        None if rule == ListRule::Auth => vec![row(PAGE, None)],
        None => vec![row(PAGE, None), row(PAGE_ONLY, None)],
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::indexing_slicing)]

    use super::*;

    #[test]
    fn the_rows_of_one_size() {
        let rows = all(&SIZES[..1]);
        let count = |group| rows.iter().filter(|row| row.group == group).count();
        let groups = [
            Group::Create,
            Group::Auth,
            Group::Read,
            Group::List,
            Group::ListRule,
        ];
        assert_eq!(groups.map(count), [8, 4, 2, 8, 20]);
        assert_eq!(count(Group::Delete), 4);
        assert!(
            rows.is_sorted_by_key(|row| row.phase),
            "phases follow each other"
        );

        let mut names: Vec<String> = rows.iter().map(Row::full_name).collect();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), rows.len(), "names tell rows apart");
    }

    #[test]
    fn the_peer_is_put_back_after_each_row() {
        for row in all(&SIZES) {
            let Some((before, after)) = row.patches else {
                continue;
            };
            let keys = |value: &Value| {
                value
                    .as_object()
                    .map(|map| map.keys().cloned().collect::<Vec<_>>())
            };
            assert_eq!(keys(&before), keys(&after), "{}", row.name);
        }
    }
}
