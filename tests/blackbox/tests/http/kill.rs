//! `kill -9` in the middle of many writes: what was acknowledged is there after the restart, and
//! nothing is there by half.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::mpsc::{Sender, channel};
use std::thread;

use basalt_blackbox::{Client, Random};
use serde_json::{Value, json};

use crate::support::{all, create_user, id, ok, record, records, server, setting, texts};

const CREATES: usize = 2_000;
const WRITERS: usize = 16;

/// A write that the server has acknowledged.
enum Acknowledged {
    Post(Value),
    Permission { user: String, permission: String },
}

/// What must be in the database.
#[derive(Default)]
struct Promised {
    posts: BTreeMap<String, Value>,
    permissions: BTreeMap<String, BTreeSet<String>>,
}

#[test]
fn nothing_acknowledged_is_lost() {
    let rounds = setting("BLACKBOX_KILL_ROUNDS", 3);
    let mut random = Random::new(setting("BLACKBOX_SEED", 1) as u64);
    let mut server = server();
    let root = server.superuser().unwrap();
    for user in 0..WRITERS {
        create_user(&root, &id("user", user), &format!("user{user}"));
    }
    let mut promised = Promised::default();
    for round in 0..rounds {
        let root = server.superuser().unwrap();
        let (sender, answers) = channel();
        let kill_after = 100 + random.below(CREATES - 200);
        thread::scope(|scope| {
            for writer in 0..WRITERS {
                let (root, sender) = (&root, sender.clone());
                scope.spawn(move || write(root, &sender, round, writer));
            }
            drop(sender);
            let mut count = 0;
            for answer in answers {
                promised.keep(answer);
                count += 1;
                if count == kill_after {
                    server.kill().unwrap();
                }
            }
            assert!(
                count >= kill_after,
                "only {count} of {kill_after} writes were acknowledged"
            );
        });
        server.launch().unwrap();
        promised.check(&server.superuser().unwrap());
        println!(
            "round {}: killed after {kill_after} acknowledged writes; all {} posts and {} permissions \
             that were acknowledged so far are there",
            round + 1,
            promised.posts.len(),
            promised
                .permissions
                .values()
                .map(BTreeSet::len)
                .sum::<usize>()
        );
    }
}

/// Creates this writer's share of the records, until the server is gone.
fn write(client: &Client, sender: &Sender<Acknowledged>, round: usize, writer: usize) {
    for number in (writer..CREATES).step_by(WRITERS) {
        // One user a writer: what it appends can only be lost by the kill.
        let user = id("user", writer);
        let serial = round * CREATES + number;
        // Every eighth write goes to a multiple relation, which is stored in more than one place.
        let done = if (number / WRITERS).is_multiple_of(8) {
            append_permission(client, user, id("perm", serial))
        } else {
            create_post(client, user, id("post", serial))
        };
        let Some(done) = done else { return };
        sender.send(done).unwrap();
    }
}

fn create_post(client: &Client, author: String, post: String) -> Option<Acknowledged> {
    let title = format!("title of {post}");
    let description = "x".repeat(200);
    let body = json!({
        "id": post, "title": title, "description": description, "public": true,
        "type": ["a", "c"], "author": author,
    });
    let answer = client.post(&records("posts"), &body).ok()?;
    assert_eq!(answer.status, 200, "{answer:?}");
    Some(Acknowledged::Post(body))
}

fn append_permission(client: &Client, user: String, permission: String) -> Option<Acknowledged> {
    let body = json!({ "id": permission, "name": permission });
    let answer = client.post(&records("permissions"), &body).ok()?;
    assert_eq!(answer.status, 200, "{answer:?}");
    let body = json!({ "permissions+": permission });
    let answer = client.patch(&record("users", &user), &body).ok()?;
    assert_eq!(answer.status, 200, "{answer:?}");
    Some(Acknowledged::Permission { user, permission })
}

impl Promised {
    fn keep(&mut self, answer: Acknowledged) {
        match answer {
            Acknowledged::Post(body) => {
                self.posts
                    .insert(body["id"].as_str().unwrap().to_owned(), body);
            }
            Acknowledged::Permission { user, permission } => {
                self.permissions.entry(user).or_default().insert(permission);
            }
        }
    }

    fn check(&self, root: &Client) {
        let users = all(root, "users");
        let posts = all(root, "posts");
        self.check_posts(&posts, &ids(&users));
        self.check_permissions(root, &users);
    }

    fn check_posts(&self, posts: &[Value], users: &BTreeSet<String>) {
        let stored: BTreeMap<_, _> = posts
            .iter()
            .map(|post| (post["id"].as_str().unwrap(), post))
            .collect();
        for (post, sent) in &self.posts {
            let found = stored.get(post.as_str());
            let found = found.unwrap_or_else(|| panic!("{post} was acknowledged and is gone"));
            for (field, value) in sent.as_object().unwrap() {
                assert_eq!(&found[field], value, "{field} of {post}");
            }
        }
        for post in posts {
            let author = post["author"].as_str().unwrap();
            assert!(users.contains(author), "{post}: the author doesn't exist");
            assert_eq!(post["type"], json!(["a", "c"]), "{post}");
        }
    }

    fn check_permissions(&self, root: &Client, users: &[Value]) {
        let existing = ids(&all(root, "permissions"));
        for user in users {
            let id = user["id"].as_str().unwrap();
            let listed = texts(&user["permissions"]);
            let stored: BTreeSet<_> = listed.iter().cloned().collect();
            assert_eq!(
                stored.len(),
                listed.len(),
                "{id}: a permission is listed twice"
            );
            assert!(
                stored.is_subset(&existing),
                "{id}: a permission doesn't exist"
            );
            let lost: Vec<_> = self
                .permissions
                .get(id)
                .into_iter()
                .flatten()
                .filter(|kept| !stored.contains(*kept))
                .collect();
            assert!(lost.is_empty(), "{id}: acknowledged and gone: {lost:?}");
            // Filters must see the same relations as the record shows.
            let filter = format!(
                "?perPage=1&fields=id&filter=id%3D%22{id}%22%26%26permissions%3Alength%3D{}",
                stored.len()
            );
            assert_eq!(
                ok(root.get(&(records("users") + &filter)))["totalItems"],
                1,
                "{id} by filter"
            );
        }
        for (permission, user) in users.iter().flat_map(|user| {
            let id = user["id"].as_str().unwrap();
            texts(&user["permissions"])
                .into_iter()
                .step_by(25)
                .map(move |permission| (permission, id))
        }) {
            let filter = format!("?fields=id&filter=permissions.id%3F%3D%22{permission}%22");
            let found = ok(root.get(&(records("users") + &filter)));
            assert_eq!(
                found["items"],
                json!([{ "id": user }]),
                "{permission} by filter"
            );
        }
    }
}

fn ids(records: &[Value]) -> BTreeSet<String> {
    records
        .iter()
        .map(|record| record["id"].as_str().unwrap().to_owned())
        .collect()
}
