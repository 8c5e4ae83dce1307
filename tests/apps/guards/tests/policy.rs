//! The policy tests beside the schema, as any application runs its own.
#![allow(clippy::panic)]

use std::path::Path;

#[test]
fn the_policy_is_kept() {
    if let Err(report) = basalt_policy::check(guards_app::application, Path::new("schema")) {
        panic!("{report}");
    }
}
