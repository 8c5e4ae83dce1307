//! Which tables a change of one table may change besides: through foreign keys and triggers.

use std::collections::{BTreeMap, BTreeSet};

use diesel::sql_types::{Nullable, Text};
use diesel::{QueryResult, QueryableByName, RunQueryDsl};

use crate::sql::Conn;

/// The tables of a database, by their names in lower case, as SQLite compares them.
#[derive(Debug, Default)]
pub(super) struct Tables {
    effects: BTreeMap<String, Effects>,
    /// Are there no triggers?
    bare: bool,
}

/// All tables that may be changed, the table itself among them, as they are spelt.
#[derive(Debug, Default)]
struct Effects {
    /// By an insert or update.
    change: Vec<String>,
    /// By a delete.
    delete: Vec<String>,
}

#[derive(QueryableByName)]
struct Tie {
    #[diesel(sql_type = Text)]
    name: String,
    /// A table that this one refers to.
    #[diesel(sql_type = Nullable<Text>)]
    target: Option<String>,
    /// What happens when the key there changes.
    #[diesel(sql_type = Nullable<Text>)]
    on_update: Option<String>,
}

#[derive(QueryableByName)]
struct Trigger {
    #[diesel(sql_type = Text)]
    name: String,
    #[diesel(sql_type = Text)]
    text: String,
}

const TIES: &str = r#"SELECT m.name AS name, f."table" AS target, f.on_update AS on_update
    FROM sqlite_master m LEFT JOIN pragma_foreign_key_list(m.name) f
    WHERE m.type IN ('table', 'view')"#;

const TRIGGERS: &str = "SELECT tbl_name AS name, coalesce(sql, '') AS text
    FROM sqlite_master WHERE type = 'trigger'";

/// From a table to those that follow it.
type Edges = BTreeMap<String, BTreeSet<String>>;

impl Tables {
    /// Looks at the schema.
    pub(super) fn read(conn: &mut Conn) -> QueryResult<Self> {
        let ties: Vec<Tie> = diesel::sql_query(TIES).load(conn)?;
        let triggers: Vec<Trigger> = diesel::sql_query(TRIGGERS).load(conn)?;
        let names: BTreeMap<String, &str> = ties
            .iter()
            .map(|tie| (tie.name.to_ascii_lowercase(), tie.name.as_str()))
            .collect();
        let mut fired = Edges::new();
        for trigger in &triggers {
            let text = trigger.text.to_ascii_lowercase();
            let mentioned = names.keys().filter(|name| text.contains(name.as_str()));
            let from = fired.entry(trigger.name.to_ascii_lowercase());
            from.or_default().extend(mentioned.cloned());
        }
        let mut followed = Edges::new();
        for tie in &ties {
            let Some(target) = &tie.target else { continue };
            let (from, to) = (target.to_ascii_lowercase(), tie.name.to_ascii_lowercase());
            if tie.on_update.as_deref() != Some("NO ACTION") {
                let fired = fired.entry(from.clone()).or_default();
                fired.insert(to.clone());
            }
            followed.entry(from).or_default().insert(to);
        }
        for (from, to) in &fired {
            let followed = followed.entry(from.clone()).or_default();
            followed.extend(to.iter().cloned());
        }
        let spelt = |reached: BTreeSet<String>| spelt(&names, &reached);
        let effects = |name: &String| Effects {
            // What follows a change may be a delete.
            change: match fired.contains_key(name) {
                true => spelt(reachable(name, &followed)),
                false => spelt(BTreeSet::from([name.clone()])),
            },
            delete: spelt(reachable(name, &followed)),
        };
        Ok(Tables {
            effects: names
                .keys()
                .map(|name| (name.clone(), effects(name)))
                .collect(),
            bare: triggers.is_empty(),
        })
    }

    /// Is it known that there are no triggers? One may stop a statement in the middle, and leave what
    /// was done before.
    pub(super) fn are_bare(&self) -> bool {
        self.bare
    }

    /// What an insert or update may change; `None` if the table is not known.
    pub(super) fn changed(&self, table: &str) -> Option<&[String]> {
        self.find(table).map(|effects| effects.change.as_slice())
    }

    /// What a delete may change; `None` if the table is not known.
    pub(super) fn deleted(&self, table: &str) -> Option<&[String]> {
        self.find(table).map(|effects| effects.delete.as_slice())
    }

    fn find(&self, table: &str) -> Option<&Effects> {
        let exact = self.effects.get(table);
        exact.or_else(|| self.effects.get(&table.to_ascii_lowercase()))
    }
}

fn reachable(start: &str, edges: &Edges) -> BTreeSet<String> {
    let mut reached = BTreeSet::from([start.to_owned()]);
    let mut open = vec![start];
    while let Some(name) = open.pop() {
        for next in edges.get(name).into_iter().flatten() {
            if reached.insert(next.clone()) {
                open.push(next);
            }
        }
    }
    reached
}

/// Names as they are spelt, with the collections whose join tables are among them: the name of such
/// a table is `_link_<collection>_<field>`.
fn spelt(names: &BTreeMap<String, &str>, reached: &BTreeSet<String>) -> Vec<String> {
    let owners = reached
        .iter()
        .filter_map(|name| name.strip_prefix("_link_"));
    let owners = owners.flat_map(|owner| {
        let ends = owner.match_indices('_').map(|(at, _)| at);
        ends.filter_map(|end| owner.get(..end))
    });
    let all: BTreeSet<&str> = reached.iter().map(String::as_str).chain(owners).collect();
    let known = all.into_iter().filter_map(|name| names.get(name));
    known.map(|name| (*name).to_owned()).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::storage::in_memory;

    const SCHEMA: &str = "
        CREATE TABLE Teams (id TEXT PRIMARY KEY);
        CREATE TABLE user (id TEXT PRIMARY KEY, team REFERENCES teams (id) ON DELETE SET NULL);
        CREATE TABLE user_groups (id TEXT PRIMARY KEY);
        CREATE TABLE _link_user_groups_parts (
            owner REFERENCES user_groups (id) ON DELETE CASCADE,
            target REFERENCES user (id) ON DELETE CASCADE);
        CREATE TABLE log (id TEXT);
        CREATE TABLE posts (id TEXT PRIMARY KEY, author REFERENCES user (id) ON DELETE CASCADE);
        CREATE TRIGGER logged AFTER UPDATE ON posts BEGIN INSERT INTO Log VALUES (new.id); END;";

    fn sorted<S: ToString>(names: Option<impl IntoIterator<Item = S>>) -> BTreeSet<String> {
        let names = names.into_iter().flatten();
        names.map(|name| name.to_string()).collect()
    }

    #[test]
    fn deletes_follow_keys_and_changes_follow_triggers() {
        let tables = Tables::read(&mut in_memory(SCHEMA).unwrap()).unwrap();
        let user = [
            "_link_user_groups_parts",
            "log",
            "posts",
            "user",
            "user_groups",
        ];
        assert_eq!(tables.deleted("user").unwrap(), user);
        let teams = [&["Teams"], &user[..]].concat();
        assert_eq!(sorted(tables.deleted("TEAMS")), sorted(Some(teams)));
        assert_eq!(tables.deleted("log").unwrap(), ["log"]);
        assert_eq!(tables.changed("user").unwrap(), ["user"]);
        assert_eq!(tables.changed("posts").unwrap(), ["log", "posts"]);
        assert_eq!(
            tables.changed("_link_user_groups_parts").unwrap(),
            ["_link_user_groups_parts", "user", "user_groups"]
        );
        assert_eq!(tables.changed("unknown"), None);
        assert!(!tables.are_bare() && !Tables::default().are_bare());
        let other = Tables::read(&mut in_memory("CREATE TABLE a (id TEXT);").unwrap());
        assert!(other.unwrap().are_bare());
    }
}
