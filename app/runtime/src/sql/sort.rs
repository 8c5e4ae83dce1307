//! The order that a client's `sort` was compiled to.

use basalt_lang::{SortBy, SortKey};

use super::Order;
use super::filter::column;
use super::fragment::{Fragment, Part, Piece, Shapes};
use crate::collection::Collection;

/// Forms of sorts whose statements are kept.
static SHAPES: Shapes = Shapes::new(16);

/// The `ORDER BY` terms of some sort keys; `None` if one of them doesn't fit the collection.
pub fn orders<C: Collection>(keys: &[SortKey]) -> Option<Vec<Order<C::Table>>> {
    let mut orders = Vec::with_capacity(keys.len());
    for key in keys {
        let order = order::<C>(key)?;
        orders.push(if orders.is_empty() {
            // A term that is not kept keeps the whole statement out.
            SHAPES.admit((C::META.name, format!("{keys:?}")), order)
        } else {
            order
        });
    }
    Some(orders)
}

fn order<C: Collection>(key: &SortKey) -> Option<Order<C::Table>> {
    Some(match &key.by {
        SortBy::RowId => C::rowid(key.descending),
        SortBy::Random => term("random()", Vec::new(), key.descending),
        SortBy::Column(name) => {
            let (_, part) = column::<C>(name)?.erase();
            term("", vec![part], key.descending)
        }
        // Reading another record's column while sorting needs a sub-select that no collection has.
        SortBy::Path { .. } => return None,
    })
}

fn term<T: 'static>(text: &'static str, parts: Vec<Part>, descending: bool) -> Order<T> {
    let direction = if descending { " DESC" } else { " ASC" };
    let pieces = vec![Piece::Sql(text), Piece::Part(0), Piece::Sql(direction)];
    Fragment { parts, pieces }.typed()
}
