//! Access rules as the generator compiled them, and the dynamic filters of clients, which use the
//! same columns and relations.

mod given;
mod macros;
mod values;

pub use given::Given;
pub(crate) use values::parts;

use diesel::QueryResult;

use crate::collection::Collection;
use crate::registry::Registry;
use crate::request::RequestInfo;
use crate::sql::predicate::Predicate;
use crate::sql::{Conn, Form};

/// One rule. Locked is the default; there is no "missing".
pub enum Rule<C: Collection> {
    /// Superusers only.
    Locked,
    /// Everyone.
    Public,
    /// Whoever satisfies the compiled rule.
    When(CompiledRule<C>),
}

/// The two forms of a compiled rule; both come from one typed tree and agree. Of a create rule
/// only the memory form is asked: unlike a stored record, a new one has no columns that convert
/// what they are compared with.
pub struct CompiledRule<C: Collection> {
    /// The condition on stored rows.
    pub sql: fn(&Context<'_>) -> Predicate<C::Table>,
    /// The same over one record in memory; reads related records through the connection.
    pub memory: fn(&Context<'_>, &C::Record, &mut Conn) -> QueryResult<bool>,
    /// The rule's text.
    pub text: &'static str,
    /// Where it stands, e.g. `schema/posts.toml:7`.
    pub source: &'static str,
    /// The collections whose rows it reads besides its own, by name.
    pub reads: &'static [&'static str],
    /// How its records can be counted by parts.
    pub split: Split,
}

/// How the records of a condition can be counted by parts, in the forms [`Form::Whole`] and
/// [`Form::Rest`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Split {
    /// They can't.
    None,
    /// One list decides, that has a dictionary.
    List,
    /// One relation decides by where it leads. Records without one are a part of their own.
    Link {
        /// The relation's place.
        field: usize,
        /// Do records match whose relation is empty?
        empty: bool,
    },
}

/// All rules of a collection.
pub struct Rules<C: Collection> {
    /// Who may list, and what.
    pub list: Rule<C>,
    /// Who may view which record.
    pub view: Rule<C>,
    /// Who may create what.
    pub create: Rule<C>,
    /// Who may update which record.
    pub update: Rule<C>,
    /// Who may delete which record.
    pub delete: Rule<C>,
    /// Which records may log in (auth collections; else `Locked`).
    pub auth: Rule<C>,
    /// Who manages which account (auth collections; else `Locked`).
    pub manage: Rule<C>,
    /// The rules of those fields that have any.
    pub fields: &'static [FieldRules<C>],
}

/// The rules of one field; [`Rule::Public`] adds nothing to the rules of the record.
pub struct FieldRules<C: Collection> {
    /// The field's place.
    pub field: usize,
    /// Who may see it of which record.
    pub read: Rule<C>,
    /// Is `read` decided by the request and the record alone, so that its memory form asks
    /// nothing of the database?
    pub read_is_local: bool,
    /// Who may set it of which record.
    pub write: Rule<C>,
}

impl<C: Collection> Rules<C> {
    /// The rules of a field, if it has any.
    pub(crate) fn of_field(&self, field: usize) -> Option<&FieldRules<C>> {
        self.fields.iter().find(|rules| rules.field == field)
    }
}

/// What a rule is evaluated in: the request, and the form of sub-selects that is wanted.
pub struct Context<'a> {
    /// The request.
    pub request: &'a RequestInfo,
    /// The form of sub-selects.
    pub form: Form,
}

impl Context<'_> {
    /// The context of a condition inside a sub-select.
    pub fn within(&self) -> Context<'_> {
        Context {
            request: self.request,
            form: self.form.within(),
        }
    }
}

/// A client's filter (or a part of one) on its way to SQL.
pub struct Filter<'a> {
    /// The plan.
    pub plan: &'a basalt_lang::plan::Plan,
    /// The request, for `@request.*` of superusers and for macros.
    pub context: &'a Context<'a>,
    /// All collections, where the plan may lead to any of them.
    pub registry: Option<&'a Registry>,
}

impl<'a> Filter<'a> {
    /// Another part of the plan.
    #[must_use]
    pub fn with(&self, plan: &'a basalt_lang::plan::Plan) -> Filter<'a> {
        Filter {
            plan,
            context: self.context,
            registry: self.registry,
        }
    }
}

#[cfg(test)]
mod tests;
