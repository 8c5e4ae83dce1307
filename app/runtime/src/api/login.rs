//! `/api/collections/{c}/auth-…`: which ways to log in there are, logging in by password, and
//! fresh tokens.

use std::sync::Arc;

use rocket::data::Data;
use rocket::http::Method;
use rocket::route::{Handler, Outcome};
use rocket::{Request, Route};
use serde::Serialize;
use serde_json::Value as JsonValue;

use super::incoming;
use super::reply::View;
use super::{Reply, Shared};
use crate::access::{own_sight, sights};
use crate::auth::login::{self, Credentials};
use crate::body;
use crate::error::ApiError;
use crate::meta::AuthMeta;
use crate::query::expand::{self, Expanded};
use crate::query::picker::Picker;
use crate::registry::{Entry, Registry};
use crate::request::{Auth, RequestInfo};
use crate::sql::Conn;
use crate::wire::{self, Sight};

/// The routes of logins.
pub fn routes() -> Vec<Route> {
    vec![
        Route::new(
            Method::Get,
            "/api/collections/<collection>/auth-methods",
            Login::Methods,
        ),
        Route::new(
            Method::Post,
            "/api/collections/<collection>/auth-with-password",
            Login::Password,
        ),
        Route::new(
            Method::Post,
            "/api/collections/<collection>/auth-refresh",
            Login::Refresh,
        ),
    ]
}

#[derive(Debug, Clone, Copy)]
enum Login {
    Methods,
    Password,
    Refresh,
}

#[rocket::async_trait]
impl Handler for Login {
    async fn handle<'r>(&self, request: &'r Request<'_>, data: Data<'r>) -> Outcome<'r> {
        let reply = self.answer(request, data).await.unwrap_or_else(Reply::from);
        Outcome::from(request, reply)
    }
}

impl Login {
    async fn answer(self, request: &Request<'_>, data: Data<'_>) -> Result<Reply, ApiError> {
        let app = incoming::app(request)?;
        let missing = "Missing or invalid collection context.";
        let entry = incoming::collection(app, request, missing)?;
        match self {
            Login::Methods => {
                let info = incoming::request_info(request, "GET").await?;
                methods(auth_meta(&entry)?, &entry, View::parse(&info)?)
            }
            Login::Password => {
                let auth = auth_meta(&entry)?;
                let info = incoming::request_info(request, "POST").await?;
                password(
                    app,
                    entry,
                    auth,
                    RequestInfo {
                        context: "password",
                        ..info
                    },
                    read(request, data).await?,
                )
                .await
            }
            Login::Refresh => {
                refresh(app, entry, incoming::request_info(request, "POST").await?).await
            }
        }
    }
}

fn auth_meta(entry: &Entry) -> Result<&'static AuthMeta, ApiError> {
    let missing = || ApiError::new(404, "Missing or invalid auth collection context.");
    entry.meta().auth.ok_or_else(missing)
}

async fn read(request: &Request<'_>, data: Data<'_>) -> Result<body::Object, ApiError> {
    body::read(request, data, body::LIMIT)
        .await
        .map_err(|error| {
            if error == ApiError::bad_request() {
                unreadable()
            } else {
                error
            }
        })
}

fn unreadable() -> ApiError {
    ApiError::new(400, "An error occurred while loading the submitted data.")
}

/// Finds a text in a body whose keys are matched in any letter case. 400 if it is no text.
fn text(body: &body::Object, name: &str) -> Result<String, ApiError> {
    let value = body.iter().rfind(|(key, _)| key.eq_ignore_ascii_case(name));
    match value {
        None | Some((_, JsonValue::Null)) => Ok(String::new()),
        Some((_, JsonValue::String(text))) => Ok(text.clone()),
        Some(_) => Err(unreadable()),
    }
}

async fn password(
    app: &Shared,
    entry: Arc<Entry>,
    auth: &'static AuthMeta,
    mut info: RequestInfo,
    body: body::Object,
) -> Result<Reply, ApiError> {
    if !auth.password_enabled {
        let message = "The collection is not configured to allow password authentication.";
        return Err(ApiError::new(403, message));
    }
    let credentials = Credentials {
        identity: text(&body, "identity")?,
        password: text(&body, "password")?,
        identity_field: text(&body, "identityField")?,
    };
    credentials.validate(entry.meta(), auth)?;
    info.body.raw = body;
    let record = login::check_password(app, &entry, auth, credentials).await?;
    let auth = login::signed(app, &entry, Arc::from(record), None)?;
    admit(app, entry, auth, info).await
}

async fn refresh(app: &Shared, entry: Arc<Entry>, info: RequestInfo) -> Result<Reply, ApiError> {
    let missing = || {
        ApiError::new(
            401,
            "The request requires valid record authorization token.",
        )
    };
    let caller = info.auth.clone().ok_or_else(missing)?;
    let own = caller.record.meta();
    if own.id != entry.meta().id {
        let message = format!(
            "The request requires auth record from {} collection.",
            own.name
        );
        return Err(ApiError::new(403, message));
    }
    auth_meta(&entry)?;
    // A token that may not be refreshed is handed back as it is.
    let handed_back = (!caller.refreshable).then_some(caller.token);
    let auth = login::signed(app, &entry, caller.record, handed_back)?;
    admit(app, entry, auth, info).await
}

/// What every login ends with: the auth rule and the hooks are asked, and the account is answered
/// with. The database is asked only for what can't be known without it, and once.
async fn admit(
    app: &Shared,
    entry: Arc<Entry>,
    auth: Auth,
    mut info: RequestInfo,
) -> Result<Reply, ApiError> {
    let decided = if entry.has_hooks() {
        // Hooks may write; without them there is nothing that the writer would have to do.
        let (shared, account) = (Arc::clone(&entry), Arc::clone(&auth.record));
        let job = move |conn: &mut Conn| {
            login::run_hooks(&shared, &info, conn, &*account)?;
            Ok(info)
        };
        info = app.db.write(job).await?;
        Some(Ok(()))
    } else {
        login::decided(&entry, &info)
    };
    let registry = app.registry.clone();
    let Some(decided) = decided else {
        let job = move |conn: &mut Conn| {
            login::check_rule(&entry, &info, conn, &*auth.record)?;
            Welcome::new(auth, info)?.read(conn, &registry, &entry)
        };
        return Ok(Reply::json(app.db.read(job).await?));
    };
    decided?;
    // Bad parameters are told only to who may log in.
    let welcome = Welcome::new(auth, info)?;
    let json = match welcome.sight(&entry) {
        Some(sight) => welcome.json(&entry, sight, &Expanded::default())?,
        None => {
            let job = move |conn: &mut Conn| welcome.read(conn, &registry, &entry);
            app.db.read(job).await?
        }
    };
    Ok(Reply::json(json))
}

/// The answer to who has logged in: `{"record":{…},"token":"…"}`, with what was asked to be expanded
/// and picked.
struct Welcome {
    auth: Auth,
    info: RequestInfo,
    view: View,
    picker: Option<Picker>,
}

impl Welcome {
    /// From now on, the account itself is the caller. 400 for bad parameters.
    fn new(auth: Auth, info: RequestInfo) -> Result<Self, ApiError> {
        let mut view = View::parse(&info)?;
        // The whole answer is picked from, so that all of the record is wanted in it.
        let picker = view.picker.take();
        let info = RequestInfo {
            auth: Some(auth.clone()),
            ..info
        };
        Ok(Welcome {
            auth,
            info,
            view,
            picker,
        })
    }

    /// What the account sees of itself, if nothing has to be read for the answer.
    fn sight(&self, entry: &Entry) -> Option<Sight> {
        let alone = self.view.expand.is_empty();
        alone.then(|| own_sight(entry, &self.info))?
    }

    /// The answer, with what is read for it.
    fn read(
        &self,
        conn: &mut Conn,
        registry: &Registry,
        entry: &Entry,
    ) -> Result<Vec<u8>, ApiError> {
        let (info, records) = (&self.info, [&*self.auth.record]);
        let tree = &self.view.expand;
        let expanded = expand::expand(conn, registry, info, entry, &records, tree, None);
        let expanded = expanded.map_err(ApiError::internal)?;
        let sights = sights(conn, entry, info, &records, &|_| true);
        let sight = sights.map_err(ApiError::internal)?.pop();
        let missing = || ApiError::internal("a record without anything to be seen of it");
        self.json(entry, sight.ok_or_else(missing)?, &expanded)
    }

    fn json(
        &self,
        entry: &Entry,
        sight: Sight,
        expanded: &Expanded<'_>,
    ) -> Result<Vec<u8>, ApiError> {
        let mut whole = Vec::with_capacity(1024);
        whole.extend_from_slice(br#"{"record":"#);
        let record = &*self.auth.record;
        self.view.write(&mut whole, entry, record, sight, expanded);
        whole.extend_from_slice(br#","token":"#);
        wire::write_text(&mut whole, &self.auth.token);
        whole.push(b'}');
        let Some(picker) = &self.picker else {
            return Ok(whole);
        };
        let value = serde_json::from_slice(&whole).map_err(ApiError::internal)?;
        let mut picked = Vec::with_capacity(whole.len());
        wire::write_json(&mut picked, &picker.apply(value));
        Ok(picked)
    }
}

/// Which ways there are to log in, and the keys that older clients read.
fn methods(auth: &AuthMeta, entry: &Entry, view: View) -> Result<Reply, ApiError> {
    let names = auth
        .identity_fields
        .iter()
        .filter_map(|field| entry.meta().field(*field));
    let names: Vec<_> = names
        .map(|field| field.name)
        .filter(|_| auth.password_enabled)
        .collect();
    let by = |name: &str| names.contains(&name);
    let methods = Methods {
        username_password: by("username"),
        email_password: by("email"),
        password: PasswordMethod {
            identity_fields: names,
            enabled: auth.password_enabled,
        },
        ..Methods::default()
    };
    let body = match view.picker {
        Some(picker) => {
            let whole = serde_json::to_value(&methods).map_err(ApiError::internal)?;
            wire::json_text(&picker.apply(whole)).into_bytes()
        }
        None => serde_json::to_vec(&methods).map_err(ApiError::internal)?,
    };
    Ok(Reply::json(body))
}

/// The ways to log in. The order of the keys is the peer's, and so is what is always off.
#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct Methods {
    password: PasswordMethod,
    oauth2: ProviderMethod,
    mfa: CodeMethod,
    otp: CodeMethod,
    auth_providers: [(); 0],
    username_password: bool,
    email_password: bool,
}

#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct PasswordMethod {
    identity_fields: Vec<&'static str>,
    enabled: bool,
}

#[derive(Default, Serialize)]
struct ProviderMethod {
    providers: [(); 0],
    enabled: bool,
}

#[derive(Default, Serialize)]
struct CodeMethod {
    enabled: bool,
    duration: u32,
}
