//! The typed form to the plan: what a rule means, free of joins and of three-valued logic.
//!
//! A rule holds of a row if there is a choice of related rows under which it is TRUE. `||` splits
//! that question; `&&` splits it where the sides share no multi-valued path. Sides that do share
//! one are brought to alternatives of plain conjunctions first, and bound together then.

use crate::condition::{Condition, Test, exact, literal, of_row};
use crate::error::{Code, Error};
use crate::eval::compare;
use crate::parser::MAX_COMPARISONS;
use crate::path::unsupported;
use crate::plan::{Op, Plan, Quantifier, Truth, Value};
use crate::simplify::constant;
use crate::span::Span;
use crate::typed::{Comparison, Expr, Hop, Node, Path};

/// The most alternatives that `&&` over shared paths may be multiplied out to.
const MAX_ALTERNATIVES: usize = 64;

/// The plan, or everything that can't be compiled.
pub(crate) fn lower(expr: &Expr) -> Result<Plan, Vec<Error>> {
    let mut errors = Vec::new();
    let plan = prepare(expr, &mut errors);
    match plan {
        Some(tree) if errors.is_empty() => {
            let tree = tree.guarded(expr);
            tree.plan().map_err(|error| vec![error])
        }
        _ => Err(errors),
    }
}

/// The expression with each comparison in its final form.
enum Tree {
    All(Vec<Tree>),
    Any(Vec<Tree>),
    Leaf(Leaf),
}

impl Tree {
    /// The tree, and every row that a client's path passes may be listed by the client: whatever
    /// the comparison beside `||` comes to. The rows are those that the comparisons are bound to;
    /// what the match-all part of a comparison looks at isn't asked.
    fn guarded(self, expr: &Expr) -> Tree {
        let mut guards = Vec::new();
        list_rules(expr, &mut guards);
        if guards.is_empty() {
            return self;
        }
        let mut items = match self {
            Tree::All(items) => items,
            other => vec![other],
        };
        items.extend(guards.into_iter().map(|condition| {
            let every = Plan::Always;
            Tree::Leaf(Leaf::Rows { condition, every })
        }));
        Tree::All(items)
    }
}

/// Every row that the path passes may be listed.
pub(crate) fn visible(path: &Path, span: Span) -> Result<Plan, Error> {
    let mut guards = Vec::new();
    path_rules(path, span, &mut guards);
    let bounds: Vec<_> = guards.iter().map(|it| it.bound(Truth::True)).collect();
    of_row(&bounds).map(Plan::fold)
}

/// One condition for each way to a row with a list rule.
fn list_rules(expr: &Expr, found: &mut Vec<Condition>) {
    let comparison = match expr {
        Expr::All(items) | Expr::Any(items) => {
            return items.iter().for_each(|item| list_rules(item, found));
        }
        Expr::Compare(comparison) => comparison,
    };
    for operand in [&comparison.left, &comparison.right] {
        if let Node::Path(path) = &operand.node {
            path_rules(path, operand.span, found);
        }
    }
}

fn path_rules(path: &Path, span: Span, found: &mut Vec<Condition>) {
    for (hops, target) in path.ruled() {
        if !found.iter().any(|known| known.hops == hops) {
            found.push(Condition {
                hops: hops.to_vec(),
                test: Test::Visible(target),
                guard: None,
                span,
            });
        }
    }
}

enum Leaf {
    /// About the request alone.
    Fixed(Plan),
    /// About rows; `every` is the part of match-all that no binding touches: no value gives FALSE.
    Rows { condition: Condition, every: Plan },
}

fn prepare(expr: &Expr, errors: &mut Vec<Error>) -> Option<Tree> {
    let mut each = |items: &[Expr]| -> Option<Vec<Tree>> {
        let items: Vec<Option<Tree>> = items.iter().map(|item| prepare(item, errors)).collect();
        items.into_iter().collect()
    };
    match expr {
        Expr::All(items) => each(items).map(Tree::All),
        Expr::Any(items) => each(items).map(Tree::Any),
        Expr::Compare(comparison) => match compared(comparison) {
            Ok(tree) => Some(tree),
            Err(error) => {
                errors.push(error);
                None
            }
        },
    }
}

fn compared(comparison: &Comparison) -> Result<Tree, Error> {
    let op = comparison.op;
    let (path, test) = match (&comparison.left.node, &comparison.right.node) {
        (Node::Changed { field, sent }, other) => {
            return changed(comparison, field, sent, other, comparison.left.span);
        }
        (other, Node::Changed { field, sent }) => {
            return changed(comparison, field, sent, other, comparison.right.span);
        }
        (Node::Value(left), Node::Value(right)) => {
            let quantifier = if comparison.any {
                Quantifier::Some
            } else {
                Quantifier::All
            };
            let left = quantify(left, quantifier);
            let plan = fixed(left, op, quantify(right, quantifier));
            return Ok(Tree::Leaf(Leaf::Fixed(plan)));
        }
        (Node::Path(path), Node::Value(value)) => (path, column(path, op, value, comparison.any)),
        (Node::Value(value), Node::Path(path)) if exact(op) || op.mirrored() != op => {
            (path, column(path, op.mirrored(), value, comparison.any))
        }
        (Node::Value(value), Node::Path(path)) => {
            let value = quantify(value, quantifier(path, comparison.any));
            (
                path,
                Test::Within {
                    value,
                    op,
                    column: path.column.clone(),
                },
            )
        }
        (Node::Path(left), Node::Path(right)) => {
            return columns(comparison, left, right).map(Tree::Leaf);
        }
    };
    rows(comparison, path, test).map(Tree::Leaf)
}

/// `:changed`, written out: the body field was sent, and it differs from the row's own field.
fn changed(
    comparison: &Comparison,
    field: &Path,
    sent: &Value,
    other: &Node,
    span: Span,
) -> Result<Tree, Error> {
    let (Node::Value(Value::Bool(bool)), true) = (other, exact(comparison.op)) else {
        let message = "`:changed` can be compared only with `true` or `false`, by `=` or `!=`";
        return Err(unsupported(span, message));
    };
    let wanted = *bool == (comparison.op == Op::Equal);
    let is_sent = Leaf::Fixed(Plan::Request {
        left: Value::IsSet(Box::new(sent.clone())),
        op: Op::Equal,
        right: Value::Bool(wanted),
        when: Truth::True,
    });
    let op = if wanted { Op::NotEqual } else { Op::Equal };
    let differs = rows(comparison, field, column(field, op, sent, true))?;
    let parts = vec![Tree::Leaf(is_sent), Tree::Leaf(differs)];
    Ok(if wanted {
        Tree::All(parts)
    } else {
        Tree::Any(parts)
    })
}

fn rows(comparison: &Comparison, path: &Path, test: Test) -> Result<Leaf, Error> {
    let span = comparison.span;
    let condition = Condition {
        hops: path.hops.clone(),
        test,
        guard: path.guard,
        span,
    };
    if comparison.any || !path.is_multi() {
        return Ok(Leaf::Rows {
            condition,
            every: Plan::Always,
        });
    }
    let some_false = of_row(&[condition.bound(Truth::False)])?;
    let every = some_false.negate().ok_or_else(|| {
        unsupported(
            span,
            "this comparison of every value with the request is not compiled yet",
        )
        .with_help("with `?` before the operator, one value suffices")
    })?;
    Ok(Leaf::Rows { condition, every })
}

fn column(path: &Path, op: Op, value: &Value, any: bool) -> Test {
    let value = quantify(value, quantifier(path, any));
    Test::Column {
        column: path.column.clone(),
        strict: path.strict,
        op,
        value,
    }
}

/// Where the path is multi-valued itself, the pairs are looked at one by one.
fn quantifier(path: &Path, any: bool) -> Quantifier {
    if any || path.is_multi() {
        Quantifier::Some
    } else {
        Quantifier::All
    }
}

fn quantify(value: &Value, quantifier: Quantifier) -> Value {
    match value {
        Value::Each(inner, _) => Value::Each(inner.clone(), quantifier),
        other => other.clone(),
    }
}

/// Two values: decided now if both are written out.
fn fixed(left: Value, op: Op, right: Value) -> Plan {
    if let (Some(left), Some(right)) = (literal(&left), literal(&right)) {
        return constant(compare(&left, op, &right) == Some(true));
    }
    Plan::Request {
        left,
        op,
        right,
        when: Truth::True,
    }
}

/// Two columns: of one row only.
fn columns(comparison: &Comparison, left: &Path, right: &Path) -> Result<Leaf, Error> {
    let span = comparison.span;
    if left.hops != right.hops {
        let message = "comparing fields of different records is not compiled yet";
        return Err(unsupported(span, message));
    }
    if left.is_multi() && !comparison.any {
        let message = "comparing all pairs of a path with several values is not compiled yet";
        return Err(unsupported(span, message)
            .with_help("with `?` before the operator, both sides are of the same record"));
    }
    let test = Test::Columns {
        left: left.column.clone(),
        op: comparison.op,
        right: right.column.clone(),
        strict: left.strict || right.strict,
    };
    let guard = left.guard.or(right.guard);
    let condition = Condition {
        hops: left.hops.clone(),
        test,
        guard,
        span,
    };
    Ok(Leaf::Rows {
        condition,
        every: Plan::Always,
    })
}

impl Tree {
    fn plan(&self) -> Result<Plan, Error> {
        match self {
            Tree::All(items) => conjunction(items),
            Tree::Any(items) => {
                let items: Result<Vec<Plan>, Error> = items.iter().map(Tree::plan).collect();
                Ok(Plan::any(items?))
            }
            Tree::Leaf(leaf) => bind(&[leaf]),
        }
    }

    /// The outermost multi-valued paths of everything in it.
    fn shared<'t>(&'t self, found: &mut Vec<&'t [Hop]>) {
        match self {
            Tree::All(items) | Tree::Any(items) => items.iter().for_each(|item| item.shared(found)),
            Tree::Leaf(Leaf::Rows { condition, .. }) => found.extend(condition.outermost()),
            Tree::Leaf(Leaf::Fixed(_)) => {}
        }
    }
}

/// Leaves that hold together: one row for each path that they share.
fn bind(leaves: &[&Leaf]) -> Result<Plan, Error> {
    let mut parts = Vec::new();
    let mut bounds = Vec::new();
    let mut everies = Vec::new();
    for leaf in leaves {
        match leaf {
            Leaf::Fixed(plan) => parts.push(plan.clone()),
            Leaf::Rows { condition, every } => {
                bounds.push(condition.bound(Truth::True));
                everies.push(every.clone());
            }
        }
    }
    parts.push(of_row(&bounds)?);
    Ok(Plan::all(parts.into_iter().chain(everies)))
}

fn conjunction(items: &[Tree]) -> Result<Plan, Error> {
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
            (Some(leaves), _) => plain.extend(leaves),
            (None, [only]) => parts.push(only.plan()?),
            (None, several) => {
                let alternatives = multiply(several)?;
                let plans: Result<Vec<Plan>, Error> =
                    alternatives.iter().map(|leaves| bind(leaves)).collect();
                parts.push(Plan::any(plans?));
            }
        }
    }
    let plain = bind(&plain)?;
    Ok(Plan::all([plain].into_iter().chain(parts)))
}

/// Splits the items of a conjunction into groups that share no multi-valued path.
fn components(items: &[Tree]) -> Vec<Vec<&Tree>> {
    let mut groups: Vec<(Vec<&Tree>, Vec<&[Hop]>)> = Vec::new();
    for item in items {
        let mut paths = Vec::new();
        item.shared(&mut paths);
        let (linked, apart): (Vec<_>, Vec<_>) = groups
            .into_iter()
            .partition(|(_, known)| known.iter().any(|path| paths.contains(path)));
        let mut members = Vec::new();
        for (group, known) in linked {
            members.extend(group);
            paths.extend(known);
        }
        members.push(item);
        groups = apart;
        groups.push((members, paths));
    }
    groups.into_iter().map(|(members, _)| members).collect()
}

/// Alternatives of plain conjunctions.
fn multiply<'t>(items: &[&'t Tree]) -> Result<Vec<Vec<&'t Leaf>>, Error> {
    let mut product: Vec<Vec<&Leaf>> = vec![Vec::new()];
    for item in items {
        let alternatives = alternatives(item)?;
        let multiplied = product.len() > 1 && alternatives.len() > 1;
        if multiplied && product.len() * alternatives.len() > MAX_ALTERNATIVES {
            return Err(too_many(item));
        }
        product = product
            .iter()
            .flat_map(|leaves| {
                alternatives
                    .iter()
                    .map(|more| leaves.iter().chain(more).copied().collect())
            })
            .collect();
    }
    Ok(product)
}

fn alternatives(tree: &Tree) -> Result<Vec<Vec<&Leaf>>, Error> {
    match tree {
        Tree::Leaf(leaf) => Ok(vec![vec![leaf]]),
        Tree::All(items) => multiply(&items.iter().collect::<Vec<_>>()),
        Tree::Any(items) => {
            let mut found = Vec::new();
            for item in items {
                found.extend(alternatives(item)?);
                if found.len() > MAX_COMPARISONS {
                    return Err(too_many(item));
                }
            }
            Ok(found)
        }
    }
}

fn too_many(tree: &Tree) -> Error {
    let message = format!(
        "conditions on the same related records combine to more than {MAX_ALTERNATIVES} cases"
    );
    Error::new(
        Code::TooComplex,
        tree.span(),
        message,
        "too many `||` beside this path",
    )
    .with_help("split the rule, or test fewer alternatives on one path")
}

impl Tree {
    fn span(&self) -> Span {
        match self {
            Tree::Leaf(Leaf::Rows { condition, .. }) => condition.span,
            Tree::Leaf(Leaf::Fixed(_)) => Span::default(),
            Tree::All(items) | Tree::Any(items) => items
                .iter()
                .map(Tree::span)
                .find(|span| *span != Span::default())
                .unwrap_or_default(),
        }
    }
}
