//! Pieces of SQL that Diesel has no expression for, with typed binds. Free of the table, so that
//! the work on conditions is compiled once and not for every collection.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::marker::PhantomData;
use std::sync::{Mutex, PoisonError};

use diesel::backend::Backend;
use diesel::expression::{
    AppearsOnTable, Expression, SelectableExpression, TypedExpressionType, ValidGrouping,
    is_aggregate,
};
use diesel::query_builder::{AstPass, QueryBuilder, QueryFragment};
use diesel::result::QueryResult;
use diesel::sql_types::{BigInt, Double, Text};

use super::{Boxed, Db};

/// An expression whose table and type are forgotten.
pub(crate) type Part = Box<dyn QueryFragment<Db> + Send>;

/// One element of a fragment.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Piece {
    /// Fixed SQL text.
    Sql(&'static str),
    /// The name of a table or column.
    Name(&'static str),
    /// A name that is made at run time.
    Named(String),
    /// A name for one table of a sub-select, by number.
    Alias(usize),
    /// A name for the join table, or the list, that leads to the table with the same number.
    Between(usize),
    /// One of the fragment's parts; may occur more than once.
    Part(usize),
    /// A text that is bound.
    Text(String),
    /// A number that is bound.
    Number(f64),
    /// A whole number that is bound as such.
    Integer(i64),
    /// Fails the query with this message.
    Broken(String),
    /// Keeps the statement out of the connection's cache.
    Volatile,
}

/// SQL text, parts and binds in order.
pub(crate) struct Fragment {
    /// What [`Piece::Part`] refers to.
    pub parts: Vec<Part>,
    /// The elements.
    pub pieces: Vec<Piece>,
}

impl QueryFragment<Db> for Fragment {
    fn walk_ast<'b>(&'b self, mut pass: AstPass<'_, 'b, Db>) -> QueryResult<()> {
        for piece in &self.pieces {
            match piece {
                Piece::Sql(text) => pass.push_sql(text),
                Piece::Name(name) => pass.push_identifier(name)?,
                Piece::Named(name) => pass.push_identifier(name)?,
                Piece::Alias(number) => pass.push_identifier(&format!("_r{number}"))?,
                Piece::Between(number) => pass.push_identifier(&format!("_l{number}"))?,
                Piece::Part(index) => {
                    if let Some(part) = self.parts.get(*index) {
                        part.walk_ast(pass.reborrow())?;
                    }
                }
                Piece::Text(text) => pass.push_bind_param::<Text, _>(text)?,
                Piece::Number(number) => pass.push_bind_param::<Double, _>(number)?,
                Piece::Integer(number) => pass.push_bind_param::<BigInt, _>(number)?,
                Piece::Volatile => pass.unsafe_to_cache_prepared(),
                Piece::Broken(message) => {
                    return Err(diesel::result::Error::QueryBuilderError(
                        message.clone().into(),
                    ));
                }
            }
        }
        Ok(())
    }
}

impl Fragment {
    /// States that this is an expression of type `S` over rows of `T`.
    pub(crate) fn typed<T, S>(self) -> Boxed<T, S>
    where
        T: 'static,
        S: TypedExpressionType + 'static,
    {
        Box::new(Typed {
            fragment: self,
            marker: PhantomData,
        })
    }
}

/// The forms of SQL that clients ask for. A connection keeps every statement that it has prepared, so
/// only so many forms may be kept, those that are asked for again and again; the others are prepared
/// each time. What isn't asked for any more makes room for others: its statements go when the
/// connection has too many (`storage/statements.rs`).
pub(crate) struct Shapes {
    forms: Mutex<Forms>,
    limit: usize,
}

struct Forms {
    /// Those that are kept; was it asked for lately?
    kept: BTreeMap<u64, bool>,
    /// How often the others were asked for lately.
    asked: BTreeMap<u64, u8>,
    /// How often that was in all.
    times: usize,
}

/// What is asked for so often is kept.
const OFTEN: u8 = 3;

/// "Lately" ends when others were asked for so often, for each form that may be kept.
const LATELY: usize = 32;

impl Shapes {
    pub(crate) const fn new(limit: usize) -> Self {
        Shapes {
            forms: Mutex::new(Forms {
                kept: BTreeMap::new(),
                asked: BTreeMap::new(),
                times: 0,
            }),
            limit,
        }
    }

    /// Marks an expression whose form is one too many.
    pub(crate) fn admit<T, S>(&self, shape: impl Hash, expression: Boxed<T, S>) -> Boxed<T, S>
    where
        T: 'static,
        S: TypedExpressionType + 'static,
    {
        if self.knows(shape) {
            return expression;
        }
        let fragment = Fragment {
            parts: vec![expression],
            pieces: vec![Piece::Volatile, Piece::Part(0)],
        };
        fragment.typed()
    }

    /// Is this form one that is kept? Counts as asking for it.
    pub(crate) fn knows(&self, shape: impl Hash) -> bool {
        let mut hasher = DefaultHasher::new();
        shape.hash(&mut hasher);
        let shape = hasher.finish();
        let mut forms = self.forms.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(used) = forms.kept.get_mut(&shape) {
            *used = true;
            return true;
        }
        if forms.times >= self.limit * LATELY {
            forms.times = 0;
            forms.asked.clear();
            forms.kept.retain(|_, used| std::mem::take(used));
        }
        forms.times += 1;
        let full = forms.kept.len() >= self.limit;
        let times = forms.asked.entry(shape).or_insert(0);
        *times = times.saturating_add(1);
        let often = *times >= OFTEN && !full;
        if often {
            forms.asked.remove(&shape);
            forms.kept.insert(shape, true);
        }
        often
    }
}

/// The SQL text, without the values.
pub(crate) fn sql(fragment: &dyn QueryFragment<Db>) -> QueryResult<String> {
    let mut builder = <Db as Backend>::QueryBuilder::default();
    fragment.to_sql(&mut builder, &Db::default())?;
    Ok(builder.finish())
}

/// A fragment with its table and type.
struct Typed<T, S> {
    fragment: Fragment,
    marker: PhantomData<fn() -> (T, S)>,
}

impl<T, S: TypedExpressionType> Expression for Typed<T, S> {
    type SqlType = S;
}

impl<T, S> AppearsOnTable<T> for Typed<T, S> where Self: Expression {}
impl<T, S> SelectableExpression<T> for Typed<T, S> where Self: AppearsOnTable<T> {}

impl<T, S, GB> ValidGrouping<GB> for Typed<T, S> {
    type IsAggregate = is_aggregate::No;
}

impl<T, S, DB> QueryFragment<DB> for Typed<T, S>
where
    DB: Backend,
    Fragment: QueryFragment<DB>,
{
    fn walk_ast<'b>(&'b self, pass: AstPass<'_, 'b, DB>) -> QueryResult<()> {
        self.fragment.walk_ast(pass)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked_for_once_takes_no_place() {
        let shapes = Shapes::new(2);
        for shape in 0..10_000 {
            assert!(!shapes.knows(shape));
        }
        let asked = |shape| (0..4).map(|_| shapes.knows(shape)).collect::<Vec<_>>();
        assert_eq!(asked(20_000), [false, false, true, true]);
        assert_eq!(asked(20_001), [false, false, true, true]);
        assert_eq!(asked(20_002), [false; 4]);
        assert_eq!(asked(20_001), [true; 4]);
        let counted = shapes.forms.lock().map(|forms| forms.asked.len());
        assert!(counted.is_ok_and(|counted| counted <= 2 * LATELY));
    }

    #[test]
    fn what_is_asked_no_more_makes_room() {
        let shapes = Shapes::new(2);
        let often = |shape| (0..3).map(|_| shapes.knows(shape)).last();
        assert_eq!(
            (often(1), often(2), often(3)),
            (Some(true), Some(true), Some(false))
        );
        for round in 0..4 * LATELY {
            // Whoever asks for many others doesn't take the place of what is in use.
            assert!(shapes.knows(1));
            shapes.knows(1000 + round);
        }
        assert_eq!(often(4), Some(true));
        assert!(shapes.knows(1) && shapes.knows(4) && !shapes.knows(2));
        let kept = shapes.forms.lock().map(|forms| forms.kept.len());
        assert!(kept.is_ok_and(|kept| kept == 2));
    }
}
