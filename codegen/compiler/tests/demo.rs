//! The demo schema resolves, to what it says.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)]

use std::path::Path;

use basalt_codegen::ir::{CollectionKind, FieldId, FieldKind, Generate, Rule, Schema};
use basalt_codegen::{Source, read_dir, resolve};

fn demo_sources() -> Vec<Source> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schema");
    read_dir(&dir).unwrap()
}

fn demo() -> Schema {
    let checked =
        resolve(&demo_sources()).unwrap_or_else(|report| panic!("{}", report.render(false)));
    assert!(checked.warnings.is_empty(), "{}", checked.warnings);
    checked.schema
}

#[test]
fn orders_collections_and_adds_superusers() {
    let schema = demo();
    let names: Vec<&str> = schema
        .collections
        .iter()
        .map(|one| one.name.wire.as_str())
        .collect();
    assert_eq!(
        names,
        [
            "_superusers",
            "organizations",
            "permissions",
            "posts",
            "users"
        ]
    );
    let superusers = &schema.collections[0];
    assert_eq!(superusers.id, "pbc_3142635823");
    assert_eq!(superusers.model, "Superuser");
    let CollectionKind::Auth(auth) = &superusers.kind else {
        panic!("no auth collection")
    };
    assert_eq!(
        (auth.token_seconds, auth.identity_fields.as_slice()),
        (86_400, &[FieldId(3)][..])
    );
    assert_eq!(superusers.rules.list, Rule::Locked);
    assert_eq!(superusers.rules.auth, Rule::Public);
}

#[test]
fn implies_auth_fields_with_the_files_changes() {
    let schema = demo();
    let users = schema.collection("users").unwrap();
    let names: Vec<&str> = users
        .fields
        .iter()
        .map(|field| field.name.wire.as_str())
        .collect();
    assert_eq!(
        names,
        [
            "id",
            "password",
            "tokenKey",
            "email",
            "emailVisibility",
            "verified",
            "username",
            "organization",
            "permissions",
            "created",
            "updated"
        ]
    );
    let token_key = &users.fields[2];
    assert!(token_key.hidden && token_key.required && token_key.system);
    assert_eq!(
        token_key.kind,
        FieldKind::Text {
            min: 30,
            max: 60,
            pattern: String::new(),
            generate: Generate::Pattern("[a-zA-Z0-9_]{50}".to_owned()),
        }
    );
    assert!(
        !users.fields[3].required,
        "the file makes the email optional"
    );
    let CollectionKind::Auth(auth) = &users.kind else {
        panic!("no auth collection")
    };
    assert_eq!(auth.identity_fields, [FieldId(3), FieldId(6)]);
    assert_eq!(auth.token_seconds, 1_209_600);
}

#[test]
fn declares_and_derives_indexes() {
    let schema = demo();
    let list = |collection: &str| -> Vec<String> {
        let indexes = schema.collection(collection).unwrap().indexes.iter();
        indexes
            .map(|index| format!("{} ({})", index.name, index.reason))
            .collect()
    };
    assert_eq!(
        list("users"),
        [
            "__pb_users_auth__username_idx (declared at schema/users.toml:28)",
            "__pb_users_auth__email_idx (declared at schema/users.toml:34)",
            "__pb_users_auth__tokenKey_idx (declared at schema/users.toml:40)",
            "idx_users_organization (relation `organization`)",
        ]
    );
    assert_eq!(list("posts"), ["idx_posts_author (relation `author`)"]);
    let email = &schema.collection("users").unwrap().indexes[1];
    let implied = &schema.collection("_superusers").unwrap().indexes[1];
    assert_eq!(implied.name, "uq__superusers_email");
    assert_eq!(
        email.filter, implied.filter,
        "declared and implied mean the same"
    );
}

#[test]
fn ignores_the_order_of_the_files() {
    let mut shuffled = demo_sources();
    shuffled.reverse();
    assert_eq!(resolve(&shuffled).unwrap().schema, demo());
}
