//! Names that two things would have at once on the way from one schema to the next. A database has
//! one space of names for tables and indexes, and tells them apart without regard to case.

use super::Problem;
use super::step::Step;
use crate::ddl;
use crate::snapshot::Snapshot;

/// A name in the database and what bears it.
pub struct Named {
    /// In lower case.
    pub name: String,
    /// E.g. "the collection `posts`".
    pub what: String,
}

/// All names of tables and indexes.
pub fn names(state: &Snapshot) -> Vec<Named> {
    let mut names = Vec::new();
    let mut push = |name: &str, what: String| {
        let name = name.to_ascii_lowercase();
        names.push(Named { name, what });
    };
    for collection in &state.collections {
        let owner = &collection.name;
        push(owner, format!("the collection `{owner}`"));
        for field in &collection.fields {
            if field.link_target().is_some() {
                let table = ddl::link_table(owner, &field.name);
                push(
                    &table,
                    format!("the join table of `{owner}.{}`", field.name),
                );
                let index = ddl::link_index(owner, &field.name);
                push(&index, format!("the index of the join table `{table}`"));
            }
        }
        for index in &collection.indexes {
            push(
                &index.name,
                format!("the index `{}` of `{owner}`", index.name),
            );
        }
    }
    names
}

/// The first clash on the way of these steps, if there is one: those behind it may follow from it.
pub fn problems(from: &Snapshot, steps: &[Step]) -> Vec<Problem> {
    let mut state = from.clone();
    for step in steps {
        step.apply(&mut state);
        let mut names = names(&state);
        names.sort_by(|left, right| left.name.cmp(&right.name));
        let twins = names.windows(2).find_map(|pair| match pair {
            [first, second] if first.name == second.name => Some((first, second)),
            _ => None,
        });
        if let Some((first, second)) = twins {
            return vec![problem(first, second)];
        }
    }
    Vec::new()
}

fn problem(first: &Named, second: &Named) -> Problem {
    Problem {
        is_loss: false,
        message: format!(
            "{} and {} would have the same name, `{}`, while the migration runs",
            first.what, second.what, first.name
        ),
        help: Some(
            "write `renamed_from` if one of them becomes the other; else make two migrations, the \
             first without the new one"
                .to_owned(),
        ),
    }
}
