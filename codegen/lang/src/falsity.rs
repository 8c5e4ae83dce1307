//! When a value out of several counts as FALSE beside a single one. Looking at every value, the live
//! server compares with the single side as if that were a plain value: it forgets that NULL of json
//! and of distances equals only NULL, and that NULL of a time equals the empty text.

use crate::join::Joins;
use crate::plan::{Column, Op, Origin, Plan, Truth, Value};
use crate::schema::FieldId;
use crate::simplify::constant;
use crate::typed::{Call, Node, Path, Step};

/// What the single side is taken for.
enum Taken {
    /// A value that is not NULL: then `=` with NULL is neither TRUE nor FALSE.
    Value,
    /// A column, whose NULL equals the empty text.
    Column,
}

/// The plan for "this value of `many` gives FALSE", where `plain` is what the comparison alone says.
/// `columns` are the two sides.
pub(crate) fn beside_one(
    plain: Plan,
    op: Op,
    (many, one): (&Node, &Node),
    columns: (&Column, &Column),
    joins: &mut Joins,
) -> Plan {
    let Node::Path(path) = many else { return plain };
    let Some(taken) = taken(one).filter(|_| !path.strict) else {
        return plain;
    };
    let (several, single) = columns;
    let known = differs(single, Value::Null);
    let empty = |column| is(column, Value::Text(String::new()));
    match (taken, op) {
        (Taken::Value, Op::Equal) => Plan::all([plain, known, found(path, joins, true)]),
        (Taken::Value, Op::NotEqual) => {
            let both = Plan::any([known, found(path, joins, false)]);
            Plan::all([plain, both])
        }
        (Taken::Column, Op::Equal) => {
            let filled = Plan::all([known, differs(single, Value::Text(String::new()))]);
            let either = Plan::any([differs(several, Value::Text(String::new())), filled]);
            Plan::all([plain, either])
        }
        (Taken::Column, Op::NotEqual) => {
            let nothing = Plan::any([is(single, Value::Null), empty(single)]);
            Plan::any([plain, Plan::all([empty(several), nothing])])
        }
        _ => plain,
    }
}

fn taken(one: &Node) -> Option<Taken> {
    match one {
        Node::Path(path) => path.strict.then_some(Taken::Column),
        Node::Call(call) => Some(if is_known(call) {
            Taken::Value
        } else {
            Taken::Column
        }),
        Node::Value(_) | Node::Changed { .. } | Node::Caller(_) | Node::Submitted(_) => None,
    }
}

/// Does the live server think that it can't be NULL? It does if values are bound to the statement,
/// of which none is the empty text: the format and the modifiers of a time always are.
fn is_known(call: &Call) -> bool {
    let empty = |node: &Node| matches!(node, Node::Value(Value::Text(text)) if text.is_empty());
    match call {
        Call::Distance(nodes) => nodes.iter().any(is_bound),
        Call::Time {
            format,
            time,
            modifiers,
        } => {
            let given = !time.as_deref().is_some_and(empty);
            given && !format.is_empty() && !modifiers.iter().any(String::is_empty)
        }
    }
}

/// Does the live server bind it to the statement, rather than writing it out?
fn is_bound(argument: &Node) -> bool {
    !matches!(
        argument,
        Node::Path(_) | Node::Value(Value::Null | Value::Bool(_))
    )
}

/// The row, or the item, where the path ends is there, or it isn't.
fn found(path: &Path, joins: &mut Joins, wanted: bool) -> Plan {
    if matches!(path.column, Column::Length(_)) {
        // A missing row has no items, which is a number as well.
        return constant(wanted);
    }
    let items = matches!(path.hops.last().map(|hop| hop.step), Some(Step::Items));
    let value = if items {
        Column::Item
    } else {
        Column::Field(FieldId(0))
    };
    let column = match joins.origin(&path.root, &path.hops) {
        Origin::Row => value,
        Origin::Joined(row) => Column::Of(row, Box::new(value)),
    };
    // Neither an id nor an item is empty.
    if wanted {
        differs(&column, Value::Null)
    } else {
        is(&column, Value::Null)
    }
}

fn is(column: &Column, value: Value) -> Plan {
    test(column, Op::Equal, value)
}

fn differs(column: &Column, value: Value) -> Plan {
    test(column, Op::NotEqual, value)
}

fn test(column: &Column, op: Op, value: Value) -> Plan {
    Plan::Test {
        column: column.clone(),
        op,
        value,
        when: Truth::True,
    }
}
