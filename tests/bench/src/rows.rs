//! What a row of the benchmark is: which requests, how many, under which rule, and when.

use serde_json::{Value, json};

use crate::rules::ListRule;

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
    /// A route and a hook of the application's own.
    Custom,
    /// Deleting records.
    Delete,
    /// Starting on the data set.
    Start,
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
            Group::Custom => "custom",
            Group::Delete => "delete",
            Group::Start => "start",
        }
    }
}

/// One of the sizes of the posts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Size {
    /// As in the names of rows: `10k`.
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

/// The collection that has the posts.
pub const POSTS: &str = "posts10k";

/// Which records a row is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// organizations
    Organizations,
    /// permissions
    Permissions,
    /// users
    Users,
    /// posts; each size has servers of its own
    Posts(Size),
}

impl Kind {
    /// The collection's name, in both servers.
    pub fn collection(self) -> &'static str {
        match self {
            Kind::Organizations => "organizations",
            Kind::Permissions => "permissions",
            Kind::Users => "users",
            Kind::Posts(_) => POSTS,
        }
    }

    /// The name in reports.
    pub fn name(self) -> String {
        match self {
            Kind::Posts(size) => format!("posts{}", size.name),
            other => other.collection().to_owned(),
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
    /// Lists a page.
    List {
        rule: ListRule,
        query: &'static str,
        /// So many records are updated at the same time.
        updates: usize,
    },
    /// Logs many users in at once, while pages are listed now and then: those are what counts.
    Storm,
    /// Asks the application's own route for the newest posts.
    Newest,
    /// Updates records whose title a hook rewrites.
    Hooked,
    /// Deletes records; a second row on the same collection takes other ones.
    Delete { second: bool },
    /// Starts the server.
    Start,
}

impl Work {
    /// Does it write to the database?
    pub fn writes(self) -> bool {
        match self {
            Work::Create { .. } | Work::Delete { .. } | Work::Hooked => true,
            Work::List { updates, .. } => updates > 0,
            Work::Login | Work::Refresh | Work::View => false,
            Work::Storm | Work::Newest | Work::Start => false,
        }
    }

    /// Can it be done more than once, with the same outcome?
    pub fn repeats(self) -> bool {
        match self {
            Work::Create { .. } | Work::Delete { .. } | Work::Start => false,
            Work::Login | Work::Refresh | Work::View | Work::List { .. } => true,
            Work::Storm | Work::Newest | Work::Hooked => true,
        }
    }

    /// Could a server answer with what it has kept of an earlier request?
    pub fn reads(self) -> bool {
        matches!(self, Work::View | Work::List { .. } | Work::Newest)
    }

    /// What makes it fast.
    pub fn yardstick(self) -> Yardstick {
        match self {
            Work::Storm => Yardstick::P99,
            Work::Start => Yardstick::Median,
            _ => Yardstick::Rate,
        }
    }
}

/// The figure that two servers are compared by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Yardstick {
    /// Requests per second.
    Rate,
    /// What 99 of 100 requests stay within.
    P99,
    /// What half of them do.
    Median,
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
    /// The same, with the application's own code on both sides.
    Custom,
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

    /// The query of a row that lists.
    pub fn query(&self) -> &'static str {
        match self.work {
            Work::List { query, .. } => query,
            _ => "",
        }
    }

    /// A row on the kind's own collection, named after it, on the data set alone.
    pub fn new(group: Group, kind: Kind, work: Work, requests: usize, concurrency: usize) -> Row {
        let (name, collection) = (kind.name(), kind.collection().to_owned());
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

    /// The same with more to its name.
    pub fn named(mut self, suffix: &str) -> Row {
        self.name = format!("{} {suffix}", self.name);
        self
    }

    /// The same under a rule: `key` is what the peer calls it, `variant` the end of the name of the
    /// app's collection that has it.
    pub fn ruled(mut self, key: &str, rule: &'static str, variant: &str) -> Row {
        self.patches = Some((json!({ key: rule }), json!({ key: "" })));
        self.collection.push_str(variant);
        self.rule = rule;
        self.named(rule)
    }

    /// The same at another time.
    pub fn during(mut self, phase: Phase) -> Row {
        self.phase = phase;
        self
    }
}
