//! Walks over plans: which collections and rules they ask, and which joined rows they name.

use std::collections::BTreeSet;

use crate::plan::{Argument, Column, Join, Origin, Plan};
use crate::schema::{CollectionId, FieldId};

impl Plan {
    /// Every plan in it, from the outside in.
    fn each(&self, visit: &mut dyn FnMut(&Plan)) {
        visit(self);
        match self {
            Plan::All(items) | Plan::Any(items) => items.iter().for_each(|item| item.each(visit)),
            Plan::Via { inner, .. } | Plan::Each { inner, .. } | Plan::Joined { inner, .. } => {
                inner.each(visit);
            }
            _ => {}
        }
    }

    /// The collections, besides the row's own, whose rows decide the plan. What the list rules of
    /// [`Plan::list_rules`] read comes on top: the plan doesn't know them.
    pub fn reads(&self) -> BTreeSet<CollectionId> {
        let mut found = BTreeSet::new();
        self.each(&mut |plan| match plan {
            Plan::Via { target, .. } => {
                found.insert(*target);
            }
            Plan::Joined { joins, .. } => found.extend(joins.iter().filter_map(Join::collection)),
            _ => {}
        });
        found
    }

    /// The collections whose list rules take part in the plan ([`Plan::Visible`]).
    pub fn list_rules(&self) -> BTreeSet<CollectionId> {
        let mut found = BTreeSet::new();
        self.each(&mut |plan| {
            if let Plan::Visible { collection, .. } = plan {
                found.insert(*collection);
            }
        });
        found
    }

    /// The fields whose read rules take part in the plan ([`Plan::Readable`]). What those rules
    /// read comes on top of [`Plan::reads`].
    pub fn read_rules(&self) -> BTreeSet<(CollectionId, FieldId)> {
        let mut found = BTreeSet::new();
        self.each(&mut |plan| {
            if let Plan::Readable {
                collection, field, ..
            } = plan
            {
                found.insert((*collection, *field));
            }
        });
        found
    }

    /// Every number of a joined row in it, where it is the inner plan of [`Plan::Joined`]. Nested
    /// ones have numbers of their own.
    fn numbers(&mut self, visit: &mut dyn FnMut(&mut usize)) {
        match self {
            Plan::All(items) | Plan::Any(items) => {
                items.iter_mut().for_each(|item| item.numbers(visit));
            }
            Plan::Test { column, .. } | Plan::Within { column, .. } => column.numbers(visit),
            Plan::Columns { left, right, .. } => {
                left.numbers(visit);
                right.numbers(visit);
            }
            Plan::Visible { row, .. } | Plan::Readable { row, .. } => {
                row.iter_mut().for_each(visit);
            }
            Plan::Always
            | Plan::Never
            | Plan::Request { .. }
            | Plan::Empty { .. }
            | Plan::Via { .. }
            | Plan::Each { .. }
            | Plan::Joined { .. } => {}
        }
    }
}

impl Column {
    fn numbers(&mut self, visit: &mut dyn FnMut(&mut usize)) {
        let mut argument = |argument: &mut Argument| {
            if let Argument::Column(column) = argument {
                column.numbers(visit);
            }
        };
        match self {
            Column::Of(number, _) => visit(number),
            Column::Distance(arguments) => arguments.iter_mut().for_each(argument),
            Column::Time { time, .. } => time.iter_mut().for_each(|time| argument(time)),
            Column::Field(_)
            | Column::Lower(_)
            | Column::Length(_)
            | Column::Single(_)
            | Column::Path(..)
            | Column::Item => {}
        }
    }
}

/// [`Plan::Joined`] without the joins that `inner` doesn't need: each finds at least one row, if
/// only a missing one, so the others change nothing.
pub(crate) fn pruned(joins: Vec<Join>, mut inner: Plan, holds: bool) -> Plan {
    let mut needed = vec![false; joins.len()];
    let mut need = |number: usize| {
        if let Some(it) = needed.get_mut(number) {
            *it = true;
        }
    };
    inner.numbers(&mut |number| need(*number));
    for (number, join) in joins.iter().enumerate().rev() {
        if let (Some(true), Some(Origin::Joined(from))) = (needed.get(number), join.from())
            && let Some(it) = needed.get_mut(from)
        {
            *it = true;
        }
    }
    if !needed.contains(&true) {
        let alone = if holds {
            Some(inner.clone())
        } else {
            inner.negate()
        };
        return alone.unwrap_or_else(|| Plan::Joined {
            joins,
            inner: Box::new(inner),
            holds,
        });
    }
    let places: Vec<usize> = needed
        .iter()
        .scan(0, |next, needed| {
            let place = *next;
            *next += usize::from(*needed);
            Some(place)
        })
        .collect();
    let renumber = |number: &mut usize| {
        *number = places.get(*number).copied().unwrap_or(*number);
    };
    inner.numbers(&mut |number| renumber(number));
    let kept = joins
        .into_iter()
        .zip(&needed)
        .filter(|(_, needed)| **needed);
    let joins = kept.map(|(mut join, _)| {
        if let Some(Origin::Joined(from)) = join.origin_mut() {
            renumber(from);
        }
        join
    });
    Plan::Joined {
        joins: joins.collect(),
        inner: Box::new(inner),
        holds,
    }
}
