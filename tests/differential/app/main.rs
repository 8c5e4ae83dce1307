//! The server of a random schema, with a route that asks both forms of a rule in memory and in SQL.

mod generated;

use std::process::ExitCode;
use std::sync::Arc;

use basalt_runtime::access::Scope;
use basalt_runtime::app::{App, Application};
use basalt_runtime::collection::{Collection, Record};
use basalt_runtime::error::ApiError;
use basalt_runtime::request::RequestInfo;
use basalt_runtime::rules::{CompiledRule, Context, Rule};
use basalt_runtime::sql::{Conn, Form};
use diesel_migrations::{EmbeddedMigrations, embed_migrations};
use rocket::serde::json::Json;
use rocket::serde::json::serde_json::{Map, Value};
use rocket::{Build, Rocket, State, post, routes};
use serde::Serialize;

const MIGRATIONS: EmbeddedMigrations = embed_migrations!("migrations/sqlite");

/// The ids of the records that satisfy a rule, by each of its forms.
#[derive(Debug, Serialize)]
struct Judged {
    among: Vec<String>,
    exists: Vec<String>,
    memory: Vec<String>,
}

/// Judges a rule that is known by its number: list, view, create, update, delete.
type Judge = fn(&mut Conn, &RequestInfo, usize) -> Result<Option<Judged>, ApiError>;

include!("judges.rs");

fn judge<C: Collection>(
    conn: &mut Conn,
    info: &RequestInfo,
    rule: usize,
) -> Result<Option<Judged>, ApiError> {
    let rules = C::rules();
    let rules = [&rules.list, &rules.view, &rules.create, &rules.update, &rules.delete];
    let Some(Rule::When(rule)) = rules.get(rule) else {
        return Ok(None);
    };
    let all = Scope::<C>::system().load(conn).map_err(ApiError::internal)?;
    let context = Context {
        request: info,
        form: Form::Exists,
    };
    let mut memory = Vec::new();
    for record in &all {
        if (rule.memory)(&context, record, conn).map_err(ApiError::internal)? {
            memory.push(record.id().to_owned());
        }
    }
    Ok(Some(Judged {
        among: rows::<C>(conn, info, rule, Form::In)?,
        exists: rows::<C>(conn, info, rule, Form::Exists)?,
        memory,
    }))
}

fn rows<C: Collection>(
    conn: &mut Conn,
    info: &RequestInfo,
    rule: &CompiledRule<C>,
    form: Form,
) -> Result<Vec<String>, ApiError> {
    let context = Context {
        request: info,
        form,
    };
    let scope = Scope::<C>::system().matching((rule.sql)(&context));
    let found = scope.load(conn).map_err(ApiError::internal)?;
    Ok(found.iter().map(|record| record.id().to_owned()).collect())
}

#[post("/<collection>/<rule>", data = "<body>")]
async fn ask(
    app: &State<Arc<App>>,
    mut info: RequestInfo,
    collection: &str,
    rule: usize,
    body: Json<Map<String, Value>>,
) -> Result<Json<Option<Judged>>, ApiError> {
    info.body.raw = body.into_inner();
    let judge = judge_of(collection).ok_or_else(ApiError::not_found)?;
    let judged = app.db.read(move |conn| judge(conn, &info, rule)).await?;
    Ok(Json(judged))
}

fn extend(rocket: Rocket<Build>) -> Rocket<Build> {
    rocket.mount("/api/judge", routes![ask])
}

fn main() -> ExitCode {
    basalt_runtime::cli::main(Application {
        name: "differential",
        collections: generated::registry(),
        migrations: MIGRATIONS,
        extend,
    })
}
