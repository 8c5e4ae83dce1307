//! Single sides where every value is looked at, by the outcomes of the live server.

use super::model::Model;

#[test]
fn single_sides_beside_several_values() {
    let model = Model::of_the_table();
    for (filter, expected) in [
        // No record's own title is a time: the time is NULL.
        ("rm.title = strftime('%Y', title)", "none xz z"),
        ("strftime('%Y', title) = rm.title", "none xz z"),
        ("rm.title != strftime('%Y', title)", "x xy xz"),
        ("rm.title ?= strftime('%Y', title)", "none xz z"),
        ("rm.title > strftime('%Y', title)", ""),
        // With an empty text in the call, its NULL equals the empty text.
        ("rm.title = strftime('', title)", "none z"),
        ("rm.title != strftime('', title)", "x xy"),
        ("rm.title = strftime('%Y', '')", "none z"),
        ("rm.title != strftime('%Y', title, '')", "x xy"),
        ("rm.title != strftime('%Y', title, 'zz')", "x xy xz"),
        ("sm:each = strftime('%Y', title)", "none"),
        ("sm:each != strftime('%Y', title)", "x xy xz z"),
        ("rm.sm:length = strftime('%Y', title)", ""),
        ("rm.sm:length != strftime('%Y', title)", "none x xy xz z"),
        ("rm.title = geoDistance(title, 0, 0, 0)", "none"),
        ("rm.title != geoDistance(title, 0, 0, 0)", "x xy xz z"),
        ("rm.title = geoDistance(title, title, title, title)", "none"),
        (
            "rm.title != geoDistance(title, title, title, title)",
            "x xy",
        ),
        ("rm.title = j.nope", "none"),
        ("rm.title != j.nope", "x xy"),
        ("j.nope != rm.title", "x xy"),
        // NULL of the side with several values equals only NULL either way.
        ("rm.j.k = j.nope", "none z"),
        ("rm.j.k != j.nope", "x xy"),
    ] {
        assert_eq!(model.matched(filter), expected, "{filter}");
    }
}
