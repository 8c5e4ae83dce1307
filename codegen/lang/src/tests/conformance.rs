//! The rules that PocketBase's own test data holds, as far as they are rules of records.

use super::fixture::{Fixture, collection};
use crate::plan::Plan;
use crate::schema::{CollectionId, FieldType, ListAccess, Schema};
use crate::{Caller, Scope, compile};

const DEMO3: CollectionId = CollectionId(0);
const DEMO4: CollectionId = CollectionId(1);

fn schema() -> Fixture {
    use FieldType::{Bool, Choices, Many, Number, Text};
    let fields: [(&'static str, &[(&'static str, FieldType)]); 6] = [
        ("demo3", &[("title", Text), ("files", Choices)]),
        (
            "demo4",
            &[
                ("title", Text),
                ("rel_many_cascade", Many(DEMO3)),
                ("self_rel_many", Many(DEMO4)),
            ],
        ),
        (
            "demo5",
            &[
                ("select_many", Choices),
                ("rel_many", Many(DEMO4)),
                ("total", Number),
            ],
        ),
        ("users", &[("verified", Bool), ("avatar", Text)]),
        ("view1", &[("bool", Bool), ("select_many", Choices)]),
        ("_mfas", &[("recordRef", Text), ("collectionRef", Text)]),
    ];
    let fields = fields.into_iter();
    Fixture::of(
        fields
            .map(|(name, fields)| collection(name, ListAccess::Public, fields))
            .collect(),
    )
}

#[test]
fn the_rules_of_the_test_data_compile() {
    let own = "@request.auth.id != '' && recordRef = @request.auth.id && \
               collectionRef = @request.auth.collectionId";
    let comments = "// example leading comment... \n @request.auth.id != \"\" && \
                    @request.auth.collectionName != \"users\" \n // example trailing comment...";
    let schema = schema();
    for (collection, rule) in [
        ("users", "id = @request.auth.id"),
        ("users", "verified=true"),
        ("users", "@request.auth.collectionName = 'users'"),
        ("users", "1=2"),
        ("demo3", comments),
        ("demo3", "title ~ 'test'"),
        ("demo3", "@request.body.testPayload != 123"),
        ("demo3", "@request.body.testPayload = 123"),
        ("demo4", "@request.auth.collectionName = 'users'"),
        ("demo5", "select_many:length = 3"),
        (
            "demo5",
            "rel_many.self_rel_many.rel_many_cascade.files:length = 1",
        ),
        ("demo5", "@request.body.total = 3"),
        ("demo5", "@request.query.test:isset = true"),
        ("view1", "@request.auth.id != \"\" && bool = true"),
        ("_mfas", own),
        ("users", "@request.auth.verified = true"),
        ("users", "@request.auth.verified = false"),
    ] {
        let id = schema.collection(collection).unwrap();
        let scope = Scope::new(&schema, id, Caller::Rule).imported(true);
        let compiled = compile(rule, &scope).unwrap_or_else(|errors| panic!("{rule}: {errors:?}"));
        assert_eq!(compiled.plan == Plan::Never, rule == "1=2", "{rule}");
    }
}
