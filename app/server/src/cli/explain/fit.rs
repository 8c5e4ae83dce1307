//! Whether this program was built from the schema files that are explained: the SQL comes from the
//! program, so it must be.

use std::collections::BTreeSet;

use basalt_lang::schema::{CollectionId, Field, FieldType, Schema};

/// In what two schemas differ, as far as statements show it; in the order of names. `rules`: do
/// rules of the program take part, too, as they do in what a client's filter may look at?
pub(super) fn differences(files: &dyn Schema, program: &dyn Schema, rules: bool) -> Vec<String> {
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
