//! Required relations that go round in a circle: none of those records could be the first.

use super::Context;
use super::collections::Draft;
use crate::diagnostic::{Code, Diagnostic, Span};
use crate::ir::{self, FieldKind};

struct Edge {
    from: usize,
    to: usize,
    field: usize,
}

/// Reports each circle once, at the relation that closes it.
pub(super) fn check(drafts: &[Draft<'_>], schema: &ir::Schema, cx: &mut Context<'_>) {
    let edges = edges(schema);
    let mut reported: Vec<usize> = Vec::new();
    for start in 0..schema.collections.len() {
        if reported.contains(&start) {
            continue;
        }
        if let Some(circle) = circle(start, &edges) {
            reported.extend(circle.iter().map(|edge| edge.from));
            report(&circle, drafts, schema, cx);
        }
    }
}

fn edges(schema: &ir::Schema) -> Vec<Edge> {
    let mut edges = Vec::new();
    for (from, collection) in schema.collections.iter().enumerate() {
        for (field, at) in collection.fields.iter().zip(0..) {
            if let FieldKind::Relation { target, .. } = &field.kind
                && field.required
            {
                edges.push(Edge {
                    from,
                    to: target.0,
                    field: at,
                });
            }
        }
    }
    edges
}

/// The shortest way from a collection back to itself.
fn circle(start: usize, edges: &[Edge]) -> Option<Vec<&Edge>> {
    let mut ways: Vec<Vec<&Edge>> = vec![Vec::new()];
    let mut seen: Vec<usize> = Vec::new();
    while !ways.is_empty() {
        let mut longer = Vec::new();
        for way in ways {
            let at = way.last().map_or(start, |edge| edge.to);
            for edge in edges.iter().filter(|edge| edge.from == at) {
                let mut next = way.clone();
                next.push(edge);
                if edge.to == start {
                    return Some(next);
                }
                if !seen.contains(&edge.to) {
                    seen.push(edge.to);
                    longer.push(next);
                }
            }
        }
        ways = longer;
    }
    None
}

fn report(circle: &[&Edge], drafts: &[Draft<'_>], schema: &ir::Schema, cx: &mut Context<'_>) {
    let names: Vec<String> = circle
        .iter()
        .filter_map(|edge| {
            let collection = schema.collections.get(edge.from)?;
            let field = collection.fields.get(edge.field)?;
            Some(format!("`{}.{}`", collection.name.wire, field.name.wire))
        })
        .collect();
    let spans: Vec<Span> = circle
        .iter()
        .filter_map(|edge| {
            let field = drafts.get(edge.from)?.fields.get(edge.field)?;
            Some(field.options.span_of("required"))
        })
        .collect();
    let Some((first, others)) = spans.split_first() else {
        return;
    };
    let message = match names.as_slice() {
        [one] => format!(
            "no record can be the first: {one} must point to a record of its own collection"
        ),
        many => format!(
            "no record can be the first: {} require each other",
            many.join(", ")
        ),
    };
    let mut found = Diagnostic::new(Code::RequiredCycle, *first, message, "required here");
    for other in others {
        found = found.with_also(*other, "and here");
    }
    cx.push(found);
}
