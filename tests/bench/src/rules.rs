//! The list rules of the benchmark: their text, the collection of the benchmark app that has each,
//! and what each must find, computed here from the data set and independently of both servers.

use crate::data::{Data, Post, is_active};

/// A list rule of the posts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListRule {
    /// No condition.
    Public,
    /// Any user.
    Auth,
    /// The author's own posts.
    Author,
    /// The same through the related record's id.
    AuthorId,
    /// Text search that finds everything.
    Text,
    /// Each of the types.
    Each,
    /// One of the types.
    EachAny,
    /// Two single relations deep.
    Organization,
    /// A single and a multiple relation deep, each of them.
    Permission,
    /// The same, one of them.
    PermissionAny,
}

impl ListRule {
    /// The rule as schemas spell it.
    pub fn text(self) -> &'static str {
        match self {
            ListRule::Public => "",
            ListRule::Auth => "@request.auth.id != ''",
            ListRule::Author => "author = @request.auth.id",
            ListRule::AuthorId => "author.id = @request.auth.id",
            ListRule::Text => "description ~ 'ipsum dolor'",
            ListRule::Each => "type:each != 'c'",
            ListRule::EachAny => "type:each ?!= 'c'",
            ListRule::Organization => "author.organization.name != 'test'",
            ListRule::Permission => "author.permissions.active = true",
            ListRule::PermissionAny => "author.permissions.active ?= true",
        }
    }

    /// What the benchmark app appends to `posts10k` for the collection that has this rule.
    pub fn suffix(self) -> &'static str {
        match self {
            ListRule::Public => "",
            ListRule::Auth => "_auth",
            ListRule::Author => "_author",
            ListRule::AuthorId => "_author_id",
            ListRule::Text => "_text",
            ListRule::Each => "_each",
            ListRule::EachAny => "_each_any",
            ListRule::Organization => "_org",
            ListRule::Permission => "_perm",
            ListRule::PermissionAny => "_perm_any",
        }
    }

    /// The field whose index the peer's benchmark tries with this rule.
    pub fn indexed(self) -> Option<&'static str> {
        match self {
            ListRule::Author | ListRule::AuthorId => Some("author"),
            ListRule::Text => Some("description"),
            _ => None,
        }
    }

    /// May the user with number 0 see this post?
    pub fn admits(self, data: &Data, post: &Post) -> bool {
        let permissions = || {
            let author = data.users.get(post.author);
            author
                .map(|user| user.permissions.as_slice())
                .unwrap_or_default()
                .iter()
                .copied()
        };
        match self {
            ListRule::Public | ListRule::Auth | ListRule::Text | ListRule::Organization => true,
            ListRule::Author | ListRule::AuthorId => post.author == 0,
            ListRule::Each => post.types.iter().all(|&one| one != "c"),
            ListRule::EachAny => post.types.iter().any(|&one| one != "c"),
            ListRule::Permission => permissions().all(is_active),
            ListRule::PermissionAny => permissions().any(is_active),
        }
    }
}

/// All rules but the public one, in the order of the report.
pub const RULED: [ListRule; 9] = [
    ListRule::Auth,
    ListRule::Author,
    ListRule::AuthorId,
    ListRule::Text,
    ListRule::Each,
    ListRule::EachAny,
    ListRule::Organization,
    ListRule::Permission,
    ListRule::PermissionAny,
];
