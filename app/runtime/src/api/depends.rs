//! What an answer depends on, besides the request and the caller: which collections, and whether
//! on anything else, so that no later request may have the same answer.

use std::collections::BTreeSet;

use basalt_lang::lexer::{Lexer, Token};
use basalt_lang::plan::{Join, Plan};
use basalt_lang::schema::CollectionId;
use basalt_lang::typed::Step;
use basalt_lang::{SortBy, SortKey};

use crate::meta::{CollectionMeta, FieldKind};
use crate::query::expand::ExpandTree;
use crate::registry::{Action, Entry, Registry};

/// Collects what an answer depends on.
pub struct Depends<'r> {
    registry: &'r Registry,
    collections: BTreeSet<&'r str>,
    repeats: bool,
}

impl<'r> Depends<'r> {
    /// Nothing yet.
    pub fn on(registry: &'r Registry) -> Self {
        Depends {
            registry,
            collections: BTreeSet::new(),
            repeats: true,
        }
    }

    /// The collections.
    pub fn collections(&self) -> impl Iterator<Item = &'r str> {
        self.collections.iter().copied()
    }

    /// Is the answer the same while the collections are, for a caller who asks the same? Not if
    /// something looks at the clock, at headers or at chance.
    pub fn repeats(&self) -> bool {
        self.repeats
    }

    /// The records of a collection that a rule shows.
    pub fn rule(&mut self, entry: &'r Entry, action: Action) {
        self.collections.insert(entry.meta().name);
        self.collections.extend(entry.rule_reads(action));
        self.text(entry.rule_text(action));
    }

    /// A client's filter and sort, and what of other collections they may tell.
    pub fn listing(&mut self, filter: Option<&Plan>, sort: &[SortKey]) {
        let mut passed = BTreeSet::new();
        if let Some(filter) = filter {
            passed.extend(filter.reads());
            passed.extend(filter.list_rules());
            passed.extend(filter.read_rules().into_iter().map(|(id, _)| id));
        }
        for key in sort {
            match &key.by {
                SortBy::Path { hops, .. } => {
                    passed.extend(hops.iter().filter_map(|hop| target(hop.step)));
                }
                SortBy::Joined { joins, .. } => {
                    passed.extend(joins.iter().filter_map(Join::collection));
                }
                SortBy::Random => self.repeats = false,
                SortBy::Column(_) | SortBy::RowId => {}
            }
        }
        let registry = self.registry;
        for entry in passed.iter().filter_map(|id| registry.entries().get(id.0)) {
            self.rule(entry, Action::List);
            self.fields(entry);
        }
    }

    /// The rules of a collection's fields.
    pub fn fields(&mut self, entry: &'r Entry) {
        for guard in &entry.guards {
            self.collections.extend(guard.reads);
            self.text(guard.read_text);
        }
    }

    /// What is shown of a record.
    pub fn record(&mut self, entry: &'r Entry) {
        self.fields(entry);
        if entry.meta().auth.is_some() {
            self.rule(entry, Action::Manage);
        }
    }

    /// The text of a client's filter, or a rule's.
    pub fn text(&mut self, text: Option<&str>) {
        self.repeats = self.repeats && repeats(text.unwrap_or_default());
    }

    /// Related records inside of an answer.
    pub fn expand(&mut self, meta: &CollectionMeta, tree: &ExpandTree) {
        for (name, below) in tree.children() {
            // What leads nowhere shows nothing.
            let Some(entry) = leads_to(self.registry, meta, name) else {
                continue;
            };
            self.rule(entry, Action::View);
            self.record(entry);
            self.expand(entry.meta(), below);
        }
    }

    /// The caller's own record.
    pub fn caller(&mut self, collection: &'static str) {
        self.collections.insert(collection);
    }
}

/// The collection that a name of the expand parameter may lead to, whether or not the caller may
/// follow it.
fn leads_to<'r>(registry: &'r Registry, meta: &CollectionMeta, name: &str) -> Option<&'r Entry> {
    let field = meta.field_index(name).and_then(|place| meta.field(place));
    let collection = match field.map(|field| &field.kind) {
        Some(FieldKind::Relation { collection, .. }) => collection,
        Some(_) => return None,
        None => name.split_once("_via_").or_else(|| name.split_once('('))?.0,
    };
    registry.find(collection).map(AsRef::as_ref)
}

fn target(step: Step) -> Option<CollectionId> {
    match step {
        Step::One(target) | Step::Many(target) => Some(target),
        Step::Back { source, .. } => Some(source),
        Step::Items => None,
    }
}

/// Does a rule or filter say the same at any time, of the same records, to the same caller who
/// asks with the same parameters? What isn't understood doesn't.
fn repeats(text: &str) -> bool {
    if !text.contains('@') && !text.contains('(') {
        return true;
    }
    let mut lexer = Lexer::new(text);
    loop {
        let token = match lexer.next_token() {
            Ok(Some((token, _))) => token,
            Ok(None) => return true,
            Err(_) => return false,
        };
        let same = match token {
            Token::Name(name) => !name.starts_with('@') || is_fixed(&name),
            Token::Function(name) => !name.eq_ignore_ascii_case("strftime"),
            _ => true,
        };
        if !same {
            return false;
        }
    }
}

fn is_fixed(name: &str) -> bool {
    let starts = |start: &str| {
        let head = name.get(..start.len());
        head.is_some_and(|head| head.eq_ignore_ascii_case(start))
    };
    starts("@collection.") || starts("@request.") && !starts("@request.headers")
}

#[cfg(test)]
mod tests {
    use super::repeats;

    #[test]
    fn the_clock_and_headers_are_told_from_the_rest() {
        for same in [
            "",
            "a = 1",
            "author = @request.auth.id && @request.query.k = 'x'",
            "mail = 'a@now.example' || @collection.a:b.c ?= id",
            "geoDistance(a.lon, a.lat, 1, 2) < 5",
            "@request.context = 'default' && @request.method = 'GET'",
        ] {
            assert!(repeats(same), "{same}");
        }
        for changing in [
            "created > @now",
            "(a=1&&created>@todayStart)",
            "@request.headers.x = 1",
            "a ~ 'x' || @request.headers.x:isset = true",
            "strftime('%Y', 'now') = '2024'",
            "STRFTIME('%Y') = '2024'",
            "@what = 1",
            "(a = ;",
        ] {
            assert!(!repeats(changing), "{changing}");
        }
    }
}
