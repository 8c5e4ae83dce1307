//! The application with the example records of one file, put back to them after every write.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context as _, anyhow, bail};
use basalt_codegen::ir;
use basalt_codegen::policy::{Caller, Given, Suite};
use basalt_runtime::app::{App, Application, DATABASE_FILE, Pending};
use basalt_runtime::auth::guard::SUPERUSERS;
use basalt_runtime::auth::token::{self, Claims};
use basalt_runtime::collection::text_of;
use basalt_runtime::config::Settings;
use basalt_runtime::error::ApiError;
use basalt_runtime::server;
use basalt_runtime::value::{DateTime, Value};
use rocket::http::{ContentType, Header, Method};
use rocket::local::asynchronous::Client;
use serde_json::{Map, Value as JsonValue};
use tempfile::TempDir;
use tokio::runtime::Runtime;

/// The password of accounts whose example gives none.
pub const PASSWORD: &str = "an example's password";

/// The id of the superuser that tests ask as.
const ROOT: &str = "policytestsroot";

/// The application with example records.
pub struct Stage<'a> {
    application: fn() -> Application,
    /// The model, for what rules say.
    pub schema: &'a ir::Schema,
    /// The file.
    pub suite: &'a Suite,
    runtime: &'a Runtime,
    /// The database as each claim finds it.
    base: TempDir,
    running: Option<Running>,
    /// The example records, as the server gave them to a superuser.
    records: Vec<JsonValue>,
    /// The tokens of those that can log in.
    tokens: Vec<Option<String>>,
    root: String,
}

struct Running {
    client: Client,
    app: Arc<App>,
    _dir: TempDir,
}

/// A request of a test.
pub struct Ask<'t> {
    /// Who asks.
    pub caller: Caller,
    /// How.
    pub method: Method,
    /// The path, with what has to be encoded in it already so.
    pub path: String,
    /// The body.
    pub body: Option<JsonValue>,
    /// Further headers.
    pub headers: &'t [(String, String)],
}

/// An answer.
#[derive(Debug)]
pub struct Answer {
    /// The HTTP status.
    pub status: u16,
    /// The body, null if there is none.
    pub body: JsonValue,
}

impl<'a> Stage<'a> {
    /// Makes a database with the example records.
    ///
    /// # Errors
    /// What the server has against one of them, or what keeps it from starting.
    pub fn prepare(
        application: fn() -> Application,
        schema: &'a ir::Schema,
        suite: &'a Suite,
        runtime: &'a Runtime,
    ) -> anyhow::Result<Self> {
        let base = tempfile::tempdir().context("cannot make a folder for the database")?;
        let mut stage = Stage {
            application,
            schema,
            suite,
            runtime,
            running: None,
            records: Vec::new(),
            tokens: Vec::new(),
            root: String::new(),
            base,
        };
        let running = stage.start(stage.base.path(), Pending::Apply)?;
        let (app, client) = running;
        stage.root = superuser(&app)?;
        for example in &suite.examples {
            let path = format!("/api/collections/{}/records", example.collection);
            let ask = Ask {
                caller: Caller::Superuser,
                method: Method::Post,
                path,
                body: Some(stage.body(&example.collection, &example.values)),
                headers: &[],
            };
            let answer = stage.send(&client, &ask)?;
            if answer.status != 200 {
                bail!(
                    "{}: the example record `{}` can't be created: {}",
                    example.place,
                    example.full_name(),
                    answer.reason()
                );
            }
            stage
                .tokens
                .push(token_of(&app, &example.collection, &answer.body)?);
            stage.records.push(answer.body);
        }
        close(app, client);
        Ok(stage)
    }

    fn start(&self, dir: &Path, pending: Pending) -> anyhow::Result<(Arc<App>, Client)> {
        let Application {
            collections,
            migrations,
            extend,
            ..
        } = (self.application)();
        let settings = Settings {
            dir: dir.to_owned(),
            readers: 1,
            ..Settings::default()
        };
        let address = settings.http.parse().context("no address")?;
        let app = Arc::new(App::open(collections, migrations, settings, pending)?);
        let rocket = extend(server::build(Arc::clone(&app), address));
        let client = self.runtime.block_on(Client::untracked(rocket));
        let client = client.map_err(|error| anyhow!("the server can't start: {error}"))?;
        Ok((app, client))
    }

    /// Asks on a database with just the example records.
    ///
    /// # Errors
    /// What keeps the server from starting or answering.
    pub fn ask(&mut self, ask: &Ask<'_>) -> anyhow::Result<Answer> {
        let running = match self.running.take() {
            Some(running) => running,
            None => {
                let dir = tempfile::tempdir().context("cannot make a folder for the database")?;
                let from = self.base.path().join(DATABASE_FILE);
                std::fs::copy(from, dir.path().join(DATABASE_FILE))
                    .context("cannot copy the database")?;
                let (app, client) = self.start(dir.path(), Pending::Refuse)?;
                Running {
                    client,
                    app,
                    _dir: dir,
                }
            }
        };
        let answer = self.send(&running.client, ask)?;
        if ask.method == Method::Get || answer.status >= 300 {
            // Nothing was written.
            self.running = Some(running);
        } else {
            close(running.app, running.client);
        }
        Ok(answer)
    }

    fn send(&self, client: &Client, ask: &Ask<'_>) -> anyhow::Result<Answer> {
        let mut request = client.req(ask.method, ask.path.clone());
        let token = match ask.caller {
            Caller::Guest => None,
            Caller::Superuser => Some(&self.root),
            Caller::User(id) => self.tokens.get(id).and_then(Option::as_ref),
        };
        if let Some(token) = token {
            request.add_header(Header::new("Authorization", token.clone()));
        }
        for (name, value) in ask.headers {
            request.add_header(Header::new(name.clone(), value.clone()));
        }
        if let Some(body) = &ask.body {
            let text = body.to_string();
            request.add_header(ContentType::JSON);
            // A body without a length is taken for none.
            request.add_header(Header::new("Content-Length", text.len().to_string()));
            request.set_body(text);
        }
        self.runtime.block_on(async {
            let response = request.dispatch().await;
            let status = response.status().code;
            let text = response.into_string().await.unwrap_or_default();
            let body = serde_json::from_str(&text).unwrap_or_default();
            Ok(Answer { status, body })
        })
    }

    /// The id of an example record.
    pub fn id(&self, example: usize) -> &str {
        self.text(example, "id").unwrap_or_default()
    }

    /// A text of an example record.
    pub fn text(&self, example: usize, field: &str) -> Option<&str> {
        self.records.get(example)?.get(field)?.as_str()
    }

    /// The example with this id.
    pub fn example(&self, collection: &str, id: &str) -> Option<usize> {
        let examples = self.suite.examples.iter().enumerate();
        let mut of_it = examples.filter(|(_, it)| it.collection == collection);
        of_it.find(|(at, _)| self.id(*at) == id).map(|(at, _)| at)
    }

    /// A body for a create: accounts get a password if none is given.
    pub fn body(&self, collection: &str, values: &[(String, Given)]) -> JsonValue {
        let mut body = self.fields(values);
        let collection = self.schema.collection(collection);
        if collection.is_some_and(|it| matches!(it.kind, ir::CollectionKind::Auth(_))) {
            let password = body.entry("password").or_insert_with(|| PASSWORD.into());
            let password = password.clone();
            body.entry("passwordConfirm").or_insert(password);
        }
        JsonValue::Object(body)
    }

    /// Values as JSON, with the ids of example records in them.
    pub fn fields(&self, values: &[(String, Given)]) -> Map<String, JsonValue> {
        let values = values.iter();
        values
            .map(|(name, given)| (name.clone(), self.json(given)))
            .collect()
    }

    fn json(&self, given: &Given) -> JsonValue {
        match given {
            Given::Json(value) => value.clone(),
            Given::Id(id) => JsonValue::from(self.id(*id)),
            Given::List(items) => items.iter().map(|item| self.json(item)).collect(),
        }
    }
}

impl Drop for Stage<'_> {
    fn drop(&mut self) {
        if let Some(running) = self.running.take() {
            close(running.app, running.client);
        }
    }
}

fn close(app: Arc<App>, client: Client) {
    app.db.shutdown();
    drop(client);
    drop(app);
}

/// Makes the superuser that tests ask as; returns its token.
fn superuser(app: &App) -> anyhow::Result<String> {
    let registry = app.registry.clone();
    let insert = move |conn: &mut _| {
        let entry = registry.find(SUPERUSERS).ok_or_else(ApiError::not_found)?;
        let mut record = entry.blank();
        let now = DateTime::now().as_str().to_owned();
        let texts = [
            ("id", ROOT.to_owned()),
            ("email", "root@example.com".to_owned()),
            ("tokenKey", ROOT.repeat(3)),
            ("created", now.clone()),
            ("updated", now),
        ];
        for (name, text) in texts {
            if let Some(field) = record.meta().field_index(name) {
                record.set(field, Value::Text(text));
            }
        }
        entry
            .insert_unchecked(conn, &*record)
            .map_err(ApiError::internal)
    };
    let inserted = app.db.write_blocking(insert);
    inserted.map_err(|error| anyhow!("cannot make a superuser: {}", error.message))?;
    let id = JsonValue::from_iter([("id", ROOT)]);
    token_of(app, SUPERUSERS, &id)?.context("superusers have no secret")
}

/// A token of a record; nothing if its collection has no logins.
fn token_of(app: &App, collection: &str, record: &JsonValue) -> anyhow::Result<Option<String>> {
    let Some(entry) = app.registry.find(collection).cloned() else {
        return Ok(None);
    };
    let meta = entry.meta();
    let Some(secret) = app.secrets.of(meta.id) else {
        return Ok(None);
    };
    let id = record.get("id").and_then(JsonValue::as_str);
    let id = id.unwrap_or_default().to_owned();
    let wanted = id.clone();
    let found = app.db.read_blocking(move |conn| {
        let found = entry.find_unchecked(conn, 0, &wanted, false, Some(1));
        Ok(found.map_err(ApiError::internal)?.pop())
    });
    let found = found.map_err(|error| anyhow!("cannot read a record: {}", error.message))?;
    let record = found.context("a record that was just made is gone")?;
    let claims = Claims {
        id,
        kind: token::AUTH.to_owned(),
        collection_id: meta.id.to_owned(),
        exp: None,
        refreshable: true,
    };
    let key = text_of(&*record, "tokenKey");
    Ok(Some(token::sign(&claims, key, secret)?))
}

impl Answer {
    /// Status, message and what is wrong with which field.
    pub fn reason(&self) -> String {
        let message = self.body.get("message").and_then(JsonValue::as_str);
        let mut text = format!("{} {}", self.status, message.unwrap_or_default());
        for (field, error) in self.data() {
            let message = error.get("message").and_then(JsonValue::as_str);
            text.push_str(&format!(" {field}: {}", message.unwrap_or_default()));
        }
        text.trim_end().to_owned()
    }

    /// What is wrong, by field.
    pub fn data(&self) -> impl Iterator<Item = (&String, &JsonValue)> {
        let data = self.body.get("data").and_then(JsonValue::as_object);
        data.into_iter().flatten()
    }
}
