//! Random filters over random rows: forms of one plan that must hold of the same rows.

use super::fixture::{C, Fixture, RULED, USERS, X, Y};
use super::model::{Cell, Model, list, text};
use super::robust::Dice;
use crate::assume::Kind;
use crate::lower::lower_to_joins;
use crate::{Caller, Scope, compile};

/// Rows of every collection, so that paths find something, several things and nothing.
fn crowd() -> Model {
    let mut model = Model::of_the_table();
    model.list_rules = vec![(RULED, "public = true"), (Y, "title != 'Y2'")];
    model.read_rules = vec![("x.way", "public = true"), ("x.ways", "n = 2")];
    for (id, public, next) in [("A", true, ""), ("B", false, "A"), ("D", true, "B")] {
        let cells = [
            ("title", text(id)),
            ("public", Cell::Bool(public)),
            ("next", text(next)),
            ("p", text("X")),
            ("nexts", list(if public { &["A", "B"] } else { &[] })),
        ];
        model.add(RULED, id, &cells);
    }
    for (id, ru) in [("Y1", "A"), ("Y2", "B")] {
        model.add(
            Y,
            id,
            &[
                ("title", text(id)),
                ("ru", text(ru)),
                ("rus", list(&["A", "B"])),
            ],
        );
    }
    for (id, n, r, rm, p, ps) in [
        ("k", 1.0, "X", &["Y"][..], "xy", &["x", "xy"][..]),
        ("l", 2.0, "Y", &["X", "Z"], "xy", &[]),
        ("m", 2.0, "", &[], "z", &["z", "none"]),
    ] {
        let cells = [
            ("title", text(["x", "y", ""][(n as usize + id.len()) % 3])),
            ("n", Cell::Number(n)),
            ("r", text(r)),
            ("rm", list(rm)),
            ("p", text(p)),
            ("ps", list(ps)),
            ("only", text(if id == "k" { "x" } else { "" })),
            ("public", Cell::Bool(id != "l")),
            ("way", text(if id == "k" { "A" } else { "B" })),
            ("ways", list(&["A", "B"])),
        ];
        model.add(X, id, &cells);
    }
    for (id, r, rm, ru, rus) in [
        ("c1", "k", &["k", "l", "X"][..], "A", &["A", "B"][..]),
        ("c2", "l", &["m", "Z"], "B", &["D"]),
        ("c3", "m", &["k"], "D", &[]),
    ] {
        let cells = [
            ("title", text("x")),
            ("n", Cell::Number(2.0)),
            ("sm", list(&["a", "c"])),
            ("r", text(r)),
            ("rm", list(rm)),
            ("ru", text(ru)),
            ("rus", list(rus)),
            ("authors", list(&["u1", "u2"])),
            ("y", text("Y1")),
            ("ys", list(&["Y1", "Y2"])),
        ];
        model.add(C, id, &cells);
    }
    model.auth = Some(vec![("id", text("u1")), ("collectionName", text("users"))]);
    model.body = vec![("rm", list(&["X", "k"])), ("sm", list(&["a", "b"]))];
    model
}

/// A random filter over the operands.
fn filter(dice: &mut Dice, operands: &[&str]) -> String {
    const OPS: &[&str] = &[
        "=", "!=", ">", "<=", "~", "!~", "?=", "?!=", "?<", "?~", "?!~", "?>=",
    ];
    const VALUES: &[&str] = &["'x'", "''", "null", "1", "2", "'a'", "true", "'A'"];
    let mut text = String::new();
    let mut open = 0;
    for place in 0..=dice.below(4) {
        if place > 0 {
            text.push_str([" && ", " || "][dice.below(2)]);
        }
        if dice.below(3) == 0 {
            text.push('(');
            open += 1;
        }
        let left = operands[dice.below(operands.len())];
        let right = if dice.below(2) == 0 {
            operands[dice.below(operands.len())]
        } else {
            VALUES[dice.below(VALUES.len())]
        };
        text.push_str(&format!("{left} {} {right}", OPS[dice.below(OPS.len())]));
        if open > 0 && dice.below(2) == 0 {
            text.push(')');
            open -= 1;
        }
    }
    text.push_str(&")".repeat(open));
    text
}

/// Paths from a record of `c`.
const OWN: &[&str] = &[
    "title",
    "n",
    "sm:each",
    "sm",
    "r.title",
    "r.n",
    "rm.title",
    "rm.n",
    "rm.sm:each",
    "rm:each",
    "rm.sm:length",
    "r.rm.title",
    "rm.r.title",
    "rm.j.k",
    "j.k",
    "rm:length",
    "rus.title",
    "ru.title",
    "ru.next.title",
    "rus.nexts.title",
    "authors.email",
    "y.ru.title",
    "ys.title",
    "x_via_p.n",
    "x_via_p.title",
    "x_via_ps.rm.title",
    "x_via_only.n",
    "r.id",
    "x_via_p.public",
    "r.way.title",
    "rm.way.n",
    "rm.ways.title",
    "x_via_ps.ways.next.title",
];
/// Operands that only rules and superusers have.
const OTHERS: &[&str] = &[
    "@collection.x.n",
    "@collection.x:b.n",
    "@collection.x.p.title",
    "@collection.x.ps:each",
    "@request.auth.username",
    "@request.auth.friends:length",
    "@request.auth.id",
    "@request.auth.c_via_author.n",
    "@request.body.rm.title",
    "@request.body.sm:each",
    "@request.body.title:changed",
    "geoDistance(0, 0, rm.n, 0)",
    "strftime('%Y', rm.title)",
    "id",
];

/// Nested plans, and conditions that are taken apart, must hold of the same rows as one choice of
/// rows for everything.
#[test]
fn short_forms_agree_with_joins() {
    let model = crowd();
    let everything = [OWN, OTHERS].concat();
    let mut dice = Dice(0x1357_9bdf_2468_ace0);
    let mut some = 0;
    for round in 0..4_000 {
        let (operands, caller) = match round % 2 {
            0 => (everything.as_slice(), Caller::Superuser),
            _ => (OWN, Caller::Client),
        };
        let text = filter(&mut dice, operands);
        let schema = Fixture::new();
        let compiled = compile(&text, &Scope::new(&schema, C, caller))
            .unwrap_or_else(|errors| panic!("{text}: {errors:?}"));
        let found = model.matched_by(C, &compiled.plan);
        let expected = model.matched_by(C, &lower_to_joins(&compiled.typed));
        assert_eq!(found, expected, "{caller:?}: {text}\n{}", compiled.plan);
        some += usize::from(!found.is_empty());
    }
    assert!(some > 1_000, "only {some} filters matched anything");
}

/// What is left of a plan for one kind of caller holds of the same rows, if such a one asks.
#[test]
fn what_is_assumed_changes_nothing() {
    let mut model = crowd();
    let user = model.auth.clone();
    let everything = [OWN, OTHERS].concat();
    let schema = Fixture::new();
    let scope = Scope::new(&schema, C, Caller::Superuser);
    let mut dice = Dice(0x0f1e_2d3c_4b5a_6978);
    let mut shorter = 0;
    for round in 0..2_000 {
        let text = filter(&mut dice, &everything);
        let plan = compile(&text, &scope).unwrap().plan;
        let (kind, auth) = match round % 2 {
            0 => (Kind::Guest, None),
            _ => (Kind::User(USERS), user.clone()),
        };
        model.auth = auth;
        let left = plan.assume(&schema, kind);
        let (found, expected) = (model.matched_by(C, &left), model.matched_by(C, &plan));
        assert_eq!(found, expected, "{kind:?}: {text}\n{plan}\n{left}");
        assert!(!left.phrase(&schema, C).is_empty() && !left.describe(&schema, C).is_empty());
        shorter += usize::from(left != plan);
    }
    assert!(shorter > 300, "only {shorter} plans got shorter");
}
