//! Both forms of every rule, and both forms of sub-selects, on random records.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::collections::BTreeMap;
use std::sync::Arc;

use basalt_runtime::collection::{Collection, Record};
use basalt_runtime::request::RequestInfo;
use basalt_runtime::rules::{CompiledRule, Context, Rule};
use basalt_runtime::sql::predicate::Predicate;
use basalt_runtime::sql::{Conn, Form};
use basalt_runtime::value::Value;

use super::guards::{reports, staff};
use super::joined::{self, comments, grants, people, teams};
use super::random::{Ids, Random, fill};
use super::rules::{articles, organizations, permissions, posts, things, users};
use super::support::{database, load, request, scope};

/// How often a rule said yes and no.
#[derive(Default, Debug)]
struct Outcomes {
    yes: usize,
    no: usize,
}

type Seen = BTreeMap<(&'static str, &'static str), Outcomes>;

#[test]
fn both_forms_of_each_rule_agree() {
    let mut seen = Seen::new();
    for seed in 0..12 {
        let mut conn = database("cases/rules/schema");
        let (mut random, mut ids) = (Random(seed), Ids::new());
        fill::<organizations::Organizations>(&mut conn, &mut random, &mut ids, 6);
        fill::<permissions::Permissions>(&mut conn, &mut random, &mut ids, 4);
        fill::<users::Users>(&mut conn, &mut random, &mut ids, 16);
        fill::<posts::Posts>(&mut conn, &mut random, &mut ids, 30);
        fill::<things::Things>(&mut conn, &mut random, &mut ids, 120);
        fill::<articles::Articles>(&mut conn, &mut random, &mut ids, 20);
        for request in requests(&mut conn) {
            check::<users::Users>(&mut conn, &request, &mut seen);
            check::<posts::Posts>(&mut conn, &request, &mut seen);
            check::<things::Things>(&mut conn, &request, &mut seen);
            check::<articles::Articles>(&mut conn, &request, &mut seen);
        }
    }
    for (rule, outcomes) in &seen {
        assert!(
            outcomes.yes > 0 && outcomes.no > 0,
            "{rule:?}: {outcomes:?}"
        );
    }
    assert_eq!(seen.len(), 19);
}

#[test]
fn both_forms_of_the_rules_of_fields_agree() {
    let mut seen = Seen::new();
    for seed in 0..12 {
        let mut conn = database("cases/guards/schema");
        let (mut random, mut ids) = (Random(seed), Ids::new());
        fill::<staff::Staff>(&mut conn, &mut random, &mut ids, 12);
        fill::<reports::Reports>(&mut conn, &mut random, &mut ids, 40);
        let mut boss = load::<staff::Staff>(&mut conn, None).swap_remove(0);
        let clerk = Arc::new(load::<staff::Staff>(&mut conn, None).swap_remove(1));
        boss.role = "boss".to_owned();
        for request in [
            request(None),
            request(Some(clerk)),
            request(Some(Arc::new(boss))),
        ] {
            check::<staff::Staff>(&mut conn, &request, &mut seen);
            check::<reports::Reports>(&mut conn, &request, &mut seen);
        }
    }
    for (rule, outcomes) in &seen {
        assert!(
            outcomes.yes > 0 && outcomes.no > 0,
            "{rule:?}: {outcomes:?}"
        );
    }
    assert_eq!(seen.len(), 10);
}

#[test]
fn both_forms_of_rules_over_joined_rows_agree() {
    let mut seen = Seen::new();
    for seed in 0..12 {
        let mut conn = database("cases/joined/schema");
        let (mut random, mut ids) = (Random(seed), Ids::new());
        fill::<teams::Teams>(&mut conn, &mut random, &mut ids, 4);
        fill::<people::People>(&mut conn, &mut random, &mut ids, 6);
        fill::<joined::posts::Posts>(&mut conn, &mut random, &mut ids, 14);
        fill::<comments::Comments>(&mut conn, &mut random, &mut ids, 12);
        fill::<grants::Grants>(&mut conn, &mut random, &mut ids, 12);
        let people = load::<people::People>(&mut conn, None);
        let mut requests = vec![request(None)];
        for person in people {
            let mut request = request(Some(Arc::new(person)));
            let editors = Value::List(ids["people"][..2].to_vec());
            request.body.fields.insert("editors".to_owned(), editors);
            requests.push(request);
        }
        for request in &requests {
            check::<teams::Teams>(&mut conn, request, &mut seen);
            check::<people::People>(&mut conn, request, &mut seen);
            check::<joined::posts::Posts>(&mut conn, request, &mut seen);
            check::<comments::Comments>(&mut conn, request, &mut seen);
        }
    }
    for (rule, outcomes) in &seen {
        assert!(
            outcomes.yes > 0 && outcomes.no > 0,
            "{rule:?}: {outcomes:?}"
        );
    }
    assert_eq!(seen.len(), 14);
}

/// A guest and a user, with and without a body.
fn requests(conn: &mut Conn) -> Vec<RequestInfo> {
    let user = load::<users::Users>(conn, None).swap_remove(1);
    let user: Arc<dyn Record> = Arc::new(user);
    let mut with_body = request(Some(user.clone()));
    with_body.query.insert("all".to_owned(), "1".to_owned());
    with_body.query.insert("n".to_owned(), "1".to_owned());
    with_body.method = "PATCH";
    let tags = vec!["a".to_owned(), "b".to_owned()];
    for (name, value) in [
        ("public", Value::Bool(true)),
        ("title", Value::Text("abc".to_owned())),
        ("tags", Value::List(tags)),
    ] {
        with_body.body.fields.insert(name.to_owned(), value);
    }
    let mut expand = request(None);
    expand.method = "PATCH";
    expand.context = "expand";
    vec![request(None), request(Some(user)), with_body, expand]
}

fn check<C: Collection>(conn: &mut Conn, request: &RequestInfo, seen: &mut Seen) {
    let rules = C::rules();
    let own = [
        &rules.list,
        &rules.view,
        &rules.create,
        &rules.update,
        &rules.delete,
        &rules.auth,
        &rules.manage,
    ];
    let fields = rules.fields.iter();
    let fields = fields.flat_map(|rules| [&rules.read, &rules.write]);
    for rule in own.into_iter().chain(fields) {
        if let Rule::When(rule) = rule {
            for form in [Form::In, Form::Exists] {
                let outcomes = seen.entry((C::META.name, rule.text)).or_default();
                compare(conn, rule, &Context { request, form }, outcomes);
            }
        }
    }
}

fn compare<C: Collection>(
    conn: &mut Conn,
    rule: &CompiledRule<C>,
    context: &Context<'_>,
    outcomes: &mut Outcomes,
) {
    let records = load::<C>(conn, None);
    let found = match (rule.sql)(context) {
        Predicate::Always => records.clone(),
        Predicate::Never => Vec::new(),
        Predicate::When(filter) => load::<C>(conn, Some(filter)),
    };
    let found: Vec<&str> = found.iter().map(Record::id).collect();
    let total = match (rule.sql)(context) {
        Predicate::Always => scope::<C>(None).count(conn),
        Predicate::Never => Ok(0),
        Predicate::When(filter) => scope::<C>(Some(filter)).count(conn),
    };
    assert_eq!(total, Ok(i64::try_from(found.len()).unwrap()));
    for record in &records {
        let holds = (rule.memory)(context, record, conn).unwrap();
        let form = context.form;
        assert_eq!(
            found.contains(&record.id()),
            holds,
            "{form:?} {}: {record:?}",
            rule.text
        );
        if holds {
            outcomes.yes += 1;
        } else {
            outcomes.no += 1;
        }
    }
}
