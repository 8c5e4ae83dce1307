//! Totals that are remembered are told apart: each list has as many records as its total says,
//! whatever was counted before.

use basalt_blackbox::client::encode;
use basalt_blackbox::shortcuts::{create, id, ok, records};
use basalt_blackbox::{Client, Random};
use serde_json::{Value, json};

use crate::{server, setting};

const TREES: usize = 4;
const LEAVES: usize = 24;

/// What is asked of the trees that leaves hang on. Some of these hold of every tree, or of none,
/// which only shows when the condition is made.
const ASKED: [&str; 16] = [
    "id = ''",
    "id != ''",
    "name = ''",
    "name != ''",
    "name = 'oak'",
    "name != 'oak'",
    "name ~ ''",
    "name !~ 'k'",
    "name:lower != 5",
    "name:lower = 5",
    "name:length = 3",
    "name:length != 3",
    "parent = ''",
    "parent ~ ''",
    "parent.id ~ ''",
    "parent.name != 'oak'",
];

/// Leaves of which some hang nowhere: more of them by the second relation than by the first.
fn plant(guest: &Client) {
    for number in 0..TREES {
        let name = ["oak", "ash", "", "yew"][number];
        let parent = if number > 1 {
            id("tree", number - 1)
        } else {
            String::new()
        };
        let body = json!({ "id": id("tree", number), "name": name, "parent": parent });
        create(guest, "trees", body);
    }
    for number in 0..LEAVES {
        let tree = |bare: usize| match number < bare {
            true => String::new(),
            false => id("tree", number % TREES),
        };
        create(
            guest,
            "leaves",
            json!({ "soft": tree(3), "hard": tree(14) }),
        );
    }
}

/// Looks at a list of leaves.
fn look(client: &Client, filter: &str) -> (u64, usize) {
    let encoded = encode(filter.as_bytes());
    let found = ok(client.get(&format!(
        "{}?perPage=100&filter={encoded}",
        records("leaves")
    )));
    let items = found["items"].as_array().map(Vec::len);
    (
        found["totalItems"].as_u64().unwrap(),
        items.unwrap_or_default(),
    )
}

#[test]
fn each_total_is_that_of_its_list() {
    let server = server();
    let guest = server.guest();
    plant(&guest);
    let seed = setting("CACHES_SEED", u64::from(std::process::id()));
    eprintln!("CACHES_SEED={seed}");
    let mut random = Random::new(seed);
    let simple = ASKED.map(|asked| ["soft", "hard"].map(|by| format!("{by}.{asked}")));
    let simple: Vec<String> = simple.into_iter().flatten().collect();
    for round in 0..3 {
        // Whatever was counted is forgotten, and shares are known from the round before.
        let body = json!({ "name": format!("fir{round}") });
        let path = format!("{}/{}", records("trees"), id("tree", 3));
        let _: Value = ok(guest.patch(&path, &body));
        let mut filters: Vec<String> = simple.clone();
        for _ in 0..40 {
            let pair = [(); 2].map(|()| simple[random.below(simple.len())].as_str());
            filters.push(pair.join(random.pick(&[" && ", " || "])));
        }
        for place in (1..filters.len()).rev() {
            filters.swap(place, random.below(place + 1));
        }
        for filter in &filters {
            let (total, items) = look(&guest, filter);
            assert_eq!(total, items as u64, "round {round}: {filter}");
        }
    }
}

/// Where all of a list is on its first page, nothing is counted: that must not show.
#[test]
fn a_total_is_the_same_for_every_part_of_its_list() {
    const TREES: usize = 7;
    let server = server();
    let guest = server.guest();
    for number in 0..TREES {
        let body = json!({ "id": id("tree", number), "name": number.to_string() });
        create(&guest, "trees", body);
    }
    let anew = guest.with_header("Cache-Control", "no-cache");
    for (from, size, page) in (0..=TREES).flat_map(|from| {
        let sizes = 1..=TREES + 1;
        sizes.flat_map(move |size| (1..=3).map(move |page| (from, size, page)))
    }) {
        let filter = encode(format!("name >= '{from}'").as_bytes());
        let path = format!(
            "{}?filter={filter}&perPage={size}&page={page}&sort=id",
            records("trees")
        );
        let (first, last) = (from + size * (page - 1), TREES.min(from + size * page));
        let expected: Vec<String> = (first..last).map(|number| id("tree", number)).collect();
        for client in [&anew, &guest, &anew] {
            let answer = ok(client.get(&path));
            let items = answer["items"].as_array().unwrap().iter();
            let found: Vec<_> = items.map(|item| item["id"].as_str().unwrap()).collect();
            assert_eq!(found, expected, "{path}");
            assert_eq!(answer["totalItems"], json!(TREES - from), "{path}");
        }
    }
}
