//! A database on disk with some records, and the application around it.

use std::sync::Arc;

use basalt_micro::application;
use basalt_micro::generated::organizations::Organization;
use basalt_micro::generated::posts::Post;
use basalt_micro::generated::users::User;
use basalt_micro::generated::{organizations, posts, users};
use basalt_runtime::access::system;
use basalt_runtime::app::{App, Pending};
use basalt_runtime::config::Settings;
use basalt_runtime::request::{Auth, Body, RequestInfo};
use basalt_runtime::sql::Conn;
use basalt_runtime::value::Link;
use tempfile::TempDir;
use time::OffsetDateTime;

/// Posts on a page.
pub const POSTS: usize = 20;

/// An open application, and the folder of its database.
pub struct World {
    pub app: Arc<App>,
    pub dir: TempDir,
}

impl World {
    pub fn new() -> World {
        let dir = tempfile::tempdir().unwrap();
        let settings = Settings {
            dir: dir.path().to_owned(),
            readers: 1,
            ..Settings::default()
        };
        let made = application();
        let app = App::open(made.collections, made.migrations, settings, Pending::Apply).unwrap();
        app.db
            .write_blocking(|conn| {
                fill(conn);
                Ok(())
            })
            .unwrap();
        World {
            app: Arc::new(app),
            dir,
        }
    }
}

fn fill(conn: &mut Conn) {
    let organization = Organization {
        id: "org000000000001".to_owned(),
        name: "Acme".to_owned(),
    };
    system::insert::<organizations::Organizations>(conn, &organization).unwrap();
    system::insert::<users::Users>(conn, &user()).unwrap();
    for number in 0..POSTS {
        system::insert::<posts::Posts>(conn, &post(number)).unwrap();
    }
}

pub fn user() -> User {
    User {
        id: "user00000000001".to_owned(),
        token_key: "k".repeat(50),
        organization: Link::to("org000000000001"),
        ..User::default()
    }
}

/// A post of about 600 bytes.
pub fn post(number: usize) -> Post {
    Post {
        id: format!("post{number:011}"),
        title: format!("post {number}"),
        description: text(500),
        public: true,
        author: Link::to("user00000000001"),
        ..Post::default()
    }
}

/// A text in which JSON escapes a few characters.
pub fn text(length: usize) -> String {
    let some = "lorem <b>ipsum</b> dolor sit amet, \"consetetur\" sadipscing elitr\n";
    some.chars().cycle().take(length).collect()
}

/// A request of the user.
pub fn request() -> RequestInfo {
    let mut body = Body::default();
    body.raw.insert("public".to_owned(), true.into());
    RequestInfo {
        auth: Some(Auth {
            record: Arc::new(user()),
            superuser: false,
            token: "".into(),
            refreshable: true,
        }),
        method: "POST",
        context: "default",
        query: Default::default(),
        headers: Default::default(),
        body,
        now: OffsetDateTime::UNIX_EPOCH,
        client: None,
    }
}
