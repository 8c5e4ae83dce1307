//! One comparison of a rule about rows, in its two forms: nested conditions along the row's own
//! relations, and joined rows for all the rest.

use crate::condition::{Condition, Term, Test, of_row};
use crate::falsity::beside_one;
use crate::join::{Joins, readable, row};
use crate::plan::{Column, Op, Plan, Quantifier, Truth, Value};
use crate::schema::CollectionId;
use crate::typed::{Call, Guard, Guarded, Hop, Node, Path, Root};

/// A comparison of a rule.
pub(crate) enum Leaf {
    /// About the request alone.
    Fixed(Plan),
    /// About rows.
    Rows(Box<Rows>),
}

/// A comparison about rows.
pub(crate) struct Rows {
    asked: Asked,
    /// The nested form of its TRUE part.
    pub nested: Option<Condition>,
    /// The part of match-all that no choice of rows touches: no value gives FALSE. It is about
    /// the row itself.
    pub every: Plan,
    /// The beginnings of its paths up to where they become multi-valued: comparisons with the
    /// same one look at the same row.
    pub shared: Vec<Way>,
}

/// The beginning of a path.
pub(crate) type Way = (Root, Vec<Hop>);

enum Asked {
    Compared(Box<Sides>),
    /// The row may be listed by the caller, or one of the relations that lead to it may not be read.
    Visible(Vec<Hop>, CollectionId, Vec<Guard>),
}

/// Values, paths and functions; at least one side is no value.
struct Sides {
    left: Node,
    op: Op,
    right: Node,
}

impl Rows {
    /// A comparison; `any` if one value suffices.
    pub(crate) fn compared(left: &Node, op: Op, right: &Node, any: bool) -> Self {
        let multi = left.is_multi() || right.is_multi();
        // Where a path is multi-valued itself, the pairs are looked at one by one.
        let quantifier = if any || multi {
            Quantifier::Some
        } else {
            Quantifier::All
        };
        let sides = Sides {
            left: typed(quantified(left, quantifier), right),
            op,
            right: typed(quantified(right, quantifier), left),
        };
        let nested = sides.nested();
        let every = if any || !multi {
            Plan::Always
        } else {
            sides.every(nested.as_ref())
        };
        let paths = [left, right].into_iter().flat_map(Node::paths);
        let shared = paths.filter_map(outermost).collect();
        Self {
            asked: Asked::Compared(Box::new(sides)),
            nested,
            every,
            shared,
        }
    }

    /// The row behind these hops may be listed, as far as the caller may read the relations among
    /// them that have rules (`links`).
    pub(crate) fn visible(hops: &[Hop], collection: CollectionId, links: Vec<Guard>) -> Self {
        let forward = hops.iter().all(|hop| hop.is_forward());
        let nested = forward.then(|| Condition {
            hops: hops.to_vec(),
            test: Test::Visible(collection),
            guards: Vec::new(),
            links: links.clone(),
        });
        Self {
            asked: Asked::Visible(hops.to_vec(), collection, links),
            nested,
            every: Plan::Always,
            shared: up_to_multi(&Root::Row, hops).into_iter().collect(),
        }
    }

    /// Is it about being allowed to list the row behind these hops?
    pub(crate) fn asks_to_see(&self, hops: &[Hop]) -> bool {
        matches!(&self.asked, Asked::Visible(known, ..) if known == hops)
    }

    /// Its TRUE part about joined rows.
    pub(crate) fn joined(&self, joins: &mut Joins) -> Plan {
        match &self.asked {
            Asked::Compared(sides) => {
                let left = joins.term(&sides.left);
                let right = joins.term(&sides.right);
                sides.plan(left, right, joins, Truth::True)
            }
            Asked::Visible(hops, collection, links) => {
                let visible = Plan::Visible {
                    collection: *collection,
                    row: row(joins.origin(&Root::Row, hops)),
                };
                let unseen = links.iter().filter_map(|link| match link.what {
                    Guarded::Readable { collection, field } => {
                        let from = joins.origin(&Root::Row, hops.get(..link.after)?);
                        Some(readable(collection, field, row(from), false))
                    }
                    Guarded::True(_) => None,
                });
                Plan::any([visible].into_iter().chain(unseen))
            }
        }
    }
}

impl Sides {
    fn plan(&self, left: Term, right: Term, joins: &mut Joins, when: Truth) -> Plan {
        let test = Test::new(left, self.op, right, false).here(when);
        let guards = [&self.left, &self.right]
            .into_iter()
            .flat_map(|node| joins.guards(node, when))
            .collect::<Vec<_>>();
        Plan::all([test].into_iter().chain(guards))
    }

    /// No value, of the left side paired with every one of the right side, gives FALSE.
    fn every(&self, nested: Option<&Condition>) -> Plan {
        let pairs = self.left.is_multi() && self.right.is_multi();
        let said = nested
            .filter(|_| !pairs)
            .and_then(|condition| of_row(&[condition.bound(Truth::False)]))
            .and_then(|some_false| some_false.negate());
        said.unwrap_or_else(|| self.none_false())
    }

    fn none_false(&self) -> Plan {
        let mut joins = Joins::default();
        let mut parts = Vec::new();
        let mut term = |node: &Node| {
            joins.apart();
            let term = joins.term(node);
            parts.extend(joins.guards(node, Truth::False));
            term
        };
        let (left, right) = (term(&self.left), term(&self.right));
        let test = Test::new(left.clone(), self.op, right.clone(), false).here(Truth::False);
        let sides = match (self.left.is_multi(), self.right.is_multi()) {
            (true, false) => Some(((&self.left, &self.right), (left, right))),
            (false, true) => Some(((&self.right, &self.left), (right, left))),
            _ => None,
        };
        let test = match sides {
            Some((nodes, (Term::Column(many), Term::Column(one)))) => {
                beside_one(test, self.op, nodes, (&many, &one), &mut joins)
            }
            _ => test,
        };
        joins.plan(Plan::all([test].into_iter().chain(parts)), false)
    }

    /// The nested form, where there is one: one place, or two columns of one row.
    fn nested(&self) -> Option<Condition> {
        let strict = self.left.is_strict() || self.right.is_strict();
        let (left, right) = (place(&self.left)?, place(&self.right)?);
        let (hops, mut guards) = match (left.hops, right.hops) {
            (Some(left_hops), Some(right_hops)) if left_hops == right_hops => {
                (left_hops, left.guards)
            }
            (Some(_), Some(_)) => return None,
            (Some(hops), None) => (hops, left.guards),
            (None, hops) => (hops.unwrap_or(&[]), Vec::new()),
        };
        guards.extend(right.guards);
        Some(Condition {
            hops: hops.to_vec(),
            test: Test::new(left.term, self.op, right.term, strict),
            guards,
            links: Vec::new(),
        })
    }
}

/// A side of a comparison that the nested form can have.
struct Place<'n> {
    term: Term,
    /// Where the column is; `None` for a value.
    hops: Option<&'n [Hop]>,
    guards: Vec<Guard>,
}

fn place(node: &Node) -> Option<Place<'_>> {
    match node {
        Node::Value(value) => Some(Place {
            term: Term::Value(value.clone()),
            hops: None,
            guards: Vec::new(),
        }),
        Node::Path(path) => {
            let own = path.root == Root::Row && path.hops.iter().all(|hop| hop.is_forward());
            own.then(|| Place {
                term: Term::Column(path.column.clone()),
                hops: Some(&path.hops),
                guards: path.guards.clone(),
            })
        }
        Node::Call(call) => own_call(call),
        Node::Changed { .. } | Node::Caller(_) | Node::Submitted(_) => None,
    }
}

/// A function of the row's own columns.
fn own_call(call: &Call) -> Option<Place<'_>> {
    let own = |node: &Node| match node {
        Node::Path(path) => path.root == Root::Row && path.hops.is_empty(),
        other => matches!(other, Node::Value(_)),
    };
    if !call.arguments().iter().all(own) {
        return None;
    }
    let node = Node::Call(call.clone());
    let term = Joins::default().term(&node);
    let guards = node.paths().flat_map(|path| path.guards.clone()).collect();
    Some(Place {
        term,
        hops: Some(&[]),
        guards,
    })
}

impl Node {
    /// The paths in it.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &Path> {
        let (path, arguments): (_, &[Node]) = match self {
            Node::Path(path) | Node::Submitted(path) | Node::Changed { field: path, .. } => {
                (Some(path), &[])
            }
            Node::Call(call) => (None, call.arguments()),
            Node::Value(_) | Node::Caller(_) => (None, &[]),
        };
        let inner = arguments.iter().filter_map(|argument| match argument {
            Node::Path(path) | Node::Submitted(path) => Some(path),
            _ => None,
        });
        path.into_iter().chain(inner)
    }

    /// Does a plain operator ask for all of its values?
    fn is_multi(&self) -> bool {
        match self {
            Node::Path(path) => path.is_multi(),
            // A distance is satisfied by one.
            Node::Call(Call::Distance(_)) => false,
            Node::Call(Call::Time { .. }) => self.paths().any(Path::is_multi),
            Node::Value(_) | Node::Changed { .. } | Node::Caller(_) | Node::Submitted(_) => false,
        }
    }

    /// Does NULL equal only NULL?
    fn is_strict(&self) -> bool {
        match self {
            Node::Path(path) => path.strict,
            Node::Call(call) => matches!(call, Call::Distance(_)),
            Node::Value(_) | Node::Changed { .. } | Node::Caller(_) | Node::Submitted(_) => false,
        }
    }
}

/// Where it first yields several rows, if it does.
pub(crate) fn outermost(path: &Path) -> Option<Way> {
    up_to_multi(&path.root, &path.hops)
}

/// Up to the first step that can yield several rows: what shares it, shares the row.
fn up_to_multi(root: &Root, hops: &[Hop]) -> Option<Way> {
    if root.is_multi() {
        return Some((root.clone(), Vec::new()));
    }
    let first = hops.iter().position(|hop| hop.is_multi())?;
    Some((root.clone(), hops.get(..=first)?.to_vec()))
}

/// Beside a text, the type of a column of text changes nothing, and the column itself can be looked
/// up by an index.
fn typed(node: Node, other: &Node) -> Node {
    match (node, other) {
        (Node::Path(path), Node::Value(value)) if is_text(value) => match path.column {
            Column::Single(field) => Node::Path(Path {
                column: Column::Field(field),
                ..path
            }),
            _ => Node::Path(path),
        },
        (node, _) => node,
    }
}

fn is_text(value: &Value) -> bool {
    match value {
        Value::Null | Value::Text(_) | Value::Lower(_) | Value::Method | Value::Context => true,
        Value::Query(_) | Value::Header(_) => true,
        Value::Macro(known) => !known.is_number(),
        Value::Auth(name) => matches!(
            name.as_str(),
            "id" | "collectionId" | "collectionName" | "email"
        ),
        _ => false,
    }
}

fn quantified(node: &Node, quantifier: Quantifier) -> Node {
    match node {
        Node::Value(value) => Node::Value(quantify(value, quantifier)),
        other => other.clone(),
    }
}

/// The request's several values, read as the comparison wants them.
pub(crate) fn quantify(value: &Value, quantifier: Quantifier) -> Value {
    match value {
        Value::Each(inner, _) => Value::Each(inner.clone(), quantifier),
        other => other.clone(),
    }
}
