//! Comparisons of what is one thing or another: `:changed`, ways from callers of several collections,
//! and ways from records that may not have been submitted. They are written out as one comparison for
//! each case.

use crate::lower::{Tree, fixed, rows};
use crate::plan::{Op, Value};
use crate::typed::{Call, CallerPath, Node, Path, Root};

/// Operands that are one thing or another, when they are which.
pub(crate) struct Case {
    pub when: Tree,
    pub left: Node,
    pub right: Node,
}

/// The cases of what stands first in a comparison and has several, if something has. Every place
/// that depends on the same is decided at once: a comparison has one caller.
pub(crate) fn cases(left: &Node, right: &Node) -> Option<Vec<Case>> {
    let parts = || [left, right].into_iter().flat_map(Node::parts);
    let sides = Sides { left, right };
    let ways: Vec<&CallerPath> = parts().filter_map(Node::ways).flatten().collect();
    if !ways.is_empty() {
        return Some(sides.of_callers(&ways));
    }
    parts().find_map(|part| match part {
        Node::Changed { field, sent } => Some(sides.of_change(part, field, sent)),
        Node::Submitted(path) => Some(sides.of_submission(&path.root)),
        _ => None,
    })
}

struct Sides<'n> {
    left: &'n Node,
    right: &'n Node,
}

impl Sides<'_> {
    /// A case; `None` where nothing holds in it.
    fn case(&self, when: Tree, put: &dyn Fn(&Node) -> Option<Node>) -> Option<Case> {
        let (left, right) = (self.left.with(put)?, self.right.with(put)?);
        Some(Case { when, left, right })
    }

    fn of_callers(&self, ways: &[&CallerPath]) -> Vec<Case> {
        let mut names: Vec<&str> = Vec::new();
        for way in ways {
            if !names.contains(&way.collection.as_str()) {
                names.push(&way.collection);
            }
        }
        let others = Tree::all(names.iter().map(|name| is_caller(name, Op::NotEqual)));
        let others = self.case(others, &|node| node.of_caller(None));
        let one = |name: &&str| {
            let put = |node: &Node| node.of_caller(Some(name));
            self.case(is_caller(name, Op::Equal), &put)
        };
        names.iter().filter_map(one).chain(others).collect()
    }

    fn of_change(&self, part: &Node, field: &Path, sent: &Value) -> Vec<Case> {
        let one = |is: bool| {
            let put = |node: &Node| match node == part {
                true => Some(Node::Value(Value::Bool(is))),
                false => Some(node.clone()),
            };
            self.case(changed(field, sent, is), &put)
        };
        [true, false].into_iter().filter_map(one).collect()
    }

    fn of_submission(&self, root: &Root) -> Vec<Case> {
        let one = |are: bool| {
            let put = |node: &Node| match node {
                Node::Submitted(path) if path.root == *root => Some(match are {
                    true => Node::Path(path.clone()),
                    false => Node::Value(Value::Null),
                }),
                other => Some(other.clone()),
            };
            self.case(has_ids(root, are), &put)
        };
        [true, false].into_iter().filter_map(one).collect()
    }
}

/// Is there an id in this field of the body?
fn has_ids(root: &Root, are: bool) -> Tree {
    let Root::Submitted { key, .. } = root else {
        return Tree::all([]);
    };
    let ids = Value::Length(Box::new(Value::Body(vec![key.clone()])));
    let op = if are { Op::NotEqual } else { Op::Equal };
    fixed(ids, op, Value::Number(0.0))
}

/// The body field was sent, and it differs from the row's own field; or not.
fn changed(field: &Path, sent: &Value, is: bool) -> Tree {
    let set = Value::IsSet(Box::new(sent.clone()));
    let set = fixed(set, Op::Equal, Value::Bool(is));
    let op = if is { Op::NotEqual } else { Op::Equal };
    let field = Node::Path(field.clone());
    let differs = rows(&field, op, &Node::Value(sent.clone()), true);
    if is {
        Tree::all([set, differs])
    } else {
        Tree::any([set, differs])
    }
}

fn is_caller(collection: &str, op: Op) -> Tree {
    let own = Value::Auth("collectionName".to_owned());
    fixed(own, op, Value::Text(collection.to_owned()))
}

impl Node {
    /// What it is made of: itself, or what the function is applied to.
    fn parts(&self) -> &[Node] {
        match self {
            Node::Call(call) => call.arguments(),
            other => std::slice::from_ref(other),
        }
    }

    /// The ways from the caller's record.
    fn ways(&self) -> Option<&[CallerPath]> {
        match self {
            Node::Caller(ways) => Some(ways),
            _ => None,
        }
    }

    /// The same for a caller of this collection; `None` where nothing holds for such a one.
    fn of_caller(&self, collection: Option<&str>) -> Option<Node> {
        let Node::Caller(ways) = self else {
            return Some(self.clone());
        };
        match ways
            .iter()
            .find(|way| Some(way.collection.as_str()) == collection)
        {
            Some(way) => way.path.clone().map(Node::Path),
            None => Some(Node::Value(Value::Null)),
        }
    }

    /// The same with each of its [`Node::parts`] replaced.
    fn with(&self, put: &dyn Fn(&Node) -> Option<Node>) -> Option<Node> {
        let Node::Call(call) = self else {
            return put(self);
        };
        Some(Node::Call(match call {
            Call::Distance(nodes) => {
                let [a, b, c, d] = nodes.as_ref();
                Call::Distance(Box::new([put(a)?, put(b)?, put(c)?, put(d)?]))
            }
            Call::Time {
                format,
                time,
                modifiers,
            } => Call::Time {
                format: format.clone(),
                time: match time {
                    Some(time) => Some(Box::new(put(time)?)),
                    None => None,
                },
                modifiers: modifiers.clone(),
            },
        }))
    }
}
