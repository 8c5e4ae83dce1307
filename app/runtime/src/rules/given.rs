//! Values that do not belong to a row: literals, macros, and what the request brings.

use std::borrow::Cow;

use basalt_lang::eval::{Affinity, Operand, Side};
use basalt_lang::plan::Quantifier;

/// The value (or values) that a column is compared with.
#[derive(Debug, Clone, PartialEq)]
pub enum Given {
    /// One value, or a field of the caller's record, which compares as a column does.
    One(Side<'static>),
    /// Several, from `:each` of a body field; none at all compares like one NULL.
    Each(Vec<Operand<'static>>, Quantifier),
}

impl Given {
    /// `null`
    pub fn null() -> Self {
        Given::value(Operand::Null)
    }

    /// A text.
    pub fn text(text: impl Into<Cow<'static, str>>) -> Self {
        Given::value(Operand::Text(text.into()))
    }

    /// A number, as it stands in a rule or a body.
    pub fn number(number: f64) -> Self {
        Given::value(Operand::Number(number))
    }

    /// A whole number, as `@year` and `:length` give it.
    pub fn integer(integer: i64) -> Self {
        Given::value(Operand::Integer(integer))
    }

    /// `true` or `false`, as a rule's text or `:isset` gives it
    pub fn bool(bool: bool) -> Self {
        Given::integer(i64::from(bool))
    }

    /// A value that converts nothing.
    pub(crate) fn value(operand: Operand<'static>) -> Self {
        Given::One(Side::value(operand))
    }

    /// `:lower`: the text of the value with its ASCII letters in lower case.
    pub fn lower(given: Given) -> Self {
        let lower = |side: &Side<'static>| {
            side.text().map_or(Operand::Null, |text| {
                Operand::Text(Cow::Owned(text.to_ascii_lowercase()))
            })
        };
        match given {
            Given::One(side) => Given::One(Side {
                operand: lower(&side),
                affinity: Affinity::None,
                source: side.source,
            }),
            Given::Each(operands, quantifier) => {
                let operands = operands.into_iter().map(Side::value);
                Given::Each(operands.map(|side| lower(&side)).collect(), quantifier)
            }
        }
    }

    /// The number that a text is, where the collection has a number field of the value's name.
    /// What is no number stays a text, and so sorts behind all numbers.
    pub fn numeric(given: Given) -> Self {
        let Given::One(side) = &given else {
            return given;
        };
        let Operand::Text(text) = &side.operand else {
            return given;
        };
        match text.parse::<f64>() {
            Ok(number) if number.is_nan() => Given::null(),
            Ok(number) => Given::number(number),
            Err(_) => given,
        }
    }

    /// The values as sides of a comparison. The items of a list compare as columns do.
    pub(crate) fn sides(&self) -> Vec<Side<'_>> {
        match self {
            Given::One(side) => vec![Side {
                operand: borrow(&side.operand),
                ..*side
            }],
            Given::Each(operands, _) if operands.is_empty() => {
                vec![Side::column(Operand::Null, Affinity::None)]
            }
            Given::Each(operands, _) => operands
                .iter()
                .map(|operand| Side::column(borrow(operand), Affinity::None))
                .collect(),
        }
    }

    /// How many of the values must compare.
    pub(crate) fn quantifier(&self) -> Quantifier {
        match self {
            Given::One(_) => Quantifier::Some,
            Given::Each(_, quantifier) => *quantifier,
        }
    }
}

impl From<bool> for Given {
    fn from(bool: bool) -> Self {
        Given::bool(bool)
    }
}

impl From<f64> for Given {
    fn from(number: f64) -> Self {
        Given::number(number)
    }
}

impl From<&'static str> for Given {
    fn from(text: &'static str) -> Self {
        Given::text(text)
    }
}

impl From<String> for Given {
    fn from(text: String) -> Self {
        Given::text(text)
    }
}

fn borrow<'a>(operand: &'a Operand<'static>) -> Operand<'a> {
    match operand {
        Operand::Text(text) => Operand::Text(Cow::Borrowed(text)),
        Operand::Null => Operand::Null,
        Operand::Bool(bool) => Operand::Bool(*bool),
        Operand::Integer(integer) => Operand::Integer(*integer),
        Operand::Number(number) => Operand::Number(*number),
    }
}

/// The same value, free of what it was borrowed from.
pub(crate) fn own(operand: Operand<'_>) -> Operand<'static> {
    match operand {
        Operand::Text(text) => Operand::Text(Cow::Owned(text.into_owned())),
        Operand::Null => Operand::Null,
        Operand::Bool(bool) => Operand::Bool(bool),
        Operand::Integer(integer) => Operand::Integer(integer),
        Operand::Number(number) => Operand::Number(number),
    }
}
