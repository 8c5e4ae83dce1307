//! Conditions that fold: what a request decides on its own never reaches the database.

use diesel::BoolExpressionMethods;

use super::fragment::{Fragment, Part, Piece};
use super::{Form, Pred};

/// A condition on rows of `T`, with the two trivial cases kept apart.
pub enum Predicate<T> {
    /// Every row.
    Always,
    /// No row: no query is needed.
    Never,
    /// What the database must decide.
    When(Pred<T>),
}

impl<T: 'static> From<bool> for Predicate<T> {
    fn from(holds: bool) -> Self {
        if holds {
            Predicate::Always
        } else {
            Predicate::Never
        }
    }
}

/// Holds if all parts hold.
pub fn all<T: 'static>(parts: impl IntoIterator<Item = Predicate<T>>) -> Predicate<T> {
    let mut result = Predicate::Always;
    for part in parts {
        result = match (result, part) {
            (Predicate::Never, _) | (_, Predicate::Never) => return Predicate::Never,
            (Predicate::Always, other) | (other, Predicate::Always) => other,
            (Predicate::When(left), Predicate::When(right)) => {
                Predicate::When(Box::new(left.and(right)))
            }
        };
    }
    result
}

/// A part of a condition that is counted by itself where the whole is counted by parts.
pub fn aside<T: 'static>(form: Form, condition: Predicate<T>) -> Predicate<T> {
    match form {
        Form::In | Form::Exists => condition,
        Form::Whole | Form::Rest => Predicate::Never,
    }
}

/// Holds of the rows for which the condition doesn't, be it FALSE or UNKNOWN.
pub fn none<T: 'static>(condition: Predicate<T>) -> Predicate<T> {
    match condition {
        Predicate::Always => Predicate::Never,
        Predicate::Never => Predicate::Always,
        Predicate::When(condition) => Predicate::When(untrue(condition)),
    }
}

/// The rows for which the condition is FALSE or UNKNOWN.
pub fn untrue<T: 'static>(condition: Pred<T>) -> Pred<T> {
    let parts: Vec<Part> = vec![condition];
    let pieces = vec![
        Piece::Sql("(("),
        Piece::Part(0),
        Piece::Sql(") IS NOT TRUE)"),
    ];
    Fragment { parts, pieces }.typed()
}

/// Holds if at least one part holds.
pub fn any<T: 'static>(parts: impl IntoIterator<Item = Predicate<T>>) -> Predicate<T> {
    let mut result = Predicate::Never;
    for part in parts {
        result = match (result, part) {
            (Predicate::Always, _) | (_, Predicate::Always) => return Predicate::Always,
            (Predicate::Never, other) | (other, Predicate::Never) => other,
            (Predicate::When(left), Predicate::When(right)) => {
                Predicate::When(Box::new(left.or(right)))
            }
        };
    }
    result
}
