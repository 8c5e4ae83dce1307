//! The typed form to the plan: what a rule means, free of three-valued logic.
//!
//! A rule holds of a row if there is a choice of related rows under which it is TRUE. `||` splits
//! that question; `&&` splits it where the sides share no multi-valued path. Sides that do share
//! one are brought to alternatives of plain conjunctions, and bound together then by nested plans.
//! What those can't say, or only by repeating more than a few comparisons, becomes joined rows, which
//! say each comparison once: so a plan grows as its text does.

use crate::cases::{Case, cases};
use crate::condition::{Bound, exact, literal, of_row};
use crate::eval::compare;
use crate::join::Joins;
use crate::leaf::{Leaf, Rows, Way, quantify};
use crate::plan::{Op, Plan, Quantifier, Truth, Value};
use crate::simplify::constant;
use crate::typed::{Comparison, Expr, Node, Path};

/// How many comparisons `&&` over shared paths may be multiplied out to, beside twice as many as
/// there are.
const SPARE_COMPARISONS: usize = 64;

/// The plan.
pub(crate) fn lower(expr: &Expr) -> Plan {
    let mut guards = Vec::new();
    list_rules(expr, &mut guards);
    Tree::all([tree(expr)].into_iter().chain(guards)).plan()
}

/// The plan with every path as a join: what the shorter forms must agree with.
#[cfg(test)]
pub(crate) fn lower_to_joins(expr: &Expr) -> Plan {
    let mut guards = Vec::new();
    list_rules(expr, &mut guards);
    let tree = Tree::all([tree(expr)].into_iter().chain(guards));
    joined(&[&tree]).fold()
}

/// Every row that the path passes may be listed.
pub(crate) fn visible(path: &Path) -> Plan {
    let mut guards = Vec::new();
    path_rules(path, &mut guards);
    Tree::all(guards).plan().fold()
}

/// The expression with each comparison in its final form.
pub(crate) enum Tree {
    All(Vec<Tree>),
    Any(Vec<Tree>),
    Leaf(Leaf),
}

/// One condition for each way to a row with a list rule: every row that a client's path passes may
/// be listed by the client, whatever the comparison beside `||` comes to. The rows are those that
/// the comparisons are bound to; what the match-all part of a comparison looks at isn't asked.
fn list_rules(expr: &Expr, found: &mut Vec<Tree>) {
    let comparison = match expr {
        Expr::All(items) | Expr::Any(items) => {
            return items.iter().for_each(|item| list_rules(item, found));
        }
        Expr::Compare(comparison) => comparison,
    };
    for operand in [&comparison.left, &comparison.right] {
        operand
            .node
            .paths()
            .for_each(|path| path_rules(path, found));
    }
}

fn path_rules(path: &Path, found: &mut Vec<Tree>) {
    for (hops, target) in path.ruled() {
        let known = found
            .iter()
            .any(|tree| matches!(tree, Tree::Leaf(Leaf::Rows(rows)) if rows.asks_to_see(hops)));
        if !known {
            let rows = Box::new(Rows::visible(hops, target, path.links(hops.len())));
            found.push(Tree::Leaf(Leaf::Rows(rows)));
        }
    }
}

fn tree(expr: &Expr) -> Tree {
    match expr {
        Expr::All(items) => Tree::all(items.iter().map(tree)),
        Expr::Any(items) => Tree::any(items.iter().map(tree)),
        Expr::Compare(comparison) => {
            let Comparison {
                left,
                op,
                any,
                right,
                ..
            } = comparison.as_ref();
            compared(&left.node, *op, &right.node, *any)
        }
    }
}

fn compared(left: &Node, op: Op, right: &Node, any: bool) -> Tree {
    let Some(cases) = cases(left, right) else {
        return decided(left, op, right, any);
    };
    let cases = cases.into_iter().map(|Case { when, left, right }| {
        // What the case says comes first: without it the rest needn't be looked at.
        Tree::all([when, compared(&left, op, &right, any)])
    });
    Tree::any(cases)
}

/// Operands that are one thing each.
fn decided(left: &Node, op: Op, right: &Node, any: bool) -> Tree {
    let right = &unlowered(op, right);
    if let (Node::Value(left), Node::Value(right)) = (left, right) {
        let quantifier = if any {
            Quantifier::Some
        } else {
            Quantifier::All
        };
        return fixed(quantify(left, quantifier), op, quantify(right, quantifier));
    }
    rows(left, op, right, any)
}

/// The right side as the live server binds it: the pattern of `~` is made of what was sent, before it
/// is lowered, so that a number has its own text and not SQLite's (`5`, not `5.0`). Patterns match
/// letters of both cases anyhow. What comes from the caller's record is lowered first.
fn unlowered(op: Op, right: &Node) -> Node {
    match right {
        Node::Value(Value::Lower(sent))
            if matches!(op, Op::Like | Op::NotLike) && !matches!(**sent, Value::Auth(_)) =>
        {
            Node::Value((**sent).clone())
        }
        other => other.clone(),
    }
}

pub(crate) fn rows(left: &Node, op: Op, right: &Node, any: bool) -> Tree {
    Tree::Leaf(Leaf::Rows(Box::new(Rows::compared(left, op, right, any))))
}

/// Two values: decided now if both are written out.
pub(crate) fn fixed(left: Value, op: Op, right: Value) -> Tree {
    let plan = if let (Some(left), Some(right)) = (literal(&left), literal(&right)) {
        constant(compare(&left, op, &right) == Some(true))
    } else if !exact(op) && (left == Value::Null || right == Value::Null) {
        Plan::Never
    } else {
        Plan::Request {
            left,
            op,
            right,
            when: Truth::True,
        }
    };
    Tree::Leaf(Leaf::Fixed(plan))
}

impl Tree {
    /// All of them, without what is always true.
    pub(crate) fn all(items: impl IntoIterator<Item = Tree>) -> Tree {
        let mut flat = Vec::new();
        for item in items {
            match item {
                Tree::All(inner) => flat.extend(inner),
                Tree::Leaf(Leaf::Fixed(Plan::Always)) => {}
                Tree::Leaf(Leaf::Fixed(Plan::Never)) => return item,
                other => flat.push(other),
            }
        }
        match flat.len() {
            0 => Tree::Leaf(Leaf::Fixed(Plan::Always)),
            1 => flat.remove(0),
            _ => Tree::All(flat),
        }
    }

    /// One of them, without what is never true.
    pub(crate) fn any(items: impl IntoIterator<Item = Tree>) -> Tree {
        let mut flat = Vec::new();
        for item in items {
            match item {
                Tree::Any(inner) => flat.extend(inner),
                Tree::Leaf(Leaf::Fixed(Plan::Never)) => {}
                Tree::Leaf(Leaf::Fixed(Plan::Always)) => return item,
                other => flat.push(other),
            }
        }
        match flat.len() {
            0 => Tree::Leaf(Leaf::Fixed(Plan::Never)),
            1 => flat.remove(0),
            _ => Tree::Any(flat),
        }
    }

    fn plan(&self) -> Plan {
        match self {
            Tree::All(items) => conjunction(items),
            Tree::Any(items) => Plan::any(items.iter().map(Tree::plan)),
            Tree::Leaf(leaf) => bind(&[leaf]).unwrap_or_else(|| joined(&[self])),
        }
    }

    /// Its comparisons.
    fn leaves<'t>(&'t self, found: &mut Vec<&'t Leaf>) {
        match self {
            Tree::All(items) | Tree::Any(items) => items.iter().for_each(|item| item.leaves(found)),
            Tree::Leaf(leaf) => found.push(leaf),
        }
    }

    /// Where everything in it becomes multi-valued.
    fn shared(&self) -> Vec<&Way> {
        let mut leaves = Vec::new();
        self.leaves(&mut leaves);
        let rows = leaves.into_iter().filter_map(|leaf| match leaf {
            Leaf::Rows(rows) => Some(rows),
            Leaf::Fixed(_) => None,
        });
        rows.flat_map(|rows| &rows.shared).collect()
    }

    /// About joined rows.
    fn joined(&self, joins: &mut Joins) -> Plan {
        match self {
            Tree::All(items) => Plan::all(items.iter().map(|item| item.joined(joins))),
            Tree::Any(items) => Plan::any(items.iter().map(|item| item.joined(joins))),
            Tree::Leaf(Leaf::Fixed(plan)) => plan.clone(),
            Tree::Leaf(Leaf::Rows(rows)) => Plan::all([rows.joined(joins), rows.every.clone()]),
        }
    }
}

/// Leaves that hold together, nested: one row for each path that they share. `None` if one of
/// them has no nested form.
fn bind(leaves: &[&Leaf]) -> Option<Plan> {
    let mut parts = Vec::new();
    let mut bounds: Vec<Bound<'_>> = Vec::new();
    let mut everies = Vec::new();
    for leaf in leaves {
        match leaf {
            Leaf::Fixed(plan) => parts.push(plan.clone()),
            Leaf::Rows(rows) => {
                bounds.push(rows.nested.as_ref()?.bound(Truth::True));
                everies.push(rows.every.clone());
            }
        }
    }
    parts.push(of_row(&bounds)?);
    Some(Plan::all(parts.into_iter().chain(everies)))
}

/// Trees that hold together, of one choice of joined rows.
fn joined(items: &[&Tree]) -> Plan {
    let mut joins = Joins::default();
    let mut inner = Vec::new();
    let mut apart = Vec::new();
    for item in items {
        match item {
            // What no choice touches stays outside where it can.
            Tree::Leaf(Leaf::Rows(rows)) => {
                inner.push(rows.joined(&mut joins));
                apart.push(rows.every.clone());
            }
            other => inner.push(other.joined(&mut joins)),
        }
    }
    let bound = joins.plan(Plan::all(inner), true);
    Plan::all([bound].into_iter().chain(apart))
}

fn conjunction(items: &[Tree]) -> Plan {
    let mut plain = Vec::new();
    let mut parts = Vec::new();
    for component in components(items) {
        let leaves: Option<Vec<&Leaf>> = component
            .iter()
            .map(|item| match item {
                Tree::Leaf(leaf) => Some(leaf),
                _ => None,
            })
            .collect();
        match (leaves, component.as_slice()) {
            (Some(leaves), _) if bind(&leaves).is_some() => plain.extend(component),
            (None, [only]) => parts.push(only.plan()),
            (_, several) => parts.push(nested(several).unwrap_or_else(|| joined(several))),
        }
    }
    let plain = nested(&plain).unwrap_or_else(|| joined(&plain));
    Plan::all([plain].into_iter().chain(parts))
}

/// Trees that hold together, as alternatives of nested plans.
fn nested(items: &[&Tree]) -> Option<Plan> {
    let mut leaves = Vec::new();
    items.iter().for_each(|item| item.leaves(&mut leaves));
    let most = 2 * leaves.len() + SPARE_COMPARISONS;
    let size = Size::of_all(items.iter().copied());
    if size.leaves > most || size.alternatives > most {
        return None;
    }
    let alternatives = multiply(items.iter().copied());
    let plans: Option<Vec<Plan>> = alternatives.iter().map(|leaves| bind(leaves)).collect();
    Some(Plan::any(plans?))
}

/// Splits the items of a conjunction into groups that share no multi-valued path.
fn components(items: &[Tree]) -> Vec<Vec<&Tree>> {
    let mut groups: Vec<(Vec<&Tree>, Vec<&Way>)> = Vec::new();
    for item in items {
        let mut ways = item.shared();
        let (linked, apart): (Vec<_>, Vec<_>) = groups
            .into_iter()
            .partition(|(_, known)| known.iter().any(|way| ways.contains(way)));
        let mut members = Vec::new();
        for (group, known) in linked {
            members.extend(group);
            ways.extend(known);
        }
        members.push(item);
        groups = apart;
        groups.push((members, ways));
    }
    groups.into_iter().map(|(members, _)| members).collect()
}

/// What multiplying out comes to.
#[derive(Clone, Copy)]
struct Size {
    alternatives: usize,
    /// In all alternatives together.
    leaves: usize,
}

impl Size {
    fn of(tree: &Tree) -> Self {
        match tree {
            Tree::Leaf(_) => Self {
                alternatives: 1,
                leaves: 1,
            },
            Tree::All(items) => Self::of_all(items),
            Tree::Any(items) => items.iter().map(Self::of).fold(
                Self {
                    alternatives: 0,
                    leaves: 0,
                },
                |sum, item| Self {
                    alternatives: sum.alternatives.saturating_add(item.alternatives),
                    leaves: sum.leaves.saturating_add(item.leaves),
                },
            ),
        }
    }

    fn of_all<'t>(items: impl IntoIterator<Item = &'t Tree>) -> Self {
        let none = Self {
            alternatives: 1,
            leaves: 0,
        };
        items.into_iter().map(Self::of).fold(none, |done, item| {
            let repeated = |one: Self, other: Self| one.leaves.saturating_mul(other.alternatives);
            Self {
                alternatives: done.alternatives.saturating_mul(item.alternatives),
                leaves: repeated(done, item).saturating_add(repeated(item, done)),
            }
        })
    }
}

/// Alternatives of plain conjunctions.
fn multiply<'t>(items: impl IntoIterator<Item = &'t Tree>) -> Vec<Vec<&'t Leaf>> {
    let mut product: Vec<Vec<&Leaf>> = vec![Vec::new()];
    for item in items {
        let alternatives = alternatives(item);
        product = product
            .iter()
            .flat_map(|leaves| {
                alternatives
                    .iter()
                    .map(|more| leaves.iter().chain(more).copied().collect())
            })
            .collect();
    }
    product
}

fn alternatives(tree: &Tree) -> Vec<Vec<&Leaf>> {
    match tree {
        Tree::Leaf(leaf) => vec![vec![leaf]],
        Tree::All(items) => multiply(items),
        Tree::Any(items) => items.iter().flat_map(alternatives).collect(),
    }
}
