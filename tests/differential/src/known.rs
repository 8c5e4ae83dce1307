//! The differences that are meant. Each has a section in `docs/differences.md` and a test.

use crate::judge::Listed;

/// One question with both answers.
#[derive(Debug)]
pub struct Case<'a> {
    /// The filter or rule.
    pub text: &'a str,
    /// What our server says.
    pub ours: &'a Listed,
    /// What the peer says.
    pub peer: &'a Listed,
}

/// A difference that is meant.
pub struct Known {
    /// Its heading in `docs/differences.md`.
    pub name: &'static str,
    /// Is this case one of it?
    pub explains: fn(&Case<'_>) -> bool,
}

/// All of them.
pub const KNOWN: &[Known] = &[];

/// The difference that explains a case.
pub fn known(case: &Case<'_>) -> Option<&'static Known> {
    KNOWN.iter().find(|known| (known.explains)(case))
}
