//! Comparisons over a record in memory, with the same outcomes as their SQL forms in
//! [`crate::sql::compare`]. Only [`related`] needs the database.

use std::borrow::Cow;

use basalt_lang::eval::{Affinity, Operand, Side, compare};
use basalt_lang::plan::{Op, Quantifier, Truth};
use diesel::prelude::*;

use crate::access::Permit;
use crate::collection::Collection;
use crate::json;
use crate::rules::Given;
use crate::sql::among::among;
use crate::sql::predicate::{self, Predicate};
use crate::sql::{Column, Conn, Pred};
use crate::value::ValueRef;

/// A value of a record, ready to be compared.
#[derive(Debug, Clone, PartialEq)]
pub struct Computed<'a>(Side<'a>);

/// One item of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Item<'a>(&'a str);

impl<'a> From<ValueRef<'a>> for Computed<'a> {
    fn from(value: ValueRef<'a>) -> Self {
        let text = |text: &'a str| Operand::Text(Cow::Borrowed(text));
        Computed(match value {
            ValueRef::Null => Side::column(Operand::Null, Affinity::None),
            ValueRef::Text(value) => Side::column(text(value), Affinity::Text),
            ValueRef::Number(value) => Side::column(Operand::Number(value), Affinity::Numeric),
            ValueRef::Bool(value) => Side::column(Operand::Bool(value), Affinity::Numeric),
            ValueRef::List(value) => Side::column(text(value), Affinity::Numeric),
            ValueRef::Json(value) => Side::strict(json::extract(value, &[]), Affinity::None),
        })
    }
}

impl<'a> From<Item<'a>> for Computed<'a> {
    fn from(item: Item<'a>) -> Self {
        let text = Operand::Text(Cow::Borrowed(item.0));
        Computed(Side::column(text, Affinity::None))
    }
}

impl<'a> Computed<'a> {
    /// The value with what it does to the other side of a comparison.
    pub(crate) fn side(self) -> Side<'a> {
        self.0
    }
}

/// `value op given` comes out as `when`.
pub fn test<'a>(
    value: impl Into<Computed<'a>>,
    op: Op,
    given: impl Into<Given>,
    when: Truth,
) -> bool {
    let value = value.into().0;
    quantified(&given.into(), when, |side| compare(&value, op, side))
}

/// `given op value` comes out as `when`, for `~` and `!~`.
pub fn within<'a>(
    given: impl Into<Given>,
    op: Op,
    value: impl Into<Computed<'a>>,
    when: Truth,
) -> bool {
    let value = value.into().0;
    quantified(&given.into(), when, |side| compare(side, op, &value))
}

/// Two values of the same record compare as `when`.
pub fn columns<'a>(
    left: impl Into<Computed<'a>>,
    op: Op,
    right: impl Into<Computed<'a>>,
    when: Truth,
) -> bool {
    compare(&left.into().0, op, &right.into().0) == Some(when == Truth::True)
}

/// Has the value no item?
pub fn is_empty(value: ValueRef<'_>) -> bool {
    match value {
        ValueRef::Null => true,
        ValueRef::Text(text) => text.is_empty(),
        ValueRef::List(list) => list == "[]" || list.is_empty(),
        ValueRef::Json(json) => match json::extract(json, &[]) {
            Operand::Null => true,
            Operand::Text(text) => text.is_empty(),
            _ => false,
        },
        ValueRef::Number(_) | ValueRef::Bool(_) => false,
    }
}

/// A value of a record that is about to be created: it isn't in a column yet, so that nothing is
/// converted. A number never equals a text, and sorts before it.
pub fn draft(value: ValueRef<'_>) -> Computed<'_> {
    Computed(Side {
        affinity: Affinity::None,
        ..Computed::from(value).0
    })
}

/// `:lower`, for ASCII letters.
pub fn lower<'a>(value: impl Into<Computed<'a>>) -> Computed<'a> {
    let side = value.into().0;
    let operand = side.text().map_or(Operand::Null, |text| {
        Operand::Text(Cow::Owned(text.to_ascii_lowercase()))
    });
    Computed(Side {
        operand,
        affinity: Affinity::None,
        source: side.source,
    })
}

/// `:each` of a single value: that value, without the column's type.
pub fn single<'a>(value: impl Into<Computed<'a>>) -> Computed<'a> {
    let side = value.into().0;
    Computed(Side {
        affinity: Affinity::None,
        ..side
    })
}

/// `:length`: the number of items of a list; of a single value 0 or 1.
pub fn length(value: ValueRef<'_>) -> Computed<'_> {
    let count = match value {
        ValueRef::List(list) => json::items(list).len(),
        ValueRef::Null => 0,
        ValueRef::Text(text) => usize::from(!text.is_empty()),
        ValueRef::Number(_) | ValueRef::Bool(_) | ValueRef::Json(_) => 1,
    };
    let count = i64::try_from(count).unwrap_or(i64::MAX);
    Computed(Side::column(Operand::Integer(count), Affinity::None))
}

/// A place inside a json field; NULL where there is none, and in any other value.
pub fn json_path<'a>(value: ValueRef<'a>, path: &[&str]) -> Computed<'a> {
    let operand = match value {
        ValueRef::Json(json) => json::extract(json, path),
        _ => Operand::Null,
    };
    Computed(Side::strict(operand, Affinity::None))
}

/// Does some item satisfy the condition? A single value is its own only item, even if empty.
pub fn each(value: ValueRef<'_>, mut condition: impl FnMut(Item<'_>) -> bool) -> bool {
    match value {
        ValueRef::List(list) => json::items(list).iter().any(|item| condition(Item(item))),
        ValueRef::Text(text) => condition(Item(text)),
        ValueRef::Null | ValueRef::Number(_) | ValueRef::Bool(_) | ValueRef::Json(_) => false,
    }
}

/// Is there a record of `C` that `value` points to and that satisfies the condition?
pub fn related<C: Collection>(
    conn: &mut Conn,
    value: ValueRef<'_>,
    condition: Predicate<C::Table>,
) -> QueryResult<bool> {
    if is_empty(value) {
        return Ok(false);
    }
    let Some(Column::Text(id)) = C::column(0) else {
        return Ok(false);
    };
    let pointed: Pred<C::Table> = match value {
        ValueRef::Text(target) => Box::new(id.eq(target.to_owned())),
        ValueRef::List(list) => among(id, list.to_owned()),
        _ => return Ok(false),
    };
    match predicate::all([Predicate::When(pointed), condition]) {
        Predicate::Never => Ok(false),
        Predicate::Always => Ok(true),
        Predicate::When(pred) => Ok(C::count(Permit::grant(conn), Some(pred))? > 0),
    }
}

/// Some value of `given` has the outcome; for the peer's match-all, none has the opposite one.
pub(crate) fn quantified(
    given: &Given,
    when: Truth,
    outcome: impl Fn(&Side<'_>) -> Option<bool>,
) -> bool {
    let wanted = when == Truth::True;
    let sides = given.sides();
    let some = sides.iter().any(|side| outcome(side) == Some(wanted));
    let all = given.quantifier() == Quantifier::All;
    some && !(all && sides.iter().any(|side| outcome(side) == Some(!wanted)))
}
