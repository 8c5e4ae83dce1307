//! What nested plans can't say: back-relations, other collections, pairs of records.

use super::fixture::{C, X};
use super::model::{Cell, Model, list, text};

fn check(model: &Model, filter: &str, expected: &str) {
    assert_eq!(model.matched(filter), expected, "{filter}");
}

/// `c` has none, one, two and three; `x` points back to them by `p` (single), `ps` (multiple) and
/// `only` (single and unique).
fn model() -> Model {
    let mut model = Model::new();
    for id in ["none", "one", "two", "three"] {
        model.add(C, id, &[("title", text(id))]);
    }
    for (id, n, public, p, ps, only) in [
        ("A", 1.0, true, "one", &["one"][..], "one"),
        ("B", 2.0, true, "two", &["two", "one"], ""),
        ("D", 3.0, false, "two", &[], "two"),
        ("E", 4.0, false, "three", &["three"], ""),
    ] {
        let cells = [
            ("title", text(&id.to_lowercase())),
            ("n", Cell::Number(n)),
            ("public", Cell::Bool(public)),
            ("p", text(p)),
            ("ps", list(ps)),
            ("only", text(only)),
        ];
        model.add(X, id, &cells);
    }
    model
}

#[test]
fn back_relations() {
    let model = model();
    for (filter, expected) in [
        ("x_via_p.n ?> 0", "one two three"),
        ("X_via_p.n ?= 2", "two"),
        ("x_via_p.n = 2", ""),
        ("x_via_p.n > 1", "two three"),
        ("x_via_p.n != 1", "none two three"),
        ("x_via_p.id = ''", "none"),
        ("x_via_p.title != ''", "one two three"),
        ("x_via_p.title ?!~ 'a'", "two three"),
        ("x_via_ps.n ?= 2", "one two"),
        ("x_via_ps.n = 2", "two"),
        ("x_via_ps.title = ''", "none"),
        // Both of one record, and of two.
        ("x_via_p.n ?= 2 && x_via_p.public ?= true", "two"),
        ("x_via_p.n ?= 3 && x_via_p.public ?= true", ""),
        ("x_via_p.n ?= 3 && x_via_ps.public ?= true", "two"),
        (
            "title = 'none' || x_via_p.public ?= false",
            "none two three",
        ),
        // Unique: one value.
        ("x_via_only.n = 3", "two"),
        ("x_via_only.n != 3", "none one three"),
        ("x_via_only.n ?!= 3", "none one three"),
        // On from there, and back.
        ("x_via_p.ps.title ?= 'one'", "one two"),
        ("x_via_p.p.title = 'two'", "two"),
        ("x_via_p.ps:length = 0", "none"),
        ("x_via_p.ps:length ?= 0", "none two"),
        ("x_via_p.ps:each ?= 'two'", "two"),
    ] {
        check(&model, filter, expected);
    }
}

#[test]
fn other_collections() {
    let model = model();
    for (filter, expected) in [
        ("@collection.x.n = 3", ""),
        ("@collection.x.n ?= 3", "none one two three"),
        ("@collection.x.n > 0", "none one two three"),
        ("@collection.y.title = ''", "none one two three"),
        ("@collection.y.title != 'z'", "none one two three"),
        ("@collection.y.title ?= 'z'", ""),
        ("@collection.x.p ?= id", "one two three"),
        ("@collection.x.p ?= id && @collection.x.n ?= 2", "two"),
        ("@collection.x.p ?= id && @collection.x.n ?= 4", "three"),
        (
            "@collection.x:a.p ?= id && @collection.x:b.n ?= 4",
            "one two three",
        ),
        ("@collection.x.n ?= 1 && @collection.x.n ?= 3", ""),
        (
            "@collection.x:a.n ?= 1 && @collection.x:b.n ?= 3",
            "none one two three",
        ),
        (
            "@collection.x.p.title ?= title && @collection.x.public ?= true",
            "one two",
        ),
        ("@collection.x.p = id", ""),
        ("@collection.x.p != id", "none"),
        ("id != @collection.x.p", "none"),
        ("@collection.x.ps:each ?= id", "one two three"),
    ] {
        check(&model, filter, expected);
    }
}

#[test]
fn pairs_of_records() {
    let model = Model::of_the_table();
    for (filter, expected) in [
        ("rm.title = rm.title", "none x z"),
        ("rm.title ?= rm.title", "none x xy xz z"),
        ("rm.title != rm.title", ""),
        ("rm.n <= rm.n", "x z"),
        ("rm.n ?<= rm.n", "x xy xz z"),
        ("rm.title = r.title", "none z"),
        ("r.title = rm.title", "none z"),
        ("sm:each = rm.sm:each", "none x"),
        ("sm:each ?= rm.sm:each", "none x xy"),
        ("rm.title ~ id", "x"),
        ("id ~ rm.title", "x xy xz z"),
        ("id ?~ rm.title", "x xy xz z"),
        ("id !~ rm.title", ""),
        ("id ?!~ rm.title", ""),
    ] {
        check(&model, filter, expected);
    }
}
