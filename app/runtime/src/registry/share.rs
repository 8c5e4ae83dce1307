//! Which form of SQL suits a list: known from the share of its records that matched when somebody
//! last looked. A hint, and never an answer: it may be as old as it likes.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::PageQuery;
use crate::bounded::Bounded;
use crate::collection::Collection;
use crate::rules::{CompiledRule, Context, Rule, Split};
use crate::sql::{Form, filter};

/// Lists of which a smaller share than this matches are read with the form for rare matches.
const RARE: f64 = 0.03;

/// If a larger share than this matches, the others are counted.
const MOST: f64 = 0.5;

/// A page that takes longer may be in the wrong form.
const SLOW: Duration = Duration::from_millis(2);

/// How often a share is used before a slow page makes the server look again.
const TRUSTED: u32 = 64;

/// Shares in each half of what is remembered.
const HALF: usize = 256;

/// The shares of a collection's lists.
pub(super) struct Shares(Mutex<Bounded<Question, Share>>);

/// What tells one list from another, as far as a hint needs it: is it a superuser's, and the
/// client's filter.
type Question = (bool, u64);

struct Share {
    share: f64,
    uses: u32,
}

/// What is known of a list before it is read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Outlook {
    question: Question,
    /// Is there anything to choose?
    varies: bool,
    /// How the records can be counted by parts.
    pub(super) split: Split,
    share: Option<f64>,
    trusted: bool,
}

impl Shares {
    pub(super) fn new() -> Self {
        Shares(Mutex::new(Bounded::new(HALF)))
    }

    /// What is known of the list.
    pub(super) fn outlook<C: Collection>(
        &self,
        context: &Context<'_>,
        query: &PageQuery<'_>,
    ) -> Outlook {
        let rule = rule::<C>(context);
        let split = match (rule, query.filter) {
            (Some(rule), None) => rule.split,
            (None, Some(plan)) => filter::split::<C>(plan),
            _ => Split::None,
        };
        let leads_on = || {
            rule.is_some_and(|rule| !rule.reads.is_empty())
                || query.filter.is_some_and(|plan| !plan.reads().is_empty())
        };
        let mut outlook = Outlook {
            question: (context.request.is_superuser(), query.question),
            varies: split != Split::None || leads_on(),
            split,
            share: None,
            trusted: false,
        };
        if outlook.varies {
            let mut shares = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(known) = shares.get_mut(&outlook.question) {
                known.uses = known.uses.saturating_add(1);
                outlook.share = Some(known.share);
                outlook.trusted = known.uses <= TRUSTED;
            }
        }
        outlook
    }

    /// Remembers what somebody counted.
    pub(super) fn learn(&self, outlook: &mut Outlook, count: i64, all: i64) {
        let share = if all > 0 {
            count as f64 / all as f64
        } else {
            1.0
        };
        outlook.share = Some(share);
        let mut shares = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        shares.put(outlook.question, Share { share, uses: 0 });
    }
}

impl Outlook {
    /// Does the form matter?
    pub(super) fn varies(&self) -> bool {
        self.varies
    }

    /// The form that counts fastest.
    pub(super) fn of_total(&self) -> Form {
        match self.share {
            _ if self.split == Split::None => Form::In,
            Some(share) if share > MOST => Form::Rest,
            _ => Form::Whole,
        }
    }

    /// The form that finds a page fastest.
    pub(super) fn of_page(&self) -> Form {
        match self.share {
            Some(share) if share < RARE => self.of_trial(),
            _ => Form::Exists,
        }
    }

    /// Is it worth a count to know whether a page that took so long has the right form?
    pub(super) fn is_doubtful(&self, taken: Duration) -> bool {
        self.varies && !self.trusted && taken > SLOW
    }

    /// The form of a single statement that finds few records fast.
    pub(super) fn of_trial(&self) -> Form {
        match self.split {
            Split::List => Form::Whole,
            Split::None | Split::Link { .. } => Form::In,
        }
    }
}

/// The list rule, where one is asked.
fn rule<C: Collection>(context: &Context<'_>) -> Option<&'static CompiledRule<C>> {
    match &C::rules().list {
        Rule::When(rule) if !context.request.is_superuser() => Some(rule),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outlook(split: Split) -> Outlook {
        Outlook {
            question: (false, 0),
            varies: true,
            split,
            share: None,
            trusted: false,
        }
    }

    #[test]
    fn the_form_follows_the_share() {
        let shares = Shares::new();
        let mut list = outlook(Split::List);
        assert_eq!(
            (list.of_total(), list.of_page()),
            (Form::Whole, Form::Exists)
        );
        shares.learn(&mut list, 9, 10);
        assert_eq!(
            (list.of_total(), list.of_page()),
            (Form::Rest, Form::Exists)
        );
        shares.learn(&mut list, 1, 1000);
        assert_eq!(
            (list.of_total(), list.of_page()),
            (Form::Whole, Form::Whole)
        );
        let mut list = outlook(Split::None);
        shares.learn(&mut list, 9, 10);
        assert_eq!((list.of_total(), list.of_page()), (Form::In, Form::Exists));
        shares.learn(&mut list, 0, 1000);
        assert_eq!((list.of_total(), list.of_page()), (Form::In, Form::In));
        shares.learn(&mut list, 0, 0);
        assert_eq!(list.of_page(), Form::Exists);
    }

    #[test]
    fn only_slow_pages_of_unknown_share_are_doubtful() {
        let mut list = outlook(Split::None);
        assert!(list.is_doubtful(SLOW * 2));
        assert!(!list.is_doubtful(SLOW / 2));
        list.trusted = true;
        assert!(!list.is_doubtful(SLOW * 2));
        list.trusted = false;
        list.varies = false;
        assert!(!list.is_doubtful(SLOW * 2));
    }
}
