//! The rows of the benchmark, in the order in which they run.

use serde_json::json;

use crate::rows::{Group, Kind, Phase, Row, Size, Work};
use crate::rules::{ListRule, RULED};

/// Every row for a data set of this size, in the order in which they run. Those that no posts
/// matter to are in it only if `shared`.
pub fn all(size: Size, shared: bool) -> Vec<Row> {
    let kind = Kind::Posts(size);
    let mut rows = create_rows(size);
    rows.push(Row::new(Group::Start, kind, Work::Start, 1, 1));
    rows.extend(auth_and_read_rows(kind));
    rows.extend(list_rows(kind));
    rows.extend(RULED.into_iter().flat_map(|rule| rule_rows(kind, rule)));
    rows.extend(custom_rows(kind));
    rows.extend(delete_rows(kind));
    rows.retain(|row| shared || depends_on_posts(row));
    rows
}

/// Would the row be another one with more posts?
pub fn depends_on_posts(row: &Row) -> bool {
    let cascades = matches!(row.work, Work::Delete { .. });
    matches!(row.kind, Kind::Posts(_)) || cascades
}

fn create_rows(size: Size) -> Vec<Row> {
    const NAMED: &str = "@request.body.name != ''";
    const USERS: &str = "@request.body.email != '' && @request.body.permissions:length > 0";
    const POSTS: &str = "@request.auth.id != '' && @request.body.public:isset = true";
    let fixed = [
        (Kind::Organizations, NAMED, "_named", 50, 10),
        (Kind::Permissions, NAMED, "_named", 25, 5),
        (Kind::Users, USERS, "_ruled", 250, 50),
    ];
    let half = size.posts / 2;
    let posts = (Kind::Posts(size), POSTS, ListRule::Auth.suffix(), half, 500);
    let pair = |(kind, rule, variant, requests, concurrency)| {
        let row = |second| {
            let work = Work::Create { second };
            Row::new(Group::Create, kind, work, requests, concurrency).during(Phase::Create)
        };
        [row(false), row(true).ruled("createRule", rule, variant)]
    };
    fixed.into_iter().chain([posts]).flat_map(pair).collect()
}

fn auth_and_read_rows(posts: Kind) -> Vec<Row> {
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
        Row {
            name: "p99 of lists while 250 log in".to_owned(),
            ..Row::new(Group::Auth, posts, Work::Storm, 250, 250)
        },
        row(Group::Read, Work::View, "view user", 1000, 1000),
        row(Group::Read, Work::View, "view user", 1000, 100),
    ]
}

const PAGE: &str = "?perPage=20";
const PAGE_ONLY: &str = "?perPage=20&skipTotal=1";

fn list_rows(kind: Kind) -> Vec<Row> {
    let row = |name, query, requests, concurrency, updates| {
        let rule = ListRule::Public;
        let work = Work::List {
            rule,
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

/// The application's own code: compiled in Basalt, JavaScript in the peer.
fn custom_rows(kind: Kind) -> Vec<Row> {
    let newest = |concurrency| {
        let name = format!("{} newest 500x{concurrency}", kind.name());
        let row = Row::new(Group::Custom, kind, Work::Newest, 500, concurrency);
        Row { name, ..row }.during(Phase::Custom)
    };
    let mut hooked = Row::new(Group::Custom, kind, Work::Hooked, 100, 10)
        .named("update with a hook")
        .during(Phase::Custom);
    hooked.collection.push_str(ListRule::Auth.suffix());
    vec![newest(500), newest(50), newest(1), hooked]
}

/// Posts under two rules; then what takes others with it.
fn delete_rows(kind: Kind) -> Vec<Row> {
    let row = |kind, second| {
        Row::new(Group::Delete, kind, Work::Delete { second }, 100, 10).during(Phase::Delete)
    };
    let cascade = |which| {
        let name = format!("{} with {}", Kind::name(which), kind.name());
        Row {
            name,
            ..row(which, false)
        }
    };
    let rule = "@request.auth.id != ''";
    let ruled = row(kind, true).ruled("deleteRule", rule, ListRule::Auth.suffix());
    vec![
        ruled.during(Phase::Custom),
        row(kind, false),
        cascade(Kind::Users),
        cascade(Kind::Organizations),
    ]
}

#[cfg(test)]
mod tests {
    #![allow(clippy::indexing_slicing, clippy::panic)]

    use serde_json::Value;

    use super::*;
    use crate::rows::SIZES;

    #[test]
    fn the_rows_of_one_size() {
        let rows = all(SIZES[0], true);
        let count = |group| rows.iter().filter(|row| row.group == group).count();
        let groups = [
            (Group::Create, 8),
            (Group::Auth, 5),
            (Group::Read, 2),
            (Group::List, 8),
            (Group::ListRule, 20),
            (Group::Custom, 4),
            (Group::Delete, 4),
            (Group::Start, 1),
        ];
        for (group, due) in groups {
            assert_eq!(count(group), due, "{}", group.name());
        }
        assert_eq!(all(SIZES[1], false).len(), rows.len() - 12);
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
        for row in all(SIZES[3], true) {
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

    /// Basalt's rules are in its schema: each row's collection must have the rule that the peer is
    /// given, and the same fields as the collection that the peer uses.
    #[test]
    fn the_app_has_a_collection_for_each_row() {
        let schema = |name: &str| {
            let path = format!(
                "{}/../apps/bench/schema/{name}.toml",
                env!("CARGO_MANIFEST_DIR")
            );
            let text =
                std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
            toml::from_str::<toml::Table>(&text).unwrap_or_else(|error| panic!("{path}: {error}"))
        };
        for row in all(SIZES[0], true) {
            let (own, main) = (schema(&row.collection), schema(row.kind.collection()));
            assert_eq!(own["fields"], main["fields"], "{}", row.collection);
            assert_eq!(own["name"].as_str(), Some(row.collection.as_str()));
            let key = match row.work {
                Work::Create { .. } => "create",
                Work::Delete { .. } => "delete",
                Work::List { .. } => "list",
                _ => continue,
            };
            assert_eq!(
                own["rules"][key].as_str(),
                Some(row.rule),
                "{}",
                row.full_name()
            );
        }
    }
}
