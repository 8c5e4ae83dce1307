//! The witness that a rule was asked: records are reached through a [`Scope`], which only a rule
//! check builds, or [`Scope::system`] and [`system`], which say in so many words that none is wanted.

pub mod fields;
pub mod system;

use std::collections::HashSet;
use std::ops::Deref;

use diesel::QueryResult;
use diesel::prelude::*;

use crate::collection::{Collection, Record, Select};
use crate::error::ApiError;
use crate::query::picker::Picker;
use crate::registry::{Action, Entry, RuleState};
use crate::request::RequestInfo;
use crate::rules::{Context, Rule, Rules};
use crate::sql::among::among;
use crate::sql::collate::nocase_equal;
use crate::sql::predicate::{self, Predicate};
use crate::sql::rows::{self, Each, Fields};
use crate::sql::{Column, Conn, Form, Order, Pred};
use crate::storage::{About, Subject};
use crate::value::List;
use crate::wire::layout::{Insight, Layout};
use crate::wire::{Sight, Withheld};

/// A connection with leave to read or write a table: what generated code asks for and only this
/// crate gives, after a rule was asked or where none applies. An application reads through a
/// [`Scope`] and writes through [`system`].
pub struct Permit<'c> {
    conn: &'c mut Conn,
    /// What is done with it, so that the writer needn't find out from each statement.
    _about: About,
}

impl<'c> Permit<'c> {
    /// For reading.
    pub(crate) fn grant(conn: &'c mut Conn) -> Self {
        Permit::about(conn, Subject::Reading)
    }

    /// For inserts and updates of a collection.
    pub(crate) fn change(conn: &'c mut Conn, collection: &'static str) -> Self {
        Permit::about(conn, Subject::Changing(collection))
    }

    /// For deletes of a collection.
    pub(crate) fn delete(conn: &'c mut Conn, collection: &'static str) -> Self {
        Permit::about(conn, Subject::Deleting(collection))
    }

    fn about(conn: &'c mut Conn, subject: Subject) -> Self {
        Permit {
            conn,
            _about: About::new(subject),
        }
    }

    /// The connection.
    pub fn get(&mut self) -> &mut Conn {
        self.conn
    }
}

/// The records of a collection that a caller may reach.
pub struct Scope<C: Collection> {
    allowed: Predicate<C::Table>,
}

/// A record that was reached through a [`Scope`].
#[derive(Debug, Clone)]
pub struct Allowed<R>(R);

impl<R> Deref for Allowed<R> {
    type Target = R;
    fn deref(&self) -> &R {
        &self.0
    }
}

impl<R> Allowed<R> {
    /// The record itself.
    pub fn into_inner(self) -> R {
        self.0
    }
}

/// Which rule an action is subject to.
pub(crate) fn rule<C: Collection>(rules: &Rules<C>, action: Action) -> &Rule<C> {
    match action {
        Action::List => &rules.list,
        Action::View => &rules.view,
        Action::Create => &rules.create,
        Action::Update => &rules.update,
        Action::Delete => &rules.delete,
        Action::Auth => &rules.auth,
        Action::Manage => &rules.manage,
    }
}

/// The state of a rule.
pub(crate) fn state<C: Collection>(rule: &Rule<C>) -> RuleState {
    match rule {
        Rule::Locked => RuleState::Locked,
        Rule::Public => RuleState::Public,
        Rule::When(_) => RuleState::When,
    }
}

impl<C: Collection> Scope<C> {
    /// What the list rule shows to the caller. 403 if it is locked.
    pub fn for_list(context: &Context<'_>) -> Result<Self, ApiError> {
        Self::for_action(context, Action::List)
    }

    /// What the view rule shows to the caller. 403 if it is locked.
    pub fn for_view(context: &Context<'_>) -> Result<Self, ApiError> {
        Self::for_action(context, Action::View)
    }

    /// What the update rule lets the caller change. 403 if it is locked.
    pub fn for_update(context: &Context<'_>) -> Result<Self, ApiError> {
        Self::for_action(context, Action::Update)
    }

    /// What the delete rule lets the caller delete. 403 if it is locked.
    pub fn for_delete(context: &Context<'_>) -> Result<Self, ApiError> {
        Self::for_action(context, Action::Delete)
    }

    /// What the rule of an action allows to the caller; superusers are allowed everything.
    pub(crate) fn for_action(context: &Context<'_>, action: Action) -> Result<Self, ApiError> {
        if context.request.is_superuser() {
            return Ok(Self::system());
        }
        let allowed = match rule(C::rules(), action) {
            Rule::Locked => return Err(ApiError::superusers_only()),
            Rule::Public => Predicate::Always,
            Rule::When(rule) => (rule.sql)(context),
        };
        Ok(Scope { allowed })
    }

    /// Every record, for the application's own code: no rule is asked.
    pub fn system() -> Self {
        Scope {
            allowed: Predicate::Always,
        }
    }

    /// Only those that also satisfy a condition.
    #[must_use]
    pub fn filter(self, condition: Pred<C::Table>) -> Self {
        self.matching(Predicate::When(condition))
    }

    /// Only those that also satisfy a condition, which may already be decided.
    #[must_use]
    pub fn matching(self, condition: Predicate<C::Table>) -> Self {
        Scope {
            allowed: predicate::all([self.allowed, condition]),
        }
    }

    /// Only those with one of these ids.
    #[must_use]
    pub(crate) fn with_ids(self, ids: &[String]) -> Self {
        self.matching(column_in::<C>(0, ids))
    }

    /// All of them, in the order of insertion.
    pub fn load(self, conn: &mut Conn) -> QueryResult<Vec<Allowed<C::Record>>> {
        self.page(conn, vec![C::rowid(false)], None, 0)
    }

    /// The one with this id.
    pub fn find(self, conn: &mut Conn, id: &str) -> QueryResult<Option<Allowed<C::Record>>> {
        let with_id = self.matching(column_in::<C>(0, &[id.to_owned()]));
        Ok(with_id.page(conn, Vec::new(), Some(1), 0)?.pop())
    }

    /// Some of them: in this order, at most `limit`, without the first `offset`.
    pub fn page(
        self,
        conn: &mut Conn,
        order: Vec<Order<C::Table>>,
        limit: Option<i64>,
        offset: i64,
    ) -> QueryResult<Vec<Allowed<C::Record>>> {
        let filter = match self.allowed {
            Predicate::Never => return Ok(Vec::new()),
            Predicate::Always => None,
            Predicate::When(condition) => Some(condition),
        };
        let records = C::load(
            Permit::grant(conn),
            Select {
                filter,
                order,
                limit,
                offset,
            },
        )?;
        Ok(records.into_iter().map(Allowed).collect())
    }

    /// Hands over the rows of some of them, with what a layout needs, as [`Scope::page`] finds them.
    pub(crate) fn rows(
        self,
        conn: &mut Conn,
        order: Vec<Order<C::Table>>,
        (limit, offset): (Option<i64>, i64),
        layout: &Layout<'_>,
        each: Each<'_>,
    ) -> QueryResult<()> {
        let filter = match self.allowed {
            Predicate::Never => return Ok(()),
            Predicate::Always => None,
            Predicate::When(condition) => Some(condition),
        };
        let select = Select {
            filter,
            order,
            limit,
            offset,
        };
        let fields = Fields::new(C::META, layout.columns());
        let fields = if layout.is_chosen() {
            fields.chosen()
        } else {
            fields
        };
        C::rows(Permit::grant(conn), select, fields, each)
    }

    /// The ids of all of them.
    pub(crate) fn ids(self, conn: &mut Conn) -> QueryResult<HashSet<String>> {
        let filter = match self.allowed {
            Predicate::Never => return Ok(HashSet::new()),
            Predicate::Always => None,
            Predicate::When(condition) => Some(condition),
        };
        let select = Select {
            filter,
            order: Vec::new(),
            limit: None,
            offset: 0,
        };
        let mut ids = HashSet::new();
        C::rows(
            Permit::grant(conn),
            select,
            Fields::new(C::META, &[0]),
            &mut |row| {
                ids.insert(rows::text(row, 0));
                Ok(())
            },
        )?;
        Ok(ids)
    }

    /// How many there are.
    pub fn count(self, conn: &mut Conn) -> QueryResult<i64> {
        match self.allowed {
            Predicate::Never => Ok(0),
            Predicate::Always => C::count(Permit::grant(conn), None),
            Predicate::When(condition) => C::count(Permit::grant(conn), Some(condition)),
        }
    }

    /// The condition itself, for totals that are remembered under it.
    pub(crate) fn into_predicate(self) -> Predicate<C::Table> {
        self.allowed
    }
}

/// `column IN (values)` for a column that holds text; no row for other columns.
pub(crate) fn column_in<C: Collection>(field: usize, values: &[String]) -> Predicate<C::Table> {
    let expression = match C::column(field) {
        Some(Column::Text(expression) | Column::Relation(expression)) => expression,
        _ => return Predicate::Never,
    };
    match values {
        [] => Predicate::Never,
        [value] => Predicate::When(Box::new(expression.eq(value.clone()))),
        values => Predicate::When(among(expression, List::new(values).0)),
    }
}

/// `column = value` without regard to ASCII case; no row for columns that hold no text.
pub(crate) fn column_like<C: Collection>(field: usize, value: &str) -> Predicate<C::Table> {
    match C::column(field) {
        Some(Column::Text(expression) | Column::Relation(expression)) => {
            let condition = nocase_equal(expression, value.to_owned());
            Predicate::When(Box::new(condition))
        }
        _ => Predicate::Never,
    }
}

/// What this caller may see of each record of a collection. `wants` says which fields the answer
/// is to hold: for the address, the manage rule is asked of records that hide it, and for others
/// their own rules, all of which may take queries.
pub fn sights(
    conn: &mut Conn,
    entry: &Entry,
    request: &RequestInfo,
    records: &[&dyn Record],
    wants: &dyn Fn(&str) -> bool,
) -> QueryResult<Vec<Sight>> {
    let hidden = request.is_superuser();
    let accounts = !hidden && entry.meta().auth.is_some();
    let asked = accounts && wants("email");
    let mut sights = Vec::with_capacity(records.len());
    for record in records {
        let email = !accounts || shows_email(conn, entry, request, *record, asked)?;
        sights.push(Sight {
            hidden,
            email,
            withheld: Withheld::default(),
        });
    }
    fields::withhold(conn, entry, request, records, wants, &mut sights)?;
    Ok(sights)
}

/// What the caller may see of the caller's own account; `None` if that takes a look at its record:
/// then see [`sights`].
pub fn own_sight(entry: &Entry, request: &RequestInfo) -> Option<Sight> {
    let withheld = fields::withheld(entry, request, &|_| true)?;
    Some(Sight {
        hidden: request.is_superuser(),
        email: true,
        withheld,
    })
}

/// What this caller sees of all records of a collection alike, as far as the picker wants it;
/// `None` if that takes a look at each record: then see [`sights`].
pub fn layout<'a>(
    entry: &'a Entry,
    request: &'a RequestInfo,
    picker: Option<&'a Picker>,
) -> Option<Layout<'a>> {
    let wants = |name: &str| picker.is_none_or(|picker| picker.wants(name));
    let hidden = request.is_superuser();
    let accounts = !hidden && entry.meta().auth.is_some();
    let manage = entry.rule_state(Action::Manage);
    let managing = accounts && request.auth.is_some() && wants("email");
    if managing && manage == RuleState::When {
        return None;
    }
    let own = request.auth.as_ref().map(|auth| &auth.record);
    let own = own.filter(|own| own.meta().name == entry.meta().name);
    let insight = Insight {
        hidden,
        emails: !accounts || managing && manage == RuleState::Public,
        own: own.map(|own| own.id()),
        withheld: fields::withheld(entry, request, &wants)?,
    };
    Some(Layout::new(&entry.shape, insight, picker))
}

/// May the caller see an address although its record hides it?
fn shows_email(
    conn: &mut Conn,
    entry: &Entry,
    request: &RequestInfo,
    record: &dyn Record,
    asked: bool,
) -> QueryResult<bool> {
    let own = request.auth.as_ref().is_some_and(|auth| {
        auth.record.id() == record.id() && auth.record.meta().name == record.meta().name
    });
    let asked = asked && !own && !entry.shape.shows_email(record);
    Ok(own || asked && manages(conn, entry, request, record)?)
}

/// Does the caller manage this account: a superuser, or by the manage rule?
pub fn manages(
    conn: &mut Conn,
    entry: &Entry,
    request: &RequestInfo,
    record: &dyn Record,
) -> QueryResult<bool> {
    if request.is_superuser() {
        return Ok(true);
    }
    if request.auth.is_none() || entry.rule_state(Action::Manage) == RuleState::Locked {
        return Ok(false);
    }
    let context = Context {
        request,
        form: Form::Exists,
    };
    entry.satisfies(conn, &context, record, Action::Manage)
}
