//! Rules over the time and over headers: no answer outlives its moment, or is another client's.

use std::time::Duration;

use basalt_blackbox::process::until;
use basalt_blackbox::{Client, Response};
use serde_json::json;
use time::OffsetDateTime;
use time::macros::format_description;

use crate::support::{create, id, ok, record, records, server};

const PATIENCE: Duration = Duration::from_secs(60);

/// As the wire has dates, so many seconds from now.
fn after(seconds: i64) -> String {
    let format =
        format_description!("[year]-[month]-[day] [hour]:[minute]:[second].[subsecond digits:3]Z");
    let moment = OffsetDateTime::now_utc() + time::Duration::seconds(seconds);
    moment.format(format).unwrap()
}

/// Asks twice, so that a kept answer would be found out; neither may be one to keep.
#[track_caller]
fn twice(client: &Client, path: &str) -> Response {
    let answers = [client.get(path).unwrap(), client.get(path).unwrap()];
    for answer in &answers {
        assert_eq!(answer.etag, "", "{path}: {answer:?}");
    }
    let [_, second] = answers;
    second
}

/// What a client sees of the record: in its list, with the total, on its own, and inside of another.
#[track_caller]
fn sees(client: &Client, moment: &str) -> [bool; 4] {
    let list = twice(client, &records("rules_moment"));
    let view = twice(client, &record("rules_moment", moment));
    assert!([200, 404].contains(&view.status), "{view:?}");
    let links = format!("{}?expand=moment", records("rules_moment_links"));
    let link = twice(client, &links);
    assert_eq!((list.status, link.status), (200, 200));
    [
        list.text.contains(moment),
        list.json()["totalItems"] == 1,
        view.status == 200,
        !link.text_at("/items/0/expand/moment/id").is_empty(),
    ]
}

#[test]
fn what_ends_at_a_moment_ends() {
    let server = server();
    let guest = server.guest();
    let moment = id("moment", 1);
    let far = json!({ "id": moment, "until": after(3600) });
    create(&guest, "rules_moment", far);
    let link = json!({ "id": id("link", 1), "moment": moment });
    create(&guest, "rules_moment_links", link);
    assert_eq!(sees(&guest, &moment), [true; 4]);

    // Nothing is written when the moment comes. Until then each look must be one of the two.
    let path = record("rules_moment", &moment);
    ok(guest.patch(&path, &json!({ "until": after(2) })));
    let gone = until(PATIENCE, || {
        let list = guest.get(&records("rules_moment")).unwrap();
        (list.json()["totalItems"] == 0).then_some(())
    });
    assert!(gone.is_some(), "it is still listed");
    assert_eq!(sees(&guest, &moment), [false; 4]);
    let change = guest.patch(&record("rules_moment_links", &id("link", 1)), &json!({}));
    assert_eq!(change.unwrap().status, 404, "a rule through the relation");
}

#[test]
fn who_knows_the_header_leaves_nothing_to_others() {
    let server = server();
    let guest = server.guest();
    let moment = id("moment", 1);
    create(
        &guest,
        "rules_moment",
        json!({ "id": moment, "until": after(-3600) }),
    );
    let link = json!({ "id": id("link", 1), "moment": moment });
    create(&guest, "rules_moment_links", link);
    let open = guest.with_header("X-Key", "open");
    let wrong = guest.with_header("X-Key", "opened");
    for _ in 0..3 {
        assert_eq!(sees(&open, &moment), [true; 4]);
        assert_eq!(sees(&wrong, &moment), [false; 4]);
        assert_eq!(sees(&guest, &moment), [false; 4]);
    }
    // What shows nothing of it is kept, with the header or without.
    let links = records("rules_moment_links");
    let [first, second] = [&open, &guest].map(|client| client.get(&links).unwrap());
    assert_ne!(first.etag, "");
    assert_eq!(first, second);
}
