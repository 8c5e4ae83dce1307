//! What the rules of fields let a caller see and set. Superusers are never bound by them.

use std::sync::Arc;

use basalt_lang::plan::{Op, Truth};
use basalt_lang::schema::CollectionId;
use diesel::QueryResult;

use crate::collection::{Collection, Record};
use crate::error::{FieldError, FieldErrors};
use crate::field::{cast, modify};
use crate::registry::{Entry, FieldGuard, Registry, RuleState};
use crate::request::RequestInfo;
use crate::rules::{Context, Rule};
use crate::sql::fragment::{Part, Piece};
use crate::sql::predicate::{self, Predicate};
use crate::sql::{Conn, Form, compare};
use crate::wire::{Sight, Withheld};

/// The rows of which the caller may read a field. A field without a rule may be read of every row.
pub fn readable<C: Collection>(context: &Context<'_>, field: usize) -> Predicate<C::Table> {
    if context.request.is_superuser() {
        return Predicate::Always;
    }
    match C::rules().of_field(field).map(|rules| &rules.read) {
        None | Some(Rule::Public) => Predicate::Always,
        Some(Rule::Locked) => Predicate::Never,
        Some(Rule::When(rule)) => (rule.sql)(context),
    }
}

/// The rows of which an order may tell a field: those of which the caller may read it, and an
/// address only where its account shows it to everyone, as in filters.
pub(crate) fn orderable<C: Collection>(context: &Context<'_>, field: usize) -> Predicate<C::Table> {
    let readable = readable::<C>(context, field);
    let meta = C::META;
    let address = meta.auth.is_some() && meta.field(field).is_some_and(|it| it.name == "email");
    if context.request.is_superuser() || !address {
        return readable;
    }
    let shown = match meta.field_index("emailVisibility").and_then(C::column) {
        Some(visible) => compare::test(visible, Op::Equal, true, Truth::True),
        None => Predicate::Never,
    };
    predicate::all([readable, shown])
}

/// The same without the type of the table, for rows that a statement knows under another name.
pub enum Readable {
    /// Of every row.
    Always,
    /// Of no row.
    Never,
    /// Of some rows.
    Among(Among),
}

/// The rows of a table that satisfy a condition.
pub struct Among {
    /// The table's name.
    pub(crate) table: &'static str,
    /// The column of the ids.
    pub(crate) id: Part,
    /// What they satisfy.
    pub(crate) condition: Part,
    /// How one of them is found.
    pub(crate) form: Form,
}

impl Among {
    /// One of them has this id: found once for all ids, or looked up for each.
    pub(crate) fn contains(
        self,
        id: impl IntoIterator<Item = Piece>,
        parts: &mut Vec<Part>,
    ) -> Vec<Piece> {
        let (own, condition) = (Piece::Part(parts.len()), Piece::Part(parts.len() + 1));
        parts.extend([self.id, self.condition]);
        let (sql, table) = (Piece::Sql, Piece::Name(self.table));
        let mut pieces = Vec::new();
        match self.form {
            Form::In | Form::Whole | Form::Rest => {
                pieces.extend(id);
                let select = [sql(" IN (SELECT "), own, sql(" FROM "), table];
                pieces.extend(select.into_iter().chain([sql(" WHERE ")]));
            }
            Form::Exists => {
                let select = [sql("EXISTS (SELECT 1 FROM "), table, sql(" WHERE "), own];
                pieces.extend(select.into_iter().chain([sql(" = ")]));
                pieces.extend(id);
                pieces.push(sql(" AND "));
            }
        }
        pieces.extend([sql("("), condition, sql("))")]);
        pieces
    }
}

/// The rows of which the caller may read a field, by their ids.
pub(crate) fn readable_ids<C: Collection>(context: &Context<'_>, field: usize) -> Readable {
    ids_of::<C>(readable::<C>(context, field), context.form)
}

/// The rows of which an order may tell a field, by their ids.
pub(crate) fn orderable_ids<C: Collection>(context: &Context<'_>, field: usize) -> Readable {
    ids_of::<C>(orderable::<C>(context, field), context.form)
}

/// The rows for which a condition holds, by their ids.
pub(crate) fn ids_of<C: Collection>(condition: Predicate<C::Table>, form: Form) -> Readable {
    let condition = match condition {
        Predicate::Always => return Readable::Always,
        Predicate::Never => return Readable::Never,
        Predicate::When(condition) => condition,
    };
    let Some(id) = C::column(0) else {
        return Readable::Never;
    };
    let (_, id) = id.erase();
    Readable::Among(Among {
        table: C::META.name,
        id,
        condition,
        form,
    })
}

/// Notes in each record's sight the fields that the caller may not read of it.
pub(super) fn withhold(
    conn: &mut Conn,
    entry: &Entry,
    request: &RequestInfo,
    records: &[&dyn Record],
    wants: &dyn Fn(&str) -> bool,
    sights: &mut [Sight],
) -> QueryResult<()> {
    for guard in guards(entry, request) {
        let field = entry.meta().field(guard.field);
        if guard.read == RuleState::Public || field.is_some_and(|it| !wants(it.name)) {
            continue;
        }
        let readable = entry.readable(conn, &context(request), guard.field, records)?;
        for (sight, readable) in sights.iter_mut().zip(readable) {
            if !readable {
                sight.withheld.add(guard.field);
            }
        }
    }
    Ok(())
}

/// The fields that the caller may read of no record; `None` if that depends on the records.
pub(super) fn withheld(
    entry: &Entry,
    request: &RequestInfo,
    wants: &dyn Fn(&str) -> bool,
) -> Option<Withheld> {
    let mut withheld = Withheld::default();
    for guard in guards(entry, request) {
        let field = entry.meta().field(guard.field);
        match guard.read {
            RuleState::When if field.is_none_or(|it| wants(it.name)) => return None,
            RuleState::When | RuleState::Public => {}
            RuleState::Locked => withheld.add(guard.field),
        }
    }
    Some(withheld)
}

/// Of which records may the caller read a field? In their order; `None` stands for all.
pub(crate) fn of_which(
    conn: &mut Conn,
    entry: &Entry,
    request: &RequestInfo,
    records: &[&dyn Record],
    field: usize,
) -> QueryResult<Option<Vec<bool>>> {
    let guarded = |guard: &&FieldGuard| guard.field == field && guard.read != RuleState::Public;
    match guards(entry, request).iter().find(guarded) {
        None => Ok(None),
        Some(_) => entry
            .readable(conn, &context(request), field, records)
            .map(Some),
    }
}

/// The collection, if its field has a rule that says of which records the caller may read it.
pub(crate) fn guarded(
    registry: &Registry,
    context: &Context<'_>,
    collection: CollectionId,
    field: usize,
) -> Option<Arc<Entry>> {
    let entry = registry.entries().get(collection.0)?;
    let mut guards = guards(entry, context.request).iter();
    let guarded = guards.any(|it| it.field == field && it.read != RuleState::Public);
    guarded.then(|| Arc::clone(entry))
}

/// The record as the modifiers of a body build on it: without what the caller may not read, since
/// the rules see what comes of it. `None` where that is the record itself.
pub(crate) fn known(
    conn: &mut Conn,
    entry: &Entry,
    request: &RequestInfo,
    stored: &dyn Record,
) -> QueryResult<Option<Box<dyn Record>>> {
    let mut known = None;
    for guard in guards(entry, request) {
        let Some(field) = entry.meta().field(guard.field) else {
            continue;
        };
        if guard.read == RuleState::Public
            || !modify::builds_on_stored(&request.body.raw, field.name)
            || entry.readable(conn, &context(request), guard.field, &[stored])? == [true]
        {
            continue;
        }
        let mut copy = match known {
            Some(copy) => copy,
            None => entry.copy(stored)?,
        };
        copy.set(guard.field, cast::zero(&field.kind));
        known = Some(copy);
    }
    Ok(known)
}

/// A record that a caller wants to write.
pub(crate) struct Wish<'a> {
    /// Its collection.
    pub entry: &'a Entry,
    /// The request.
    pub request: &'a RequestInfo,
    /// What is stored; `None` for a create.
    pub old: Option<&'a dyn Record>,
    /// What the body makes of it.
    pub new: &'a dyn Record,
    /// The fields that the body speaks of.
    pub given: &'a [usize],
}

impl Wish<'_> {
    /// An error for each field that the caller may not set like this.
    pub fn refused(&self, conn: &mut Conn) -> QueryResult<FieldErrors> {
        let mut errors = FieldErrors::new();
        for guard in guards(self.entry, self.request) {
            let Some(field) = self.entry.meta().field(guard.field) else {
                continue;
            };
            if self.given.contains(&guard.field)
                && let Some(message) = self.refusal(conn, guard, field.name)?
            {
                let error = FieldError::new("validation_not_allowed", message);
                errors.insert(field.name.to_owned(), error);
            }
        }
        Ok(errors)
    }

    fn refusal(
        &self,
        conn: &mut Conn,
        guard: &FieldGuard,
        name: &str,
    ) -> QueryResult<Option<&'static str>> {
        let context = context(self.request);
        let field = guard.field;
        let allowed = match guard.write {
            RuleState::Public => true,
            RuleState::Locked => false,
            RuleState::When => {
                let record = self.old.unwrap_or(self.new);
                self.entry.may_write(conn, &context, record, field)?
            }
        };
        let Some(old) = self.old else {
            let refused = !allowed && !self.is_initial(field);
            return Ok(refused.then_some(NOT_ALLOWED));
        };
        if allowed && guard.read == RuleState::Public {
            return Ok(None);
        }
        let readable = self.entry.readable(conn, &context, field, &[old])?;
        let readable = readable.first().is_some_and(|readable| *readable);
        // To whom the value is unknown, neither leave nor a limit that it reaches may tell it.
        let changes = !readable || old.get(field) != self.new.get(field);
        let blind = !readable && modify::builds_on_stored(&self.request.body.raw, name);
        Ok(if !allowed && changes {
            Some(NOT_ALLOWED)
        } else {
            blind.then_some(UNSEEN)
        })
    }

    /// Is the value the one that a record without it begins with?
    fn is_initial(&self, field: usize) -> bool {
        let Some(meta) = self.entry.meta().field(field) else {
            return false;
        };
        let mut blank = self.entry.blank();
        blank.set(field, cast::initial(meta));
        blank.get(field) == self.new.get(field)
    }
}

const NOT_ALLOWED: &str = "You are not allowed to set this field.";
const UNSEEN: &str = "Only those who may read this field can change it by a modifier.";

/// The fields that have rules which bind the caller.
fn guards<'e>(entry: &'e Entry, request: &RequestInfo) -> &'e [FieldGuard] {
    if entry.guards.is_empty() || request.is_superuser() {
        return &[];
    }
    &entry.guards
}

/// Few records are asked about at a time.
fn context(request: &RequestInfo) -> Context<'_> {
    Context {
        request,
        form: Form::Exists,
    }
}
