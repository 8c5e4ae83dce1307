//! A client that writes at random and looks at what it wrote.

use std::collections::{BTreeMap, BTreeSet};

use basalt_blackbox::client::encode;
use basalt_blackbox::shortcuts::{create, id, ok, record, records};
use basalt_blackbox::{Client, Random};
use serde_json::{Value, json};

use crate::PASSWORD;
use crate::model::{Model, Note, Thing};
use crate::reader::{Browser, Pages};

/// A title that makes the hook after a deletion fail: so does the deletion of what it hangs on.
const TRAP: &str = "after delete";

pub struct Writer {
    pub client: Client,
    root: Client,
    number: usize,
    made: usize,
    random: Random,
    model: Model,
    browser: Browser,
}

impl Writer {
    pub fn new(number: usize, client: Client, root: Client, random: Random) -> Self {
        Writer {
            client,
            root,
            number,
            made: 0,
            random,
            model: Model::default(),
            browser: Browser::default(),
        }
    }

    /// Writes, and looks after each write.
    pub fn run(&mut self, writes: usize, shared: &str, pages: &Pages) {
        for _ in 0..writes {
            match self.random.below(16) {
                0..4 => self.create_thing(),
                4 | 5 => self.change_thing(),
                6 => self.relate_things(),
                7 => self.delete_thing(),
                8..11 => self.create_note(),
                11 => self.change_note(),
                12 => self.delete_note(),
                13 => self.change_trees(),
                14 => self.fail(),
                _ if self.random.below(4) == 0 => self.lose_owner(),
                _ => self.spring_trap(),
            }
            self.count(shared);
            for _ in 0..2 {
                self.look(pages);
            }
        }
    }

    /// A new id of this writer's.
    fn id(&mut self, kind: &str) -> String {
        self.made += 1;
        id(&format!("{kind}{}x", self.number), self.made)
    }

    fn me(&self) -> String {
        id("member", self.number)
    }

    fn tag(&self) -> String {
        format!("w{}", self.number)
    }

    fn text(&mut self) -> String {
        format!("{}-{}", self.tag(), self.random.below(6))
    }

    /// One of these ids, or an empty text.
    fn one_of<V>(&mut self, map: fn(&Model) -> &BTreeMap<String, V>) -> String {
        let map = map(&self.model);
        let place = self.random.below(map.len());
        map.keys().nth(place).cloned().unwrap_or_default()
    }

    fn any_thing(&mut self) -> String {
        self.one_of(|model| &model.things)
    }

    fn create_thing(&mut self) {
        let (id, text) = (self.id("t"), self.text());
        let one = self.any_thing();
        let many: BTreeSet<String> = (0..2).map(|_| self.any_thing()).collect();
        let many: Vec<String> = many.into_iter().filter(|id| !id.is_empty()).collect();
        let body = json!({
            "id": id, "text": text, "html": self.tag(), "ref": one, "refs": many,
        });
        create(&self.client, "things", body);
        let thing = Thing {
            text,
            n: 0,
            one,
            many,
        };
        self.model.things.insert(id, thing);
    }

    fn change_thing(&mut self) {
        let (id, text) = (self.any_thing(), self.text());
        let Some(thing) = self.model.things.get_mut(&id) else {
            return;
        };
        let body = json!({ "text": text, "n+": 2 });
        ok(self.client.patch(&record("things", &id), &body));
        thing.text = text;
        thing.n += 2;
    }

    fn relate_things(&mut self) {
        let (id, other) = (self.any_thing(), self.any_thing());
        let Some(thing) = self.model.things.get_mut(&id) else {
            return;
        };
        let path = record("things", &id);
        if thing.many.contains(&other) {
            ok(self
                .client
                .patch(&path, &json!({ "refs-": other, "ref": other })));
            thing.many.retain(|id| *id != other);
        } else {
            ok(self
                .client
                .patch(&path, &json!({ "refs+": other, "ref": other })));
            thing.many.push(other.clone());
        }
        thing.one = other;
    }

    fn delete_thing(&mut self) {
        let id = self.any_thing();
        if !id.is_empty() {
            ok(self.client.delete(&record("things", &id)));
            self.model.remove_thing(&id);
        }
    }

    fn create_note(&mut self) {
        let (id, title) = (self.id("n"), self.text());
        let owner = self.random.pick(&[true, true, false]);
        let owner = if owner { self.me() } else { String::new() };
        let parent = self.one_of(|model| &model.notes);
        let parent = match self.model.notes.get(&parent) {
            Some(note) if note.title != TRAP && self.random.below(2) == 0 => parent,
            _ => String::new(),
        };
        let note = Note {
            title,
            revision: 1,
            owner,
            parent,
            entries: 1,
        };
        self.insert_note(id, note);
    }

    fn insert_note(&mut self, id: String, note: Note) {
        let body = json!({
            "id": id, "title": note.title, "owner": note.owner, "parent": note.parent,
        });
        create(&self.client, "notes", body);
        self.model.notes.insert(id, note);
    }

    fn change_note(&mut self) {
        let (id, title) = (self.one_of(|model| &model.notes), self.text());
        let Some(note) = self.model.notes.get_mut(&id) else {
            return;
        };
        ok(self
            .client
            .patch(&record("notes", &id), &json!({ "title": title })));
        note.title = title;
        note.revision += 1;
        note.entries += 1;
    }

    fn delete_note(&mut self) {
        let id = self.one_of(|model| &model.notes);
        let held = |note: &Note| note.title == TRAP;
        if self.model.notes.get(&id).is_none_or(held) {
            return;
        }
        ok(self.client.delete(&record("notes", &id)));
        self.model.remove_note(&id);
    }

    fn change_trees(&mut self) {
        let parent = self.one_of(|model| &model.trees);
        if self.random.below(4) == 0 && !parent.is_empty() {
            ok(self.client.delete(&record("trees", &parent)));
            self.model.remove_tree(&parent);
            return;
        }
        for _ in 0..3 {
            let id = self.id("r");
            let body = json!({ "id": id, "name": self.tag(), "parent": parent });
            create(&self.client, "trees", body);
            self.model.trees.insert(id, parent.clone());
        }
    }

    /// Writes that are refused: before the transaction, in it, and after the record was written.
    fn fail(&mut self) {
        let (note, thing) = (self.one_of(|model| &model.notes), self.any_thing());
        let late = json!({ "id": self.id("n"), "title": "after create", "owner": self.me() });
        let mut answers = vec![self.client.post(&records("notes"), &late).unwrap()];
        if !note.is_empty() {
            let body = json!({ "title": "after update" });
            answers.push(self.client.patch(&record("notes", &note), &body).unwrap());
        }
        if !thing.is_empty() {
            let body = json!({ "n+": 100, "refs+": "nowhere00000000" });
            answers.push(self.client.patch(&record("things", &thing), &body).unwrap());
            let body = json!({ "id": thing, "html": self.tag() });
            answers.push(self.client.post(&records("things"), &body).unwrap());
        }
        for answer in answers {
            assert!(matches!(answer.status, 400 | 422), "{answer:?}");
        }
    }

    /// The deletion of a note fails at the last of those that hang on it.
    fn spring_trap(&mut self) {
        let (parent, child) = (self.id("n"), self.id("n"));
        let (title, owner) = (self.text(), self.me());
        let mut note = Note {
            title,
            revision: 1,
            owner,
            parent: String::new(),
            entries: 1,
        };
        self.insert_note(parent.clone(), note.clone());
        (note.title, note.parent) = (TRAP.to_owned(), parent.clone());
        self.insert_note(child.clone(), note);
        let refused = self.client.delete(&record("notes", &parent)).unwrap();
        assert!((400..500).contains(&refused.status), "{refused:?}");
        // Without the trap it can go, or stay for later.
        let free = self.text();
        ok(self
            .client
            .patch(&record("notes", &child), &json!({ "title": free })));
        if let Some(note) = self.model.notes.get_mut(&child) {
            (note.title, note.revision, note.entries) = (free, 2, 2);
        }
    }

    /// A note's owner goes, and the note stays.
    fn lose_owner(&mut self) {
        let (owner, note) = (self.id("m"), self.id("n"));
        let body = json!({
            "id": owner, "username": owner, "password": PASSWORD, "passwordConfirm": PASSWORD,
        });
        create(&self.root, "members", body);
        let title = self.text();
        let parent = String::new();
        let made = Note {
            title,
            revision: 1,
            owner: owner.clone(),
            parent,
            entries: 1,
        };
        self.insert_note(note.clone(), made);
        let found = ok(self
            .root
            .get(&format!("{}?expand=owner", record("notes", &note))));
        assert_eq!(found["expand"]["owner"]["id"], json!(owner));
        ok(self.root.delete(&record("members", &owner)));
        if let Some(note) = self.model.notes.get_mut(&note) {
            note.owner.clear();
        }
        let found = ok(self
            .root
            .get(&format!("{}?expand=owner", record("notes", &note))));
        assert_eq!(
            (&found["owner"], &found["expand"]["owner"]),
            (&json!(""), &Value::Null)
        );
        self.model.gone.insert(owner);
    }

    /// The record that all writers count in.
    fn count(&mut self, shared: &str) {
        let path = record("things", shared);
        let written = ok(self.client.patch(&path, &json!({ "n+": 1 })));
        let read: Value = self.browser.get(&self.client, &path).json();
        assert!(
            read["n"].as_i64().unwrap() >= written["n"].as_i64().unwrap(),
            "{read} after {written}"
        );
    }

    /// Looks at something that this client alone writes.
    fn look(&mut self, pages: &Pages) {
        match self.random.below(9) {
            0 => self.look_at_one(pages),
            1 | 2 => self.look_at_things(pages),
            3 => self.look_through_relations(pages),
            4 => self.look_at_expanded(pages),
            5 | 6 => self.look_at_notes(pages),
            7 => self.look_at_trees(pages),
            _ => self.look_at_journal(pages),
        }
    }

    fn get(&mut self, path: &str, pages: &Pages) -> Value {
        pages.note(path);
        let answer = self.browser.get(&self.client, path);
        assert_eq!(answer.status, 200, "{path}: {answer:?}");
        answer.json()
    }

    /// The records and the total of a list; all are on the first page.
    fn list(&mut self, collection: &str, query: &str, pages: &Pages) -> BTreeMap<String, Value> {
        let path = format!("{}?perPage=500&{query}", records(collection));
        let found = self.get(&path, pages);
        let items = found["items"].as_array().unwrap();
        assert_eq!(found["totalItems"], json!(items.len()), "{path}");
        let pair = |item: &Value| (item["id"].as_str().unwrap().to_owned(), item.clone());
        items.iter().map(pair).collect()
    }

    fn look_at_one(&mut self, pages: &Pages) {
        let id = self.any_thing();
        if let Some(thing) = self.model.things.get(&id).cloned() {
            let found = self.get(&record("things", &id), pages);
            assert_eq!(as_thing(&found), thing, "{id}");
        }
        if let Some(gone) = self.model.gone.last().cloned() {
            for collection in ["things", "notes", "trees", "members"] {
                let path = record(collection, &gone);
                assert_eq!(self.browser.get(&self.client, &path).status, 404, "{path}");
            }
        }
    }

    fn look_at_things(&mut self, pages: &Pages) {
        let filter = encode(format!("html = '{}'", self.tag()).as_bytes());
        let found = self.list("things", &format!("filter={filter}&sort=-n,id"), pages);
        let found: BTreeMap<String, Thing> = found
            .into_iter()
            .map(|(id, item)| (id, as_thing(&item)))
            .collect();
        assert_eq!(found, self.model.things);
    }

    /// Which things are found depends on other records than themselves.
    fn look_through_relations(&mut self, pages: &Pages) {
        let text = self.text();
        for (filter, several) in [("refs.text ?=", true), ("ref.text =", false)] {
            let filter = format!("html = '{}' && {filter} '{text}'", self.tag());
            let filter = encode(filter.as_bytes());
            let found = self.list("things", &format!("filter={filter}"), pages);
            let things = &self.model.things;
            let named = |id: &String| things.get(id).is_some_and(|other| other.text == text);
            let expected = things.iter().filter(|(_, thing)| match several {
                true => thing.many.iter().any(named),
                false => named(&thing.one),
            });
            let expected: BTreeSet<&String> = expected.map(|(id, _)| id).collect();
            assert_eq!(found.keys().collect::<BTreeSet<_>>(), expected, "{text}");
        }
    }

    fn look_at_expanded(&mut self, pages: &Pages) {
        let filter = encode(format!("html = '{}'", self.tag()).as_bytes());
        let found = self.list(
            "things",
            &format!("filter={filter}&expand=ref,refs.ref"),
            pages,
        );
        assert_eq!(found.len(), self.model.things.len());
        for (id, item) in found {
            let thing = &self.model.things[&id];
            let expand = &item["expand"];
            if let Some(one) = self.model.things.get(&thing.one) {
                assert_eq!(as_thing(&expand["ref"]), *one, "{id}");
            }
            let many = expand["refs"]
                .as_array()
                .map(Vec::as_slice)
                .unwrap_or_default();
            assert_eq!(many.len(), thing.many.len(), "{item}");
            for other in many {
                let expected = &self.model.things[other["id"].as_str().unwrap()];
                assert_eq!(as_thing(other), *expected, "{id}");
                if let Some(next) = self.model.things.get(&expected.one) {
                    assert_eq!(as_thing(&other["expand"]["ref"]), *next, "{id}");
                }
            }
        }
    }

    /// The rule lets everyone list their own notes only.
    fn look_at_notes(&mut self, pages: &Pages) {
        let sort = self.random.pick(&["title", "-title", "id"]);
        let found = self.list("notes", &format!("sort={sort}"), pages);
        let me = self.me();
        let mine = self.model.notes.iter().filter(|(_, note)| note.owner == me);
        let expected: BTreeMap<&String, Value> = mine
            .map(|(id, note)| {
                let Note {
                    title,
                    revision,
                    owner,
                    parent,
                    ..
                } = note;
                (id, json!([title, revision, owner, parent]))
            })
            .collect();
        let found: BTreeMap<&String, Value> = found
            .iter()
            .map(|(id, item)| {
                let fields = ["title", "revision", "owner", "parent"];
                (
                    id,
                    fields.iter().map(|field| item[*field].clone()).collect(),
                )
            })
            .collect();
        assert_eq!(found, expected);
    }

    fn look_at_trees(&mut self, pages: &Pages) {
        let filter = encode(format!("name = '{}'", self.tag()).as_bytes());
        let found = self.list("trees", &format!("filter={filter}&fields=id,parent"), pages);
        let found: BTreeMap<String, String> = found
            .into_iter()
            .map(|(id, item)| (id, text(&item["parent"])))
            .collect();
        assert_eq!(found, self.model.trees);
    }

    /// What hooks wrote of a note into another collection.
    fn look_at_journal(&mut self, pages: &Pages) {
        let id = self.one_of(|model| &model.notes);
        let Some(note) = self.model.notes.get(&id).cloned() else {
            return;
        };
        let filter = encode(format!("record = '{id}'").as_bytes());
        let found = self.list("journal", &format!("filter={filter}"), pages);
        assert_eq!(found.len() as i64, note.entries, "{id}: {found:?}");
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}

fn as_thing(item: &Value) -> Thing {
    let many = item["refs"].as_array().unwrap().iter();
    Thing {
        text: text(&item["text"]),
        n: item["n"].as_i64().unwrap(),
        one: text(&item["ref"]),
        many: many.map(text).collect(),
    }
}
