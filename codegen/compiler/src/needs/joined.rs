//! Rows that are bound together: each group of them, found by one column of any of its rows.

use basalt_lang::plan::{Column, Join, Origin};

use super::{Need, Needs, Row, Use};
use crate::ir::Plan;

impl Needs<'_> {
    /// What the rows of a [`Plan::Joined`] are looked up by.
    pub(super) fn joined(&mut self, joins: &[Join], inner: &Plan) {
        for root in 0..joins.len() {
            if self.stands_alone(joins, root, inner) {
                self.group(joins, root, inner);
            }
        }
        self.nested(inner);
    }

    /// Are the rows that begin at this join found by the condition, and not by what they hang on?
    fn stands_alone(&self, joins: &[Join], root: usize, inner: &Plan) -> bool {
        match joins.get(root) {
            Some(Join::Every { .. }) => true,
            // Totals look the other rows up first, if one join leads to them and back.
            Some(join) if from(join) == Some(Origin::Row) => {
                let begin = |join: &&Join| from(join) == Some(Origin::Row);
                let only = joins.iter().filter(begin).count() == 1;
                only && self.usage != Use::Judges && !looks_at_row(inner)
            }
            // By id, from the caller's record or from what was sent; or from a row before it.
            _ => false,
        }
    }

    /// One index is enough for all rows that hang together: the others are found by relations.
    fn group(&mut self, joins: &[Join], root: usize, inner: &Plan) {
        let mut members = vec![root];
        for (at, join) in joins.iter().enumerate() {
            if let Some(Origin::Joined(before)) = from(join)
                && members.contains(&before)
            {
                members.push(at);
            }
        }
        let rows: Vec<Row> = members
            .into_iter()
            .filter_map(|at| {
                let collection = joins.get(at)?.collection()?;
                Some(Row {
                    join: Some(at),
                    ..Row::of(collection)
                })
            })
            .collect();
        let ways = rows.iter().filter_map(|row| self.served(inner, *row));
        let best: Option<Vec<Need>> = ways.min_by_key(Vec::len);
        match best {
            Some(needs) => needs.into_iter().for_each(|need| self.push(need)),
            None => rows.iter().for_each(|row| self.refused(inner, *row)),
        }
    }
}

/// The row that a join begins at; `None` if at none.
fn from(join: &Join) -> Option<Origin> {
    match join {
        Join::One { from, .. }
        | Join::Many { from, .. }
        | Join::Items { from, .. }
        | Join::Back { from, .. } => Some(*from),
        Join::Every { .. } | Join::Caller { .. } | Join::Submitted { .. } => None,
    }
}

/// Does the condition on bound rows look at the row that the rule is about, too?
fn looks_at_row(plan: &Plan) -> bool {
    let own = |column: &Column| !matches!(column, Column::Of(..));
    match plan {
        Plan::All(parts) | Plan::Any(parts) => parts.iter().any(looks_at_row),
        Plan::Test { column, .. } | Plan::Within { column, .. } => own(column),
        Plan::Columns { left, right, .. } => own(left) || own(right),
        Plan::Visible { row, .. } | Plan::Readable { row, .. } => row.is_none(),
        Plan::Always | Plan::Never | Plan::Request { .. } => false,
        Plan::Empty { .. } | Plan::Via { .. } | Plan::Each { .. } | Plan::Joined { .. } => true,
    }
}
