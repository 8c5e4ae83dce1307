//! Ways to rows as joins: what [`Plan::Joined`] binds, each row once.

use crate::condition::Term;
use crate::plan::{Argument, Column, Join, Op, Origin, Plan, Truth, Value};
use crate::schema::{CollectionId, FieldId};
use crate::typed::{Call, Guarded, Hop, Node, Path, Root, Step};

/// The joins of one plan, in the order in which they need each other.
#[derive(Default)]
pub(crate) struct Joins {
    joins: Vec<Join>,
    keys: Vec<Key>,
    /// Several rows that are looked at from different sides are different rows.
    side: usize,
}

/// What finds a join again.
#[derive(PartialEq)]
struct Key {
    root: Root,
    hops: Vec<Hop>,
    side: usize,
}

impl Key {
    /// How many tables its last step takes.
    fn tables(&self) -> usize {
        match (self.hops.last(), &self.root) {
            (Some(hop), _) => match hop.step {
                Step::Many(_) | Step::Back { linked: true, .. } => 2,
                Step::One(_) | Step::Items | Step::Back { linked: false, .. } => 1,
            },
            (None, Root::Submitted { .. }) => 2,
            // It is known already.
            (None, Root::Row | Root::Caller(_)) => 0,
            (None, Root::Every { .. }) => 1,
        }
    }
}

impl Joins {
    /// From now on several rows of one way are others than before.
    pub(crate) fn apart(&mut self) {
        self.side += 1;
    }

    /// The plan about these rows, without those that turn out to be unneeded. Where none is to be
    /// found there are joins: what looks at all values is multi-valued.
    pub(crate) fn plan(self, inner: Plan, holds: bool) -> Plan {
        let inner = inner.fold();
        if self.joins.is_empty() && holds {
            return inner;
        }
        Plan::Joined {
            joins: self.joins,
            inner: Box::new(inner),
            holds,
        }
        .fold()
    }

    /// The joins, and nothing about them.
    pub(crate) fn into_joins(self) -> Vec<Join> {
        self.joins
    }

    /// The row where a way ends.
    pub(crate) fn origin(&mut self, root: &Root, hops: &[Hop]) -> Origin {
        if *root == Root::Row && hops.is_empty() {
            return Origin::Row;
        }
        let multi = root.is_multi() || hops.iter().any(|hop| hop.is_multi());
        let key = Key {
            root: root.clone(),
            hops: hops.to_vec(),
            side: if multi { self.side } else { 0 },
        };
        if let Some(known) = self.keys.iter().position(|it| *it == key) {
            return Origin::Joined(known);
        }
        let join = match hops.split_last() {
            Some((hop, before)) => {
                let from = self.origin(root, before);
                along(*hop, from)
            }
            None => begin(root),
        };
        self.joins.extend(join);
        self.keys.push(key);
        Origin::Joined(self.keys.len() - 1)
    }

    /// Goes every way that the operand goes.
    pub(crate) fn visit(&mut self, node: &Node) {
        match node {
            Node::Caller(paths) => {
                for path in paths.iter().filter_map(|one| one.path.as_ref()) {
                    self.origin(&path.root, &path.hops);
                }
            }
            Node::Call(call) => call.arguments().iter().for_each(|it| self.visit(it)),
            Node::Path(path) | Node::Submitted(path) => {
                self.origin(&path.root, &path.hops);
            }
            Node::Value(_) | Node::Changed { .. } => {}
        }
    }

    /// How many tables the joins take at most: a relation that is kept in a table of its own takes
    /// two. Of the ways from callers of several collections only one is gone.
    pub(crate) fn tables(&self) -> usize {
        let mut always = 0;
        let mut callers: Vec<(CollectionId, usize)> = Vec::new();
        for key in &self.keys {
            let tables = key.tables();
            let Root::Caller(collection) = key.root else {
                always += tables;
                continue;
            };
            match callers.iter_mut().find(|(known, _)| *known == collection) {
                Some((_, sum)) => *sum += tables,
                None => callers.push((collection, tables)),
            }
        }
        always + callers.iter().map(|(_, sum)| *sum).max().unwrap_or(0)
    }

    /// A side of a comparison.
    pub(crate) fn term(&mut self, node: &Node) -> Term {
        match node {
            Node::Value(value) => Term::Value(value.clone()),
            Node::Path(path) => Term::Column(self.column(path)),
            Node::Call(call) => Term::Column(self.call(call)),
            // Written out before.
            Node::Changed { .. } | Node::Caller(_) | Node::Submitted(_) => Term::Value(Value::Null),
        }
    }

    /// The value at the end of a path.
    pub(crate) fn column(&mut self, path: &Path) -> Column {
        let origin = self.origin(&path.root, &path.hops);
        at(origin, path.column.clone())
    }

    fn call(&mut self, call: &Call) -> Column {
        match call {
            Call::Distance(nodes) => {
                let [a, b, c, d] = nodes.as_ref();
                let mut argument = |node| self.argument(node);
                let arguments = [argument(a), argument(b), argument(c), argument(d)];
                Column::Distance(Box::new(arguments))
            }
            Call::Time {
                format,
                time,
                modifiers,
            } => Column::Time {
                format: format.clone(),
                time: time.as_ref().map(|node| Box::new(self.argument(node))),
                modifiers: modifiers.clone(),
            },
        }
    }

    fn argument(&mut self, node: &Node) -> Argument {
        match self.term(node) {
            Term::Value(value) => Argument::Value(value),
            Term::Column(column) => Argument::Column(column),
        }
    }

    /// What must hold of the rows on the way of each path, so that the comparison counts.
    pub(crate) fn guards(&mut self, node: &Node, when: Truth) -> Vec<Plan> {
        let mut found = Vec::new();
        for path in node.paths() {
            for guard in &path.guards {
                let hops = path.hops.get(..guard.after).unwrap_or(&[]);
                let origin = self.origin(&path.root, hops);
                found.push(guarded(guard.what, origin, when));
            }
        }
        found
    }
}

fn guarded(what: Guarded, origin: Origin, when: Truth) -> Plan {
    match what {
        Guarded::True(field) => {
            let test = |field, value| Plan::Test {
                column: at(origin, Column::Field(field)),
                op: Op::Equal,
                value,
                when: Truth::True,
            };
            let seen = test(field, Value::Bool(true));
            // A row that is missing hides nothing.
            match (origin, when) {
                (Origin::Joined(_), Truth::False) => {
                    Plan::any([seen, test(FieldId(0), Value::Text(String::new()))])
                }
                _ => seen,
            }
        }
        Guarded::Readable { collection, field } => readable(collection, field, row(origin), true),
    }
}

/// The caller may read the field of a row, or may not.
pub(crate) fn readable(
    collection: CollectionId,
    field: FieldId,
    row: Option<usize>,
    holds: bool,
) -> Plan {
    Plan::Readable {
        collection,
        field,
        row,
        holds,
    }
}

/// The number of a joined row.
pub(crate) fn row(origin: Origin) -> Option<usize> {
    match origin {
        Origin::Row => None,
        Origin::Joined(row) => Some(row),
    }
}

fn at(origin: Origin, column: Column) -> Column {
    match origin {
        Origin::Row => column,
        Origin::Joined(row) => Column::Of(row, Box::new(column)),
    }
}

fn begin(root: &Root) -> Option<Join> {
    Some(match root {
        Root::Row => return None,
        Root::Every { collection, .. } => Join::Every {
            collection: *collection,
        },
        Root::Caller(collection) => Join::Caller {
            collection: *collection,
        },
        Root::Submitted { key, target, .. } => Join::Submitted {
            key: key.clone(),
            target: *target,
        },
    })
}

fn along(hop: Hop, from: Origin) -> Option<Join> {
    let field = hop.field;
    Some(match hop.step {
        Step::One(target) => Join::One {
            from,
            field,
            target,
        },
        Step::Many(target) => Join::Many {
            from,
            field,
            target,
        },
        Step::Items => Join::Items { from, field },
        Step::Back { source, .. } => Join::Back {
            from,
            source,
            field,
        },
    })
}
