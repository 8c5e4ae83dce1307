//! The ways past the access rules, each a program that must not build. Where rustc words its
//! reasons anew, `TRYBUILD=overwrite` rewrites the expected ones; read them.

#[test]
fn no_way_past_the_rules_builds() {
    trybuild::TestCases::new().compile_fail("cases/*.rs");
}
