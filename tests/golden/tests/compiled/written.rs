//! Records that are written straight from their rows look as those that are read first.
#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use basalt_runtime::access::{layout, sights};
use basalt_runtime::collection::{Collection, Record};
use basalt_runtime::query::picker::Picker;
use basalt_runtime::registry::{Action, Entry, RegistryBuilder};
use basalt_runtime::request::RequestInfo;
use basalt_runtime::rules::Context;
use basalt_runtime::sql::{Conn, Form};
use basalt_runtime::wire::layout::Rows;

use super::random::{Ids, Random, fill};
use super::support::{database, load, request};
use super::{app, fields, guards, relations};

/// What callers pick; the keys of the collection come on top.
const PICKED: [&str; 8] = [
    "",
    "*",
    "nothing",
    "id,collectionName",
    "*,collectionId:excerpt(3)",
    "*:excerpt(2,true),data.a",
    "data.a.b,place.lon,where.lat,tags.x",
    "email,emailVisibility",
];

/// The record as it is answered when it is read first; empty if the caller may not see it.
fn read(
    conn: &mut Conn,
    entry: &Entry,
    request: &RequestInfo,
    id: &str,
    picker: Option<&Picker>,
) -> String {
    let context = Context {
        request,
        form: Form::Exists,
    };
    let found = entry.find_allowed(conn, &context, Action::View, id);
    let Some(record) = found.unwrap() else {
        return String::new();
    };
    let wants = |name: &str| picker.is_none_or(|picker| picker.wants(name));
    let sights = sights(conn, entry, request, &[record.as_ref()], &wants).unwrap();
    let mut out = Vec::new();
    let sight = *sights.first().unwrap();
    let shape = &entry.shape;
    shape.write(&mut out, record.as_ref(), sight, None, picker);
    String::from_utf8(out).unwrap()
}

/// The same straight from its row; `None` if records of this collection must be read first.
fn written(
    conn: &mut Conn,
    entry: &Entry,
    request: &RequestInfo,
    id: &str,
    picker: Option<&Picker>,
) -> Option<String> {
    let context = Context {
        request,
        form: Form::Exists,
    };
    let layout = layout(entry, request, picker)?;
    let mut out = Vec::new();
    let mut rows = Rows::new(&layout, &mut out);
    let done = entry.write_allowed(conn, &context, Action::View, id, &mut rows);
    done.unwrap();
    Some(String::from_utf8(out).unwrap())
}

/// Compares both for every record, caller and choice of keys. How many were written from rows, and
/// how many had to be read.
fn agree<C: Collection>(
    conn: &mut Conn,
    registry: RegistryBuilder,
    callers: &[RequestInfo],
) -> (usize, usize) {
    let registry = registry.build();
    let entry = registry.find(C::META.name).unwrap();
    let records = load::<C>(conn, None);
    let keys = C::META.fields.iter().map(|field| field.name);
    let pairs = keys.clone().zip(keys.clone().skip(1));
    let pairs = pairs.map(|(one, other)| format!("{other},{one}:excerpt(4)"));
    let picked: Vec<String> = PICKED.iter().map(|it| (*it).to_owned()).collect();
    let (mut straight, mut first) = (0, 0);
    for choice in picked.into_iter().chain(pairs) {
        let picker = Picker::parse(&choice).unwrap();
        for record in &records {
            for caller in callers {
                let expected = read(conn, entry, caller, record.id(), picker.as_ref());
                match written(conn, entry, caller, record.id(), picker.as_ref()) {
                    Some(written) => {
                        assert_eq!(written, expected, "{choice}");
                        straight += usize::from(!written.is_empty());
                    }
                    None => first += 1,
                }
            }
        }
    }
    (straight, first)
}

fn superuser(record: Arc<dyn Record>) -> RequestInfo {
    let mut request = request(Some(record));
    if let Some(auth) = &mut request.auth {
        auth.superuser = true;
    }
    request
}

/// A guest, a superuser, and an account.
fn callers(account: Arc<dyn Record>) -> [RequestInfo; 3] {
    let account_too = Arc::clone(&account);
    [
        request(None),
        superuser(account),
        request(Some(account_too)),
    ]
}

fn all_types<C: Collection>() {
    let mut conn = database("cases/fields/schema");
    let (mut random, mut ids) = (Random(11), Ids::new());
    fill::<C>(&mut conn, &mut random, &mut ids, 30);
    let callers = callers(Arc::new(app::users::User::default()));
    let (straight, first) = agree::<C>(&mut conn, fields::registry(), &callers);
    assert!(straight > 200 && first == 0, "{straight} {first}");
}

#[test]
fn all_types_of_fields() {
    all_types::<fields::notes::Notes>();
    all_types::<fields::measures::Measures>();
    all_types::<fields::paints::Paints>();
}

#[test]
fn relations_and_empty_ones() {
    let mut conn = database("cases/relations/schema");
    let (mut random, mut ids) = (Random(5), Ids::new());
    for _ in 0..2 {
        fill_new::<relations::people::People>(&mut conn, &mut random, &mut ids);
        fill_new::<relations::teams::Teams>(&mut conn, &mut random, &mut ids);
    }
    let callers = callers(Arc::new(app::users::User::default()));
    let people = agree::<relations::people::People>(&mut conn, relations::registry(), &callers);
    let teams = agree::<relations::teams::Teams>(&mut conn, relations::registry(), &callers);
    assert!(people.0 + teams.0 > 200, "{people:?} {teams:?}");
}

/// Fills a collection that is empty so far.
fn fill_new<C: Collection>(conn: &mut Conn, random: &mut Random, ids: &mut Ids) {
    if load::<C>(conn, None).is_empty() {
        fill::<C>(conn, random, ids, 20);
    }
}

#[test]
fn addresses_that_accounts_hide() {
    let mut conn = database("../../schema");
    let (mut random, mut ids) = (Random(3), Ids::new());
    fill::<app::users::Users>(&mut conn, &mut random, &mut ids, 20);
    let account = load::<app::users::Users>(&mut conn, None).swap_remove(1);
    let callers = callers(Arc::new(account));
    let (straight, _) = agree::<app::users::Users>(&mut conn, app::registry(), &callers);
    assert!(straight > 200, "{straight}");
}

#[test]
fn fields_with_rules() {
    let mut conn = database("cases/guards/schema");
    let (mut random, mut ids) = (Random(9), Ids::new());
    fill::<guards::staff::Staff>(&mut conn, &mut random, &mut ids, 6);
    fill::<guards::reports::Reports>(&mut conn, &mut random, &mut ids, 20);
    let clerk = load::<guards::staff::Staff>(&mut conn, None).swap_remove(1);
    let callers = callers(Arc::new(clerk));
    let staff = agree::<guards::staff::Staff>(&mut conn, guards::registry(), &callers);
    let reports = agree::<guards::reports::Reports>(&mut conn, guards::registry(), &callers);
    assert!(reports.0 > 0 && reports.1 > 0, "{staff:?} {reports:?}");
}
