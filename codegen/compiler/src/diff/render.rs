//! Steps as SQL that reads well: a head that says what changes, then one statement a thing.

use super::convert::{self, Conversion, OLD, clean_select};
use super::step::Step;
use crate::ddl::{self, comment, ident};
use crate::snapshot::{Collection, Field, Snapshot};

/// The text of `up.sql` or `down.sql`: `steps` in order, from the state `from`.
pub fn migration(from: &Snapshot, steps: &[Step], losses: &[String], notes: &[String]) -> String {
    let mut body = Vec::new();
    let mut rebuilds = false;
    let mut state = from.clone();
    let mut rest = steps;
    while let Some((step, tail)) = rest.split_first() {
        let together = match step {
            Step::ChangeField { collection, .. } => 1 + changes_of(collection, tail),
            _ => 1,
        };
        let (group, tail) = rest.split_at(together.min(rest.len()));
        let before = state.clone();
        for step in group {
            step.apply(&mut state);
        }
        let sql = match step {
            Step::ChangeField { collection, .. } => change(&before, &state, collection, group),
            other => simple(other, &before),
        };
        rebuilds |= sql.contains("DROP TABLE ");
        let words: Vec<String> = group.iter().map(Step::describe).collect();
        body.push(format!("{}{sql}", comment(&words.join("\n"))));
        rest = tail;
    }
    let mut head = comment("Made by `basalt migrate diff`; may be edited before it is first run.");
    list(&mut head, "Loses:", losses);
    list(&mut head, "Mind:", notes);
    if rebuilds {
        body.insert(0, GUARD.to_owned());
    }
    format!("{head}\n{}", body.join("\n"))
}

/// Dropping a table counts as deleting its rows, which would reach into other tables.
const GUARD: &str = "\
-- Tables are dropped below, which must not act on the rows that refer to them. `basalt migrate run`
-- turns foreign keys off meanwhile and checks all of them before it commits; other tools stop here.
CREATE TEMP TABLE \"_guard\" (
  \"foreign_keys\" INTEGER CONSTRAINT \"foreign_keys_must_be_off\" CHECK (\"foreign_keys\" = 0)
);
INSERT INTO \"_guard\" SELECT \"foreign_keys\" FROM pragma_foreign_keys;
DROP TABLE \"_guard\";
";

fn list(head: &mut String, title: &str, items: &[String]) {
    if !items.is_empty() {
        head.push_str(&comment(title));
        for item in items {
            head.push_str(&comment(&format!("  {item}")));
        }
    }
}

/// How many of the next steps change fields of the same collection: one rebuild does for all.
fn changes_of(name: &str, steps: &[Step]) -> usize {
    steps
        .iter()
        .take_while(
            |step| matches!(step, Step::ChangeField { collection, .. } if collection == name),
        )
        .count()
}

fn simple(step: &Step, before: &Snapshot) -> String {
    match step {
        Step::CreateCollection(collection) => create_collection(collection),
        Step::DropCollection(collection) => drop_collection(collection),
        Step::RenameCollection { from, to } => rename_collection(before.collection(from), from, to),
        Step::AddField { collection, field } => {
            let mut sql = format!(
                "ALTER TABLE {} ADD COLUMN {} {};\n",
                ident(collection),
                ident(&field.name),
                ddl::column_type(field)
            );
            if let Some(target) = field.link_target() {
                sql.push_str(&ddl::create_link(collection, &field.name, target));
            }
            sql
        }
        Step::DropField { collection, field } => {
            let mut sql = String::new();
            if field.link_target().is_some() {
                sql.push_str(&ddl::drop_link(collection, &field.name));
            }
            sql.push_str(&format!(
                "ALTER TABLE {} DROP COLUMN {};\n",
                ident(collection),
                ident(&field.name)
            ));
            sql
        }
        Step::RenameField {
            collection,
            from,
            to,
        } => rename_field(before.collection(collection), collection, from, to),
        Step::CreateIndex { collection, index } => ddl::create_index(collection, index),
        Step::DropIndex { index, .. } => format!("DROP INDEX {};\n", ident(&index.name)),
        // Rendered in groups, by `change`.
        Step::ChangeField { .. } => String::new(),
    }
}

fn create_collection(collection: &Collection) -> String {
    let mut parts = vec![ddl::create_table(collection, &collection.name)];
    for field in &collection.fields {
        if let Some(target) = field.link_target() {
            parts.push(ddl::create_link(&collection.name, &field.name, target));
        }
    }
    for index in &collection.indexes {
        parts.push(ddl::create_index(&collection.name, index));
    }
    parts.join("\n")
}

fn drop_collection(collection: &Collection) -> String {
    let mut sql = String::new();
    for field in &collection.fields {
        if field.link_target().is_some() {
            sql.push_str(&ddl::drop_link(&collection.name, &field.name));
        }
    }
    sql.push_str(&format!("DROP TABLE {};\n", ident(&collection.name)));
    sql
}

fn rename_collection(collection: Option<&Collection>, from: &str, to: &str) -> String {
    let mut sql = rename_table(from, to);
    for field in collection.iter().flat_map(|it| &it.fields) {
        if field.link_target().is_some() {
            sql.push_str(&rename_link((from, &field.name), (to, &field.name)));
        }
    }
    sql
}

/// SQLite takes names that differ only in case for the same one, which is taken: such a rename goes
/// through another name.
fn rename_table(from: &str, to: &str) -> String {
    let rename =
        |from: &str, to: &str| format!("ALTER TABLE {} RENAME TO {};\n", ident(from), ident(to));
    if from.eq_ignore_ascii_case(to) {
        let between = ddl::aside(to);
        rename(from, &between) + &rename(&between, to)
    } else {
        rename(from, to)
    }
}

fn rename_field(owner: Option<&Collection>, collection: &str, from: &str, to: &str) -> String {
    let mut sql = format!(
        "ALTER TABLE {} RENAME COLUMN {} TO {};\n",
        ident(collection),
        ident(from),
        ident(to)
    );
    let field = owner.and_then(|it| it.field(from));
    if field.is_some_and(|field| field.link_target().is_some()) {
        sql.push_str(&rename_link((collection, from), (collection, to)));
    }
    sql
}

fn rename_link(from: (&str, &str), to: (&str, &str)) -> String {
    format!(
        "{}{}{}",
        ddl::drop_link_index(from.0, from.1),
        rename_table(
            &ddl::link_table(from.0, from.1),
            &ddl::link_table(to.0, to.1)
        ),
        ddl::create_link_index(to.0, to.1),
    )
}

/// Changed fields of one collection: nothing to do, an update in place, or a rebuilt table.
fn change(before: &Snapshot, after: &Snapshot, name: &str, steps: &[Step]) -> String {
    let (Some(old), Some(new)) = (before.collection(name), after.collection(name)) else {
        return String::new();
    };
    let changes: Vec<(&Field, &Field)> = steps
        .iter()
        .filter_map(|step| match step {
            Step::ChangeField { from, to, .. } => Some((from, to)),
            _ => None,
        })
        .collect();
    let rebuild = changes
        .iter()
        .any(|(from, to)| ddl::column_type(from) != ddl::column_type(to));
    let mut sql = String::new();
    for (from, _) in &changes {
        if from.link_target().is_some() && !same_link(from, changes.as_slice()) {
            sql.push_str(&ddl::drop_link(name, &from.name));
        }
    }
    if rebuild {
        sql.push_str(&rebuild_table(old, new, &changes));
    } else {
        for (from, to) in &changes {
            sql.push_str(&update_in_place(name, from, to));
        }
    }
    for (from, to) in &changes {
        sql.push_str(&clean_select(name, from, to).unwrap_or_default());
        if let Some(target) = to.link_target()
            && from.link_target() != Some(target)
        {
            sql.push_str(&ddl::create_link(name, &to.name, target));
            sql.push_str(&fill_link(name, &to.name));
        }
    }
    if sql.is_empty() {
        sql.push_str("-- (stored the same way: nothing to do)\n");
    }
    sql
}

/// Does the field's join table stay as it is?
fn same_link(from: &Field, changes: &[(&Field, &Field)]) -> bool {
    changes
        .iter()
        .any(|(old, new)| old.name == from.name && old.link_target() == new.link_target())
}

fn update_in_place(name: &str, from: &Field, to: &Field) -> String {
    let Conversion { sql, .. } = convert::convert(from, to);
    if sql == format!("{OLD}.{}", ident(&from.name)) {
        return String::new();
    }
    format!(
        "UPDATE {} AS {OLD} SET {} = {sql};\n",
        ident(name),
        ident(&to.name)
    )
}

/// SQLite can't change a column: a new table takes the rows, in the same order, and the name.
/// References to the table are by name, so they hold again after that.
fn rebuild_table(old: &Collection, new: &Collection, changes: &[(&Field, &Field)]) -> String {
    let aside = ddl::aside(&new.name);
    let mut names = vec!["_rowid_".to_owned()];
    let mut values = vec!["_rowid_".to_owned()];
    for field in &old.fields {
        names.push(ident(&field.name));
        let changed = changes.iter().find(|(from, _)| from.name == field.name);
        values.push(match changed {
            Some((from, to)) => convert::convert(from, to).sql,
            None => ident(&field.name),
        });
    }
    let mut sql = ddl::create_table(new, &aside);
    sql.push_str(&format!(
        "INSERT INTO {} ({})\nSELECT\n  {}\nFROM {} AS {OLD};\n",
        ident(&aside),
        names.join(", "),
        values.join(",\n  "),
        ident(&new.name),
    ));
    sql.push_str(&format!("DROP TABLE {};\n", ident(&new.name)));
    sql.push_str(&format!(
        "ALTER TABLE {} RENAME TO {};\n",
        ident(&aside),
        ident(&new.name)
    ));
    for index in &new.indexes {
        sql.push_str(&ddl::create_index(&new.name, index));
    }
    sql
}

/// Fills a join table from the lists in the records.
fn fill_link(collection: &str, field: &str) -> String {
    format!(
        "INSERT OR IGNORE INTO {} (\"owner\", \"target\", \"position\")\n\
         SELECT {OLD}.\"id\", item.value, item.key\n\
         FROM {} AS {OLD}, json_each({OLD}.{}) AS item;\n",
        ident(&ddl::link_table(collection, field)),
        ident(collection),
        ident(field),
    )
}
