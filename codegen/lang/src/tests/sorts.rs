//! The sort parameter.

use super::fixture::{C, Fixture, USERS};
use crate::plan::Column;
use crate::schema::{CollectionId, FieldId};
use crate::{Caller, Scope, SortBy, SortKey, parse_sort};

fn parsed(text: &str, collection: CollectionId, caller: Caller) -> Result<Vec<SortKey>, String> {
    let schema = Fixture::new();
    parse_sort(text, &Scope::new(&schema, collection, caller)).map_err(|error| {
        format!(
            "{} {}",
            error.code,
            text[error.span.start..error.span.end].trim()
        )
    })
}

#[test]
fn keys() {
    let key = |by, descending| SortKey { by, descending };
    let field = |index| SortBy::Column(Column::Field(FieldId(index)));
    assert_eq!(parsed("", C, Caller::Client), Ok(vec![]));
    assert_eq!(
        parsed("-created, title,+n", C, Caller::Client),
        Ok(vec![
            key(field(7), true),
            key(field(1), false),
            key(field(2), false)
        ])
    );
    assert_eq!(
        parsed("@random,-@rowid", C, Caller::Client),
        Ok(vec![key(SortBy::Random, false), key(SortBy::RowId, true)])
    );
    assert_eq!(
        parsed(
            "sm:length,title:lower,j.a,r.id,title:length",
            C,
            Caller::Client
        ),
        Ok(vec![
            key(SortBy::Column(Column::Length(FieldId(5))), false),
            key(SortBy::Column(Column::Lower(FieldId(1))), false),
            key(
                SortBy::Column(Column::Path(FieldId(6), vec!["a".to_owned()])),
                false
            ),
            key(field(8), false),
            key(field(1), false),
        ])
    );
    assert_eq!(
        parsed("email", USERS, Caller::Client),
        Ok(vec![key(field(3), false)])
    );
    assert_eq!(
        parsed("secret", C, Caller::Superuser),
        Ok(vec![key(field(10), false)])
    );
}

#[test]
fn fields_of_other_records() {
    let check = |text: &str, caller, hops: usize, column: usize, visible: &[&str]| {
        let keys = parsed(text, C, caller).unwrap();
        let [
            SortKey {
                by:
                    SortBy::Path {
                        hops: found,
                        column: by,
                        visible: plan,
                    },
                descending: true,
            },
        ] = keys.as_slice()
        else {
            panic!("{text}: {keys:?}");
        };
        assert_eq!(found.len(), hops, "{text}");
        assert_eq!(*by, Column::Field(FieldId(column)), "{text}");
        let plan = plan.describe(&Fixture::new(), C);
        assert_eq!(plan.lines().collect::<Vec<_>>(), visible, "{text}");
    };
    check("-r.title", Caller::Client, 1, 1, &["always"]);
    check("-ru.title", Caller::Superuser, 1, 1, &["always"]);
    check(
        "-ru.next.id",
        Caller::Client,
        1,
        4,
        &[
            "any of",
            "  some ru in ruled with",
            "    may be listed",
            "  ru is empty",
        ],
    );
    check(
        "-ru.next.title",
        Caller::Client,
        2,
        1,
        &[
            "any of",
            "  some ru in ruled with",
            "    all of",
            "      may be listed",
            "      any of",
            "        some next in ruled with",
            "          may be listed",
            "        next is empty",
            "  ru is empty",
        ],
    );
}

#[test]
fn refusals() {
    let check = |text: &str, expected: &str| {
        assert_eq!(
            parsed(text, C, Caller::Client),
            Err(expected.to_owned()),
            "{text}"
        );
    };
    check("title,", "rule::sort ");
    check(" ", "rule::sort ");
    check("nope", "rule::unknown_field nope");
    check("-secret", "rule::unknown_field secret");
    check("N", "rule::unknown_field N");
    check("5", "rule::sort 5");
    check("'a'", "rule::sort 'a'");
    check("true", "rule::sort true");
    check("@now", "rule::sort @now");
    check("@request.auth.id", "rule::sort @request.auth.id");
    check("@collection.x.n", "rule::sort @collection.x.n");
    check("lo.title", "rule::forbidden lo");
    check("title:nope", "rule::unknown_modifier nope");
    check("title.", "rule::syntax ");
    check(
        "a,b".replace(['a', 'b'], "n").repeat(8).as_str(),
        "rule::unknown_field nn",
    );
    check("n,n,n,n,n,n,n,n,n", "rule::sort n");
    let long = "n".repeat(256);
    check(&long, &format!("rule::sort {long}"));
}
