//! What rules on fields leave of records: a page at a time, in few queries, and as the rules say of
//! each record.
#![allow(clippy::unwrap_used)]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use basalt_runtime::access::sights;
use basalt_runtime::collection::Record;
use basalt_runtime::request::RequestInfo;
use basalt_runtime::sql::Conn;
use diesel::connection::{Connection as _, InstrumentationEvent};

use super::guards::{registry, reports, staff};
use super::random::{Ids, Random, fill};
use super::support::{database, load, request};

/// What each of the records looks like to the caller, and how many queries that took.
fn look(
    conn: &mut Conn,
    request: &RequestInfo,
    records: &[&dyn Record],
    wants: &dyn Fn(&str) -> bool,
) -> (Vec<String>, usize) {
    let registry = registry().build();
    let entry = registry.find(records.first().unwrap().meta().name).unwrap();
    let queries = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&queries);
    conn.set_instrumentation(move |event: InstrumentationEvent<'_>| {
        if matches!(event, InstrumentationEvent::StartQuery { .. }) {
            counter.fetch_add(1, Ordering::Relaxed);
        }
    });
    let sights = sights(conn, entry, request, records, wants).unwrap();
    let written = records.iter().zip(sights).map(|(record, sight)| {
        let mut out = Vec::new();
        entry.shape.write(&mut out, *record, sight, None, None);
        String::from_utf8(out).unwrap()
    });
    (written.collect(), queries.load(Ordering::Relaxed))
}

#[test]
fn a_page_is_decided_by_one_query_for_each_rule_that_needs_one() {
    let (mut shown, mut left_out) = (0, 0);
    for seed in 0..8 {
        let mut conn = database("cases/guards/schema");
        let (mut random, mut ids) = (Random(seed), Ids::new());
        fill::<staff::Staff>(&mut conn, &mut random, &mut ids, 6);
        fill::<reports::Reports>(&mut conn, &mut random, &mut ids, 40);
        let reports = load::<reports::Reports>(&mut conn, None);
        let reports: Vec<&dyn Record> = reports.iter().map(|it| it as &dyn Record).collect();
        let clerk = load::<staff::Staff>(&mut conn, None).swap_remove(1);
        for caller in [request(None), request(Some(Arc::new(clerk)))] {
            let (page, queries) = look(&mut conn, &caller, &reports, &|_| true);
            assert!(queries <= 3, "three rules need the database: {queries}");
            for (record, expected) in reports.iter().zip(&page) {
                let (alone, _) = look(&mut conn, &caller, &[*record], &|_| true);
                assert_eq!(alone.first(), Some(expected));
                match expected.contains("\"about\"") {
                    true => shown += 1,
                    false => left_out += 1,
                }
                assert!(!expected.contains("\"secret\""), "{expected}");
            }
            let local = |field: &str| matches!(field, "made" | "secret");
            assert_eq!(look(&mut conn, &caller, &reports, &local).1, 0);
        }
    }
    assert!(shown > 0 && left_out > 0, "{shown} {left_out}");
}

#[test]
fn superusers_see_everything_without_a_query() {
    let mut conn = database("cases/guards/schema");
    let (mut random, mut ids) = (Random(1), Ids::new());
    fill::<staff::Staff>(&mut conn, &mut random, &mut ids, 3);
    fill::<reports::Reports>(&mut conn, &mut random, &mut ids, 5);
    let reports = load::<reports::Reports>(&mut conn, None);
    let reports: Vec<&dyn Record> = reports.iter().map(|it| it as &dyn Record).collect();
    let mut caller = request(Some(Arc::new(staff::StaffRecord::default())));
    caller.auth.as_mut().unwrap().superuser = true;
    let (page, queries) = look(&mut conn, &caller, &reports, &|_| true);
    assert_eq!(queries, 0);
    for report in page {
        for field in ["type", "about", "open", "secret", "made"] {
            assert!(report.contains(&format!("\"{field}\":")), "{report}");
        }
    }
}
