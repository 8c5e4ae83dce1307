//! The order of a list tells nothing about what may not be read.

use crate::support::{World, found};

#[test]
fn sorting_by_a_field_sorts_what_may_be_read() {
    let world = World::new();
    for (who, client) in world.others() {
        for sort in [
            "salary",
            "-salary",
            "bonus",
            "-code",
            "skills",
            "-skills:length",
        ] {
            let order = found(client, "staff", &[("sort", sort)]);
            assert_eq!(order, "0123", "{who} {sort}");
        }
    }
    // Ann's own value is the only one that she knows; NULL comes first.
    assert_eq!(found(&world.ann, "staff", &[("sort", "salary")]), "0231");
    assert_eq!(found(&world.ann, "staff", &[("sort", "-salary")]), "1023");
    assert_eq!(found(&world.boss, "staff", &[("sort", "salary")]), "1302");
    assert_eq!(found(&world.boss, "staff", &[("sort", "-salary")]), "2031");
    assert_eq!(
        found(&world.superuser, "staff", &[("sort", "bonus")]),
        "1302"
    );
    assert_eq!(found(&world.guest, "reports", &[("sort", "score")]), "0213");
    assert_eq!(
        found(&world.superuser, "reports", &[("sort", "score")]),
        "1302"
    );
}

#[test]
fn so_does_sorting_by_what_relations_lead_to() {
    let world = World::new();
    let check = |client, sort, expected| {
        assert_eq!(
            found(client, "reports", &[("sort", sort)]),
            expected,
            "{sort}"
        );
    };
    // Where the relation may be read, the value still may not.
    check(&world.guest, "-about.salary", "0123");
    // Where the value may be read, the relation may not: Bob comes behind Ann only where the
    // reports are open.
    check(&world.guest, "-about.nick", "3102");
    check(&world.ann, "-about.nick", "3012");
    check(&world.superuser, "-about.nick", "2301");
    // Bob's mentor is known to everyone.
    check(&world.guest, "-about.mentor.nick", "3012");
    check(&world.superuser, "-about.mentor.nick", "2301");
    check(&world.guest, "-about.mentor.salary", "0123");
    check(&world.boss, "-about.mentor.salary", "3012");
}

#[test]
fn equal_records_come_in_the_order_of_insertion() {
    let world = World::new();
    for sort in ["title", "-title"] {
        assert_eq!(found(&world.guest, "reports", &[("sort", sort)]), "0123");
    }
}

#[test]
fn hidden_addresses_have_no_order() {
    let world = World::new();
    let check = |client, collection, sort, expected| {
        assert_eq!(
            found(client, collection, &[("sort", sort)]),
            expected,
            "{sort}"
        );
    };
    check(&world.guest, "staff", "email", "1302");
    check(&world.guest, "staff", "-email", "2013");
    check(&world.superuser, "staff", "email", "3102");
    // Reports about Bob are the only ones whose subject shows an address; one of them is open.
    check(&world.guest, "reports", "-about.email", "3012");
    check(&world.superuser, "reports", "about.email", "0123");
}
