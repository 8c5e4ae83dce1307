//! Only a rule check gives a scope, or a word that no rule applies.

use basalt_compile_fail::generated::posts::Posts;
use basalt_runtime::access::Scope;
use basalt_runtime::sql::predicate::Predicate;

pub fn all() -> Scope<Posts> {
    Scope {
        allowed: Predicate::Always,
    }
}

fn main() {}
