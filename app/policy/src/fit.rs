//! Whether a program was built from the schema files that are explained or tested: SQL and verdicts
//! come from the program, so it must be.

use std::collections::BTreeSet;

use basalt_codegen::ir::{self, Rule};
use basalt_lang::schema::{CollectionId, Field, FieldType, Schema};
use basalt_runtime::registry::{Action, Registry};

/// The rules in which a program differs from a schema: `` `title.read` of `posts` differs ``.
pub(super) fn of_rules(schema: &ir::Schema, registry: &Registry) -> Vec<String> {
    let mut found = Vec::new();
    for collection in &schema.collections {
        let name = &collection.name.wire;
        // That a collection is missing is told with the fields.
        let Some(entry) = registry.find(name) else {
            continue;
        };
        let rules = &collection.rules;
        for (action, word, rule) in [
            (Action::List, "list", &rules.list),
            (Action::View, "view", &rules.view),
            (Action::Create, "create", &rules.create),
            (Action::Update, "update", &rules.update),
            (Action::Delete, "delete", &rules.delete),
            (Action::Auth, "auth", &rules.auth),
            (Action::Manage, "manage", &rules.manage),
        ] {
            if entry.rule_text(action) != text(rule) {
                found.push(format!("`{word}` of `{name}` differs"));
            }
        }
        let guards = entry.field_guards();
        for (place, field) in collection.fields.iter().enumerate() {
            let guard = guards.iter().find(|guard| guard.field == place);
            let read = guard.map_or(Some(""), |guard| guard.read_text);
            let write = guard.map_or(Some(""), |guard| guard.write_text);
            for (word, rule, built) in [("read", &field.read, read), ("write", &field.write, write)]
            {
                if text(rule) != built {
                    found.push(format!("`{}.{word}` of `{name}` differs", field.name.wire));
                }
            }
        }
    }
    found
}

fn text(rule: &Rule) -> Option<&str> {
    match rule {
        Rule::Locked => None,
        Rule::Public => Some(""),
        Rule::When(compiled) => Some(compiled.text.as_str()),
    }
}

/// In what two schemas differ, as far as statements show it; in the order of names. `rules`: do
/// rules of the program take part, too, as they do in what a client's filter may look at?
pub fn differences(files: &dyn Schema, program: &dyn Schema, rules: bool) -> Vec<String> {
    let names = |schema: &dyn Schema| -> BTreeSet<String> {
        let ids = (0..schema.len()).map(CollectionId);
        ids.map(|id| schema.name(id).to_owned()).collect()
    };
    let (ours, theirs) = (names(files), names(program));
    let mut found = Vec::new();
    for name in ours.union(&theirs) {
        match (files.collection(name), program.collection(name)) {
            (Some(here), Some(there)) => {
                if !alike((files, here), (program, there), rules) {
                    found.push(format!("its collection `{name}` is another one"));
                }
            }
            (Some(_), None) => found.push(format!("it has no collection `{name}`")),
            (None, _) => found.push(format!(
                "its collection `{name}` is not in the schema files"
            )),
        }
    }
    found
}

fn alike(
    (files, here): (&dyn Schema, CollectionId),
    (program, there): (&dyn Schema, CollectionId),
    rules: bool,
) -> bool {
    let (ours, theirs) = (files.fields(here), program.fields(there));
    let same = |(a, b): (&Field<'_>, &Field<'_>)| {
        a.name == b.name
            && kind(files, a.kind) == kind(program, b.kind)
            && (a.nullable, a.hidden) == (b.nullable, b.hidden)
            && (!rules || a.read_rule == b.read_rule)
    };
    let access = !rules || files.list_access(here) == program.list_access(there);
    access && ours.len() == theirs.len() && ours.iter().zip(&theirs).all(same)
}

/// A type with the name of what it points to.
fn kind(schema: &dyn Schema, kind: FieldType) -> String {
    match kind {
        FieldType::One(target) => format!("one {}", schema.name(target)),
        FieldType::Many(target) => format!("many {}", schema.name(target)),
        other => format!("{other:?}"),
    }
}
