//! One test for each table of requests and answers.

use crate::table::check;

/// Tables that the peer can answer too.
macro_rules! tables {
    ($($name:ident)*) => {
        $(
            #[test]
            fn $name() {
                check(stringify!($name), true);
            }
        )*
    };
}

tables! {
    accounts casting cascades filters joined limits modifiers musts own_ids relations rules sorts uniques
}

/// What the peer has not: defaults, null, fields that must be given.
#[test]
fn extras() {
    check("extras", false);
}
