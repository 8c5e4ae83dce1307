//! Inserts, updates and deletes of generated collections.
#![allow(clippy::unwrap_used)]

use basalt_runtime::access::{Scope, system};
use basalt_runtime::collection::{Collection, Record};
use basalt_runtime::lang::plan::{Column, Op, Plan, Truth, Value as Given};
use basalt_runtime::lang::schema::FieldId;
use basalt_runtime::rules::{Context, Filter};
use basalt_runtime::sql::{Conn, Form, predicate::Predicate};
use basalt_runtime::value::{Link, List, Value, ValueRef};
use diesel::prelude::*;

use super::random::{Ids, Random, fill};
use super::relations::{people, teams};
use super::support::{database, load};
use super::{app, fields};

diesel::table! {
    #[sql_name = "_link_teams_members"]
    members (owner, target) {
        owner -> Text,
        target -> Text,
        position -> Integer,
    }
}

/// Every record that was inserted is read back as it was.
fn round_trip<C: Collection>(conn: &mut Conn)
where
    C::Record: PartialEq,
{
    let (mut random, mut ids) = (Random(7), Ids::new());
    fill::<C>(conn, &mut random, &mut ids, 20);
    let records = load::<C>(conn, None);
    assert_eq!(records.len(), 20);
    for pair in records.windows(2) {
        let [old, other] = pair else { continue };
        let mut new = other.clone();
        new.set(0, Value::Text(old.id().to_owned()));
        for index in C::META.unique {
            for field in index.fields {
                new.set(*field, Value::Text(format!("other {}", old.id())));
            }
        }
        system::update::<C>(conn, old, &new).unwrap();
        let found = load::<C>(conn, None)
            .into_iter()
            .find(|found| found.id() == old.id());
        assert_eq!(found, Some(new));
    }
}

#[test]
fn all_types_of_fields_are_stored_and_read() {
    let mut conn = database("cases/fields/schema");
    round_trip::<fields::notes::Notes>(&mut conn);
    round_trip::<fields::measures::Measures>(&mut conn);
    round_trip::<fields::paints::Paints>(&mut conn);
    round_trip::<app::users::Users>(&mut database("../../schema"));
}

fn person(conn: &mut Conn, id: &str) {
    let person = people::PeopleRecord {
        id: id.to_owned(),
        ..Default::default()
    };
    system::insert::<people::People>(conn, &person).unwrap();
}

fn team(id: &str, lead: &str, members: &[&str]) -> teams::Team {
    teams::Team {
        id: id.to_owned(),
        lead: Link::to(lead),
        members: list(members),
        ..Default::default()
    }
}

fn list(ids: &[&str]) -> List {
    let ids: Vec<String> = ids.iter().map(|id| (*id).to_owned()).collect();
    List::new(&ids)
}

/// The join rows of `teams.members`, by position.
fn rows(conn: &mut Conn) -> Vec<String> {
    let query = members::table
        .order(members::position)
        .select(members::target);
    query.load(conn).unwrap()
}

#[test]
fn join_rows_follow_the_list() {
    let conn = &mut database("cases/relations/schema");
    ["a", "b", "c"].iter().for_each(|id| person(conn, id));
    let old = team("t", "a", &["b", "a"]);
    system::insert::<teams::Teams>(conn, &old).unwrap();
    assert_eq!(rows(conn), ["b", "a"]);
    let new = team("t", "a", &["c", "a", "b"]);
    system::update::<teams::Teams>(conn, &old, &new).unwrap();
    assert_eq!(rows(conn), ["c", "a", "b"]);
    assert_eq!(load::<teams::Teams>(conn, None).first(), Some(&new));
    system::update::<teams::Teams>(conn, &new, &new).unwrap();
    assert_eq!(rows(conn), ["c", "a", "b"]);
    let twice = team("t", "a", &["b", "c", "b"]);
    system::update::<teams::Teams>(conn, &new, &twice).unwrap();
    assert_eq!(rows(conn), ["b", "c"]);
    assert_eq!(system::delete::<teams::Teams>(conn, "t"), Ok(1));
    assert_eq!(rows(conn), Vec::<String>::new());
}

#[test]
fn an_item_that_is_no_record_is_refused() {
    let conn = &mut database("cases/relations/schema");
    person(conn, "a");
    assert!(system::insert::<teams::Teams>(conn, &team("t", "nobody", &[])).is_err());
    assert!(system::insert::<teams::Teams>(conn, &team("u", "a", &["nobody"])).is_err());
}

#[test]
fn an_empty_relation_is_null_in_the_table() {
    let conn = &mut database("cases/relations/schema");
    system::insert::<teams::Teams>(conn, &team("t", "", &[])).unwrap();
    let found = load::<teams::Teams>(conn, None);
    let lead = found.first().unwrap().get(teams::field::LEAD);
    assert_eq!(lead, ValueRef::Text(""));
    let column = super::relations::teams::Teams::column(teams::field::LEAD);
    let is_null = basalt_runtime::sql::compare::empty(column.unwrap(), true);
    let Predicate::When(is_null) = is_null else {
        unreachable!("only the row knows");
    };
    assert_eq!(
        Scope::<teams::Teams>::system().filter(is_null).count(conn),
        Ok(1)
    );
}

#[test]
fn pages_and_orders_are_read() {
    let conn = &mut database("cases/relations/schema");
    ["b", "c", "a"].iter().for_each(|id| person(conn, id));
    let mut read = |descending, limit, offset| -> Vec<String> {
        let order = people::People::order(people::field::ID, descending);
        let order = order.into_iter().collect();
        let people = Scope::<people::People>::system().page(conn, order, limit, offset);
        let people = people.unwrap().into_iter();
        people.map(|person| person.into_inner().id).collect()
    };
    assert_eq!(read(false, None, 0), ["a", "b", "c"]);
    assert_eq!(read(true, Some(2), 1), ["b", "a"]);
    assert_eq!(read(false, None, 2), ["c"]);
    assert_eq!(read(false, Some(0), 0), Vec::<String>::new());
}

/// Relations to the own collection, single and multiple, in both forms: of three teams in a row
/// of friends, those whose friend (or parent) is the second, and the others.
#[test]
fn relations_to_the_own_collection_look_at_the_other_record() {
    let conn = &mut database("cases/relations/schema");
    for (id, other) in [("1", ""), ("2", "1"), ("3", "2")] {
        let others: Vec<&str> = Some(other)
            .filter(|id| !id.is_empty())
            .into_iter()
            .collect();
        let team = teams::Team {
            id: id.to_owned(),
            parent: Link::to(other),
            friends: list(&others),
            ..Default::default()
        };
        system::insert::<teams::Teams>(conn, &team).unwrap();
    }
    let second = Plan::Test {
        column: Column::Field(FieldId(0)),
        op: Op::Equal,
        value: Given::Text("2".to_owned()),
        when: Truth::True,
    };
    let request = super::support::request(None);
    for form in [Form::In, Form::Exists] {
        for field in [teams::field::PARENT, teams::field::FRIENDS] {
            let context = Context {
                request: &request,
                form,
            };
            let mut ids = |plan: &Plan, holds| -> Vec<String> {
                let filter = Filter {
                    plan,
                    context: &context,
                    registry: None,
                };
                let Some(Predicate::When(filter)) = teams::Teams::via(field, &filter, holds) else {
                    return Vec::new();
                };
                let found = load::<teams::Teams>(conn, Some(filter));
                found.into_iter().map(|team| team.id).collect()
            };
            assert_eq!(ids(&second, true), ["3"], "{form:?} {field}");
            assert_eq!(ids(&second, false), ["1", "2"], "{form:?} {field}");
            let always = Plan::Always;
            assert_eq!(ids(&always, true), ["2", "3"], "{form:?} {field}");
            assert_eq!(ids(&always, false), ["1"], "{form:?} {field}");
        }
    }
}
