//! How pages are found: without a total, a page must cost the same however many records there are.

use crate::support::Place;

/// The plan of the page that a rule of posts is read by where few of them match.
fn plan(rule: &str) -> Vec<String> {
    let text = Place::new().explained(&["posts", "--rule", rule]);
    let rare = text
        .find("page, where fewer than")
        .or_else(|| text.find("  page\n"));
    let (_, plan) = text[rare.unwrap()..].split_once("\n    plan ").unwrap();
    let steps = plan.split('\n').map(str::trim);
    steps
        .take_while(|step| *step != "total")
        .map(str::to_owned)
        .collect()
}

#[test]
fn pages_of_rare_matches_are_looked_up() {
    for rule in [
        "author = 'user00000000001'",
        "author.id = @request.auth.id && public = true",
        "author.organization.name = 'test'",
        "author.organization.name != 'test'",
        "author.permissions.active = true",
        "author.permissions.active ?= true",
        "author.permissions.name ?= 'x' && author.username = 'y'",
    ] {
        let plan = plan(rule);
        let found = plan
            .iter()
            .any(|step| step.starts_with("SEARCH posts USING INDEX"));
        assert!(found, "{rule}: {plan:?}");
        let scanned = plan.iter().find(|step| step.contains("SCAN posts"));
        assert_eq!(scanned, None, "{rule}: {plan:?}");
    }
}
