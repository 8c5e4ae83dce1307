//! From rows to requests: everything that is sent is made here, before the clock starts.

use std::time::Duration;

use serde_json::{Value, json};

use crate::cli::Side;
use crate::data::{Data, PASSWORD, Post, half};
use crate::drive::Load;
use crate::numbers::Numbers;
use crate::request::{Request, Wire};
use crate::rows::{Kind, Row, Work};
use crate::server::Server;

/// The application's own route, in both servers.
pub const NEWEST: &str = "/api/bench/newest";
/// What the hook of both servers puts before a title.
pub const REWRITTEN: &str = "rewritten: ";
/// While many log in: a page every so often.
const LISTING: Duration = Duration::from_millis(10);
const LISTERS: usize = 20;

/// The records, and how this run sends requests for them.
pub struct Material {
    /// Everything but the posts.
    pub data: Data,
    /// The posts.
    pub posts: Vec<Post>,
    /// `--new-connections`
    pub new_connections: bool,
    /// With `--smoke`: no row has more requests than this.
    pub limit: Option<usize>,
}

/// A record to create: its id and the request's body.
pub type Record<'a> = (&'a str, &'a Value);

impl Material {
    /// The id of user 0, who logs in.
    pub fn first_user(&self) -> &str {
        let user = self.data.users.first();
        user.map(|user| user.id.as_str()).unwrap_or_default()
    }

    /// All records of one kind.
    pub fn records(&self, kind: Kind) -> Vec<Record<'_>> {
        let data = &self.data;
        match kind {
            Kind::Organizations => data
                .organizations
                .iter()
                .map(|r| (&*r.id, &r.body))
                .collect(),
            Kind::Permissions => data.permissions.iter().map(|r| (&*r.id, &r.body)).collect(),
            Kind::Users => data.users.iter().map(|r| (&*r.id, &r.body)).collect(),
            Kind::Posts(_) => self.posts.iter().map(|r| (&*r.id, &r.body)).collect(),
        }
    }

    /// The first or second half of them.
    pub fn half(&self, kind: Kind, second: bool) -> Vec<Record<'_>> {
        let all = self.records(kind);
        all.get(half(all.len(), second))
            .unwrap_or_default()
            .to_vec()
    }

    /// The ids that a delete row deletes. User 0, whose token the rows use, stays until last.
    pub fn doomed(&self, row: &Row, second: bool) -> Vec<&str> {
        let count = self.requests(row);
        let mut ids: Vec<&str> = self
            .records(row.kind)
            .into_iter()
            .map(|(id, _)| id)
            .collect();
        ids.reverse();
        ids.into_iter()
            .skip(if second { count } else { 0 })
            .take(count)
            .collect()
    }

    /// How many requests a row has.
    pub fn requests(&self, row: &Row) -> usize {
        self.limit
            .map_or(row.requests, |limit| limit.min(row.requests))
    }

    /// What a row sends to `collection` of one server: the requests that count, then those beside.
    pub fn loads(&self, row: &Row, server: &Server, collection: &str, cold: bool) -> Vec<Load> {
        let base = format!("/api/collections/{collection}");
        let wire = |request: Request<'_>| request.wire(server.address, self.new_connections);
        let mut main = self.sent(Vec::new(), row.concurrency, server.side);
        if let Some(path) = self.read_path(row, collection) {
            // The lists of the storm are what its figures are about: cold ones.
            let cold = cold || row.work == Work::Storm;
            let read = Request::new("GET", &path).token(&server.user).cold(cold);
            main.requests = vec![wire(read); self.requests(row)];
        }
        let mut beside = None;
        match row.work {
            Work::View | Work::Newest | Work::Start => {}
            Work::List { updates: 0, .. } => {}
            Work::List { updates, .. } => {
                let title = |post: &Post| new_title(post);
                let chosen = self.chosen(updates);
                let mut load = self.updates(&chosen, server, collection, title);
                load.concurrency = load.requests.len();
                beside = Some(load);
            }
            Work::Create { second } => main.requests = self.creates(row, second, server, &base),
            Work::Login => main.requests = self.logins(row, server),
            Work::Refresh => {
                let path = format!("{base}/auth-refresh");
                let refresh = Request::new("POST", &path).token(&server.user);
                main.requests = vec![wire(refresh); self.requests(row)];
            }
            Work::Storm => {
                main.requests.truncate(1);
                (main.concurrency, main.pace) = (LISTERS, Some(LISTING));
                beside = Some(Load {
                    requests: self.logins(row, server),
                    concurrency: row.concurrency,
                    pace: None,
                    ..main.clone()
                });
            }
            Work::Hooked => {
                let first: Vec<usize> = (0..self.requests(row)).collect();
                let title = |_: &Post| HOOKED.to_owned();
                main.requests = self.updates(&first, server, collection, title).requests;
            }
            Work::Delete { second } => {
                let path = |id: &str| format!("{base}/records/{id}");
                let delete = |id| wire(Request::new("DELETE", &path(id)).token(&server.user));
                main.requests = self.doomed(row, second).into_iter().map(delete).collect();
                main.status = 204;
            }
        }
        [main].into_iter().chain(beside).collect()
    }

    /// The path that a row reads, if it does.
    pub fn read_path(&self, row: &Row, collection: &str) -> Option<String> {
        let base = format!("/api/collections/{collection}/records");
        match row.work {
            Work::View => Some(format!("{base}/{}", self.first_user())),
            Work::List { query, .. } => Some(format!("{base}{query}")),
            Work::Storm | Work::Start => Some(format!("{base}?perPage=20")),
            Work::Newest => Some(NEWEST.to_owned()),
            _ => None,
        }
    }

    fn creates(&self, row: &Row, second: bool, server: &Server, base: &str) -> Vec<Wire> {
        // The rules of the first rows ask for nothing, and guests come cheapest.
        let token = Some(server.user.as_str()).filter(|token| second && !token.is_empty());
        let path = format!("{base}/records");
        let create = |(_, body): Record<'_>| {
            let (body, post) = (body.to_string(), Request::new("POST", &path));
            let request = Request { token, ..post }.body(&body);
            request.wire(server.address, self.new_connections)
        };
        self.half(row.kind, second)
            .into_iter()
            .map(create)
            .collect()
    }

    fn logins(&self, row: &Row, server: &Server) -> Vec<Wire> {
        let body = credentials();
        let login = Request::new("POST", LOGIN).body(&body);
        vec![login.wire(server.address, self.new_connections); self.requests(row)]
    }

    /// Updates of the posts at these places.
    fn updates(
        &self,
        places: &[usize],
        server: &Server,
        collection: &str,
        title: impl Fn(&Post) -> String,
    ) -> Load {
        let update = |post: &Post| {
            let path = format!("/api/collections/{collection}/records/{}", post.id);
            let body = json!({ "title": title(post) }).to_string();
            let request = Request::new("PATCH", &path).token(&server.user).body(&body);
            request.wire(server.address, self.new_connections)
        };
        let posts = places.iter().filter_map(|&place| self.posts.get(place));
        self.sent(posts.map(update).collect(), 1, server.side)
    }

    /// Follows the updates of a mixed row, so that later rows know what the servers hold.
    pub fn updated(&mut self, row: &Row) {
        let Work::List {
            updates: count @ 1..,
            ..
        } = row.work
        else {
            return;
        };
        let chosen = self.chosen(count);
        for (place, post) in self.posts.iter_mut().enumerate() {
            if chosen.contains(&place) {
                let title = Value::from(new_title(post));
                if let Some(body) = post.body.as_object_mut() {
                    body.insert("title".to_owned(), title);
                }
            }
        }
    }

    /// The places of the posts that a mixed row updates.
    fn chosen(&self, count: usize) -> Vec<usize> {
        let count = self.limit.map_or(count, |limit| limit.min(count));
        Numbers::new(count as u64).distinct(count, self.posts.len())
    }

    /// A few of the requests, where they can be repeated; a page where not: connections, caches and
    /// code as users meet them.
    pub fn warm_up(&self, row: &Row, server: &Server, lane: &Load) -> Option<Load> {
        let few = (self.requests(row) / 10).clamp(1, 50);
        let mut load = Load {
            concurrency: row.concurrency.min(2),
            pace: None,
            new_connections: false,
            ..lane.clone()
        };
        if !row.work.repeats() {
            let path = format!(
                "/api/collections/{}/records?perPage=1",
                row.kind.collection()
            );
            let request = Request::new("GET", &path).token(&server.superuser);
            load.requests = vec![request.wire(server.address, false)];
            load.status = 200;
        }
        load.requests.truncate(few);
        (row.work != Work::Start).then_some(load)
    }

    fn sent(&self, requests: Vec<Wire>, concurrency: usize, side: Side) -> Load {
        Load {
            requests,
            concurrency,
            status: 200,
            new_connections: self.new_connections,
            pace: None,
            may_give_up: side == Side::Peer,
            model: None,
        }
    }
}

/// Where user 0 logs in.
pub const LOGIN: &str = "/api/collections/users/auth-with-password";

/// The body of such a login.
pub fn credentials() -> String {
    json!({ "identity": "user0@example.com", "password": PASSWORD }).to_string()
}

/// What updates through the hook say; the hook says more.
pub const HOOKED: &str = "a title of its own";

fn new_title(post: &Post) -> String {
    format!("updated {}", post.id)
}
