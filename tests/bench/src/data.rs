//! The data set: the same records for both servers and for every run, made from a seed.

use std::ops::Range;

use serde_json::{Value, json};

use crate::numbers::Numbers;

/// Every user's password.
pub const PASSWORD: &str = "1234567890";

const SENTENCES: [&str; 12] = [
    "Sed ut perspiciatis unde omnis iste natus error sit voluptatem accusantium.",
    "Nemo enim ipsam voluptatem quia voluptas sit aspernatur aut odit aut fugit.",
    "Ut enim ad minima veniam, quis nostrum exercitationem ullam corporis suscipit.",
    "Quis autem vel eum iure reprehenderit qui in ea voluptate velit esse.",
    "At vero eos et accusamus et iusto odio dignissimos ducimus qui blanditiis.",
    "Temporibus autem quibusdam et aut officiis debitis aut rerum necessitatibus.",
    "Itaque earum rerum hic tenetur a sapiente delectus, ut aut reiciendis.",
    "Nam libero tempore, cum soluta nobis est eligendi optio cumque nihil impedit.",
    "Neque porro quisquam est, qui in ea commodi consequatur.",
    "Excepteur sint occaecat cupidatat non proident, sunt in culpa qui officia.",
    "Duis aute irure in reprehenderit in voluptate velit esse cillum dolore.",
    "Et harum quidem rerum facilis est et expedita distinctio.",
];
const OPENING: &str = "Lorem ipsum dolor sit amet, consectetur adipiscing elit.";

/// How many records of each collection.
#[derive(Debug, Clone, Copy)]
pub struct Counts {
    /// organizations
    pub organizations: usize,
    /// permissions
    pub permissions: usize,
    /// users
    pub users: usize,
}

impl Counts {
    /// The benchmark's data set.
    pub const FULL: Counts = Counts {
        organizations: 100,
        permissions: 50,
        users: 500,
    };
    /// Enough to see that every row works.
    pub const SMOKE: Counts = Counts {
        organizations: 10,
        permissions: 10,
        users: 20,
    };
}

/// A user, as far as rules care.
pub struct User {
    /// The record's id.
    pub id: String,
    /// Places in `Data::permissions`.
    pub permissions: Vec<usize>,
    /// The create request's body.
    pub body: Value,
}

/// A post, as far as rules care.
pub struct Post {
    /// The record's id.
    pub id: String,
    /// The chosen types.
    pub types: Vec<&'static str>,
    /// Place in `Data::users`.
    pub author: usize,
    /// The create request's body.
    pub body: Value,
}

/// A record of which only the id matters.
pub struct Plain {
    /// The record's id.
    pub id: String,
    /// The create request's body.
    pub body: Value,
}

/// The records that all sizes share.
pub struct Data {
    /// 100 organizations.
    pub organizations: Vec<Plain>,
    /// 50 permissions, every second one active.
    pub permissions: Vec<Plain>,
    /// 500 users with one organization and three permissions each.
    pub users: Vec<User>,
    seed: u64,
}

impl Data {
    /// Makes everything but the posts.
    pub fn new(seed: u64, counts: Counts) -> Data {
        let mut numbers = Numbers::new(seed);
        let organizations = plain(
            counts.organizations,
            &mut numbers,
            |id, number| json!({ "id": id, "name": format!("organization {number}") }),
        );
        let permissions = plain(counts.permissions, &mut numbers, |id, number| {
            let active = is_active(number);
            json!({ "id": id, "name": format!("permission {number}"), "active": active })
        });
        let users = (0..counts.users)
            .map(|number| user(number, &organizations, &permissions, &mut numbers))
            .collect();
        Data {
            organizations,
            permissions,
            users,
            seed,
        }
    }

    /// Makes the posts of one size.
    pub fn posts(&self, count: usize) -> Vec<Post> {
        // A sequence of its own, so that the posts of one size don't depend on which others are made.
        let mut numbers = Numbers::new(self.seed.wrapping_add(count as u64));
        (0..count)
            .map(|number| self.post(number, &mut numbers))
            .collect()
    }

    fn post(&self, number: usize, numbers: &mut Numbers) -> Post {
        const TYPES: [&str; 4] = ["a", "b", "c", "d"];
        let id = numbers.id();
        let mut types: Vec<&str> = (0..2)
            .filter_map(|_| TYPES.get(numbers.below(TYPES.len())).copied())
            .collect();
        types.dedup();
        let author = numbers.below(self.users.len());
        let body = json!({
            "id": id,
            "title": format!("post {number}"),
            "description": description(numbers),
            "public": numbers.below(2) == 0,
            "type": types,
            "author": self.users.get(author).map(|user| user.id.as_str()).unwrap_or_default(),
        });
        Post {
            id,
            types,
            author,
            body,
        }
    }
}

/// Is the permission with this number active? Every second one is.
pub fn is_active(number: usize) -> bool {
    number.is_multiple_of(2)
}

/// The first or the second half of `count` things: rows come in pairs, one for each rule.
pub fn half(count: usize, second: bool) -> Range<usize> {
    if second {
        count / 2..count
    } else {
        0..count / 2
    }
}

fn plain(count: usize, numbers: &mut Numbers, body: impl Fn(&str, usize) -> Value) -> Vec<Plain> {
    (0..count)
        .map(|number| {
            let id = numbers.id();
            let body = body(&id, number);
            Plain { id, body }
        })
        .collect()
}

fn user(
    number: usize,
    organizations: &[Plain],
    permissions: &[Plain],
    numbers: &mut Numbers,
) -> User {
    let id = numbers.id();
    let organization = numbers.below(organizations.len());
    let mine = numbers.distinct(3, permissions.len());
    let body = json!({
        "id": id,
        "username": format!("user{number}"),
        "email": format!("user{number}@example.com"),
        "password": PASSWORD,
        "passwordConfirm": PASSWORD,
        "organization": organizations.get(organization).map(|one| one.id.as_str()),
        "permissions":
            mine.iter().filter_map(|&one| permissions.get(one)).map(|one| &one.id).collect::<Vec<_>>(),
    });
    User {
        id,
        permissions: mine,
        body,
    }
}

/// About 500 characters.
fn description(numbers: &mut Numbers) -> String {
    let chosen = numbers.distinct(6, SENTENCES.len());
    let mut sentences: Vec<&str> = chosen
        .iter()
        .filter_map(|&place| SENTENCES.get(place).copied())
        .collect();
    sentences.insert(numbers.below(sentences.len() + 1), OPENING);
    format!("<p>{}</p>", sentences.join(" "))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::indexing_slicing)]

    use super::*;

    #[test]
    fn the_seed_decides_everything() {
        let make = |seed| {
            let data = Data::new(seed, Counts::SMOKE);
            let posts = data.posts(50);
            let users = data.users.iter().map(|user| user.body.to_string());
            users
                .chain(posts.iter().map(|post| post.body.to_string()))
                .collect::<Vec<_>>()
        };
        assert_eq!(make(1), make(1));
        assert_ne!(make(1), make(2));
    }

    #[test]
    fn the_data_is_as_described() {
        let data = Data::new(7, Counts::FULL);
        let posts = data.posts(1000);
        let sizes = [
            data.organizations.len(),
            data.permissions.len(),
            data.users.len(),
        ];
        assert_eq!(sizes, [100, 50, 500]);
        let mut ids: Vec<&str> = posts.iter().map(|post| post.id.as_str()).collect();
        ids.extend(data.users.iter().map(|user| user.id.as_str()));
        assert!(ids.iter().all(|id| id.len() == 15));
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), 1500, "ids are unique");
        for user in &data.users {
            let mut three = user.permissions.clone();
            three.sort_unstable();
            three.dedup();
            assert_eq!(three.len(), 3);
        }
        for post in &posts {
            let text = post.body["description"].as_str().unwrap_or_default();
            assert!(
                text.contains("ipsum dolor") && (400..620).contains(&text.len()),
                "{text}"
            );
            assert!((1..=2).contains(&post.types.len()));
        }
        assert!(posts.iter().any(|post| post.types == ["c"]));
    }

    #[test]
    fn halves_make_a_whole() {
        for count in [0, 1, 20, 25] {
            assert_eq!(half(count, false).len() + half(count, true).len(), count);
        }
    }
}
