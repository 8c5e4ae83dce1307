//! From rows to requests: everything that is sent is made here, before the clock starts.

use serde_json::{Value, json};

use crate::data::{Data, PASSWORD, Post, half};
use crate::drive::Load;
use crate::numbers::Numbers;
use crate::request::{Request, Wire};
use crate::rows::{Kind, Row, Work};
use crate::server::Server;

/// The records, and how this run sends requests for them.
pub struct Material {
    /// Everything but the posts.
    pub data: Data,
    /// The posts of each size that is measured.
    pub posts: Vec<(Kind, Vec<Post>)>,
    /// `--new-connections`
    pub new_connections: bool,
    /// With `--smoke`: no row has more requests than this.
    pub limit: Option<usize>,
}

/// A record to create: its id and the request's body.
pub type Record<'a> = (&'a str, &'a Value);

impl Material {
    /// The posts of one size.
    pub fn posts(&self, kind: Kind) -> &[Post] {
        let found = self.posts.iter().find(|(size, _)| *size == kind);
        found.map(|(_, posts)| posts.as_slice()).unwrap_or_default()
    }

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
            Kind::Posts(_) => self.posts(kind).iter().map(|r| (&*r.id, &r.body)).collect(),
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

    fn requests(&self, row: &Row) -> usize {
        self.limit
            .map_or(row.requests, |limit| limit.min(row.requests))
    }

    /// The requests of a row on `collection` of one server.
    pub fn load(&self, row: &Row, server: &Server, collection: &str) -> Load {
        self.numbered(row, server, collection, 0)
    }

    /// The same; where each request differs, they are numbered from `from`.
    fn numbered(&self, row: &Row, server: &Server, collection: &str, from: usize) -> Load {
        let base = format!("/api/collections/{collection}");
        let wire = |request: Request<'_>| request.wire(server.address, self.new_connections);
        let count = self.requests(row);
        let same = |request: Request<'_>| vec![wire(request.token(&server.user)); count];
        let requests = match row.work {
            Work::Create { second } => {
                // The rules of the first rows ask for nothing, and guests come cheapest.
                let token = Some(server.user.as_str()).filter(|token| !token.is_empty());
                let path = format!("{base}/records");
                let create = |(_, body): Record<'_>| {
                    let body = body.to_string();
                    wire(
                        Request {
                            token: token.filter(|_| second),
                            ..Request::new("POST", &path)
                        }
                        .body(&body),
                    )
                };
                self.half(row.kind, second)
                    .into_iter()
                    .map(create)
                    .collect()
            }
            Work::Login => {
                let body = json!({ "identity": "user0@example.com", "password": PASSWORD });
                let path = format!("{base}/auth-with-password");
                vec![wire(Request::new("POST", &path).body(&body.to_string())); count]
            }
            Work::Refresh => same(Request::new("POST", &format!("{base}/auth-refresh"))),
            Work::View => same(Request::new(
                "GET",
                &format!("{base}/records/{}", self.first_user()),
            )),
            Work::List {
                query, cold: false, ..
            } => same(Request::new("GET", &format!("{base}/records{query}"))),
            Work::List {
                query, cold: true, ..
            } => {
                let path = |number| format!("{base}/records{query}{}", own_filter(number));
                let list = |path: String| wire(Request::new("GET", &path).token(&server.user));
                (from..from + count)
                    .map(|number| list(path(number)))
                    .collect()
            }
            Work::Delete { second } => {
                let path = |id: &str| format!("{base}/records/{id}");
                let delete = |id| wire(Request::new("DELETE", &path(id)).token(&server.user));
                self.doomed(row, second).into_iter().map(delete).collect()
            }
        };
        let status = if matches!(row.work, Work::Delete { .. }) {
            204
        } else {
            200
        };
        self.sent(requests, row.concurrency, status)
    }

    /// The updates that go on while a mixed row lists: all of them at once.
    pub fn updates(&self, row: &Row, server: &Server, collection: &str, count: usize) -> Load {
        let posts = self.posts(row.kind);
        let update = |post: &Post| {
            let path = format!("/api/collections/{collection}/records/{}", post.id);
            let body = json!({ "title": new_title(post) }).to_string();
            let request = Request::new("PATCH", &path).token(&server.user).body(&body);
            request.wire(server.address, self.new_connections)
        };
        let chosen = self.chosen(row.kind, count);
        let requests: Vec<Wire> = chosen
            .iter()
            .filter_map(|&place| posts.get(place))
            .map(update)
            .collect();
        let concurrency = requests.len();
        self.sent(requests, concurrency, 200)
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
        let chosen = self.chosen(row.kind, count);
        let posts = self.posts.iter_mut().find(|(kind, _)| *kind == row.kind);
        for (place, post) in posts
            .into_iter()
            .flat_map(|(_, posts)| posts.iter_mut().enumerate())
        {
            if chosen.contains(&place) {
                let title = Value::from(new_title(post));
                if let Some(body) = post.body.as_object_mut() {
                    body.insert("title".to_owned(), title);
                }
            }
        }
    }

    /// The places of the posts that a mixed row updates.
    fn chosen(&self, kind: Kind, count: usize) -> Vec<usize> {
        let count = self.limit.map_or(count, |limit| limit.min(count));
        Numbers::new(count as u64).distinct(count, self.posts(kind).len())
    }

    /// A few cheap or, for reads, the same requests: caches and connections as users meet them.
    pub fn warm_up(&self, row: &Row, server: &Server, collection: &str) -> Load {
        let few = (self.requests(row) / 10).clamp(1, 50);
        let mut load = match row.work {
            Work::Create { .. } | Work::Delete { .. } => {
                let path = format!("/api/collections/{collection}/records?perPage=1");
                let request = Request::new("GET", &path).token(&server.superuser);
                self.sent(vec![request.wire(server.address, false)], 1, 200)
            }
            // Cold rows: not those that will be measured.
            _ => self.numbered(row, server, collection, self.requests(row)),
        };
        load.requests.truncate(few);
        load.new_connections = false;
        load
    }

    fn sent(&self, requests: Vec<Wire>, concurrency: usize, status: u16) -> Load {
        Load {
            requests,
            concurrency,
            status,
            new_connections: self.new_connections,
        }
    }
}

fn new_title(post: &Post) -> String {
    format!("updated {}", post.id)
}

/// A filter that no other request of the row has, and that each record satisfies: no id is like that.
pub fn own_filter(number: usize) -> String {
    format!("&filter=id%21%3D%27none{number}%27")
}
