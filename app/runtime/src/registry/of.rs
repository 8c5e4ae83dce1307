//! The typed side of [`Endpoint`]: the only code that is compiled once for each collection,
//! so everything that can do without the type is elsewhere.

use std::any::Any;
use std::sync::Arc;

use basalt_lang::plan::{Column as PlanColumn, Op, Plan, Truth, Value as PlanValue};
use basalt_lang::schema::FieldId;
use diesel::QueryResult;
use diesel::result::Error as DbError;

use super::count::count_parts;
use super::share::Shares;
use super::{Action, Endpoint, Event, FieldGuard, Page, PageQuery, Probe, RuleState};
use crate::access::fields::{self, Readable};
use crate::access::{self, Allowed, Permit, Scope, system};
use crate::collection::{Collection, Record};
use crate::error::ApiError;
use crate::hooks::{HookContext, HookResult, Hooks};
use crate::meta::CollectionMeta;
use crate::rules::{Context, FieldRules, Filter, Rule, Split};
use crate::sql::predicate::Predicate;
use crate::sql::{Conn, Form, filter};
use crate::storage::Snapshot;
use crate::wire::layout::{Rows, Texts};

/// The endpoint of one collection.
pub struct Of<C: Collection> {
    hooks: Vec<Arc<dyn Hooks<C>>>,
    shares: Shares,
}

impl<C: Collection> Of<C> {
    pub(super) fn new() -> Self {
        Of {
            hooks: Vec::new(),
            shares: Shares::new(),
        }
    }

    pub(super) fn add_hooks(&mut self, hooks: Arc<dyn Hooks<C>>) {
        self.hooks.push(hooks);
    }
}

pub(super) fn boxed<R: Record>(records: Vec<Allowed<R>>) -> Vec<Box<dyn Record>> {
    let one = |record: Allowed<R>| Box::new(record.into_inner()) as Box<dyn Record>;
    records.into_iter().map(one).collect()
}

fn wrong_type<C: Collection>() -> DbError {
    DbError::QueryBuilderError(format!("not a record of {}", C::META.name).into())
}

fn typed<C: Collection>(record: &dyn Record) -> QueryResult<&C::Record> {
    (record as &dyn Any)
        .downcast_ref()
        .ok_or_else(wrong_type::<C>)
}

fn typed_mut<C: Collection>(record: &mut dyn Record) -> QueryResult<&mut C::Record> {
    (record as &mut dyn Any)
        .downcast_mut()
        .ok_or_else(wrong_type::<C>)
}

/// The condition that the relation `field` contains one of `targets`.
fn references<C: Collection>(
    context: &Context<'_>,
    field: usize,
    targets: &[String],
) -> Predicate<C::Table> {
    if C::META
        .field(field)
        .is_some_and(|field| !field.kind.is_many())
    {
        return access::column_in::<C>(field, targets);
    }
    let tests = targets.iter().map(|target| Plan::Test {
        column: PlanColumn::Field(FieldId(0)),
        op: Op::Equal,
        value: PlanValue::Text(target.clone()),
        when: Truth::True,
    });
    let plan = Plan::Any(tests.collect());
    C::via(
        field,
        &Filter {
            plan: &plan,
            context,
            registry: None,
        },
        true,
    )
    .unwrap_or(Predicate::Never)
}

/// The collections, besides its own, whose rows decide a rule.
fn reads<C: Collection>(rule: &Rule<C>) -> &'static [&'static str] {
    match rule {
        Rule::When(rule) => rule.reads,
        Rule::Locked | Rule::Public => &[],
    }
}

/// As the schema spells it; empty if public, `None` if locked.
fn text_of_rule<C: Collection>(rule: &Rule<C>) -> Option<&'static str> {
    match rule {
        Rule::Locked => None,
        Rule::Public => Some(""),
        Rule::When(rule) => Some(rule.text),
    }
}

impl<C: Collection> Endpoint for Of<C> {
    fn meta(&self) -> &'static CollectionMeta {
        C::META
    }

    fn rule_state(&self, action: Action) -> RuleState {
        access::state(access::rule(C::rules(), action))
    }

    fn rule_text(&self, action: Action) -> Option<&'static str> {
        text_of_rule(access::rule(C::rules(), action))
    }

    fn rule_reads(&self, action: Action) -> &'static [&'static str] {
        reads(access::rule(C::rules(), action))
    }

    fn field_guards(&self) -> Vec<FieldGuard> {
        let guard = |rules: &FieldRules<C>| FieldGuard {
            field: rules.field,
            read: access::state(&rules.read),
            reads: reads(&rules.read),
            write: access::state(&rules.write),
            read_text: text_of_rule(&rules.read),
            write_text: text_of_rule(&rules.write),
        };
        C::rules().fields.iter().map(guard).collect()
    }

    fn readable(
        &self,
        conn: &mut Conn,
        context: &Context<'_>,
        field: usize,
        records: &[&dyn Record],
    ) -> QueryResult<Vec<bool>> {
        let condition = match fields::readable::<C>(context, field) {
            Predicate::Always => return Ok(vec![true; records.len()]),
            Predicate::Never => return Ok(vec![false; records.len()]),
            Predicate::When(condition) => condition,
        };
        let rules = C::rules().of_field(field);
        if let Some(rules) = rules
            && let Rule::When(rule) = &rules.read
            && (rules.read_is_local || records.len() <= 1)
        {
            let asked = records
                .iter()
                .map(|record| (rule.memory)(context, typed::<C>(*record)?, conn));
            return asked.collect();
        }
        let ids: Vec<String> = records.iter().map(|one| one.id().to_owned()).collect();
        let scope = Scope::<C>::system().with_ids(&ids).filter(condition);
        let found = scope.ids(conn)?;
        Ok(ids.iter().map(|id| found.contains(id)).collect())
    }

    fn readable_ids(&self, context: &Context<'_>, field: usize) -> Readable {
        fields::readable_ids::<C>(context, field)
    }

    fn may_write(
        &self,
        conn: &mut Conn,
        context: &Context<'_>,
        record: &dyn Record,
        field: usize,
    ) -> QueryResult<bool> {
        match C::rules().of_field(field).map(|rules| &rules.write) {
            None | Some(Rule::Public) => Ok(true),
            Some(Rule::Locked) => Ok(false),
            Some(Rule::When(rule)) => (rule.memory)(context, typed::<C>(record)?, conn),
        }
    }

    fn orderable_ids(&self, context: &Context<'_>, field: usize) -> Readable {
        fields::orderable_ids::<C>(context, field)
    }

    fn listable_ids(&self, context: &Context<'_>) -> Readable {
        let listable = match &C::rules().list {
            Rule::Locked => Predicate::Never,
            Rule::Public => Predicate::Always,
            Rule::When(rule) => (rule.sql)(context),
        };
        fields::ids_of::<C>(listable, context.form)
    }

    fn satisfies(
        &self,
        conn: &mut Conn,
        context: &Context<'_>,
        record: &dyn Record,
        action: Action,
    ) -> QueryResult<bool> {
        match access::rule(C::rules(), action) {
            Rule::Locked => Ok(false),
            Rule::Public => Ok(true),
            Rule::When(rule) => (rule.memory)(context, typed::<C>(record)?, conn),
        }
    }

    fn page(
        &self,
        snapshot: &mut Snapshot<'_>,
        context: &Context<'_>,
        query: &PageQuery<'_>,
        rows: Option<&mut Rows<'_>>,
    ) -> Result<Page, ApiError> {
        super::page::page::<C>(&self.shares, snapshot, context, query, rows)
    }

    fn write_allowed(
        &self,
        conn: &mut Conn,
        context: &Context<'_>,
        action: Action,
        id: &str,
        rows: &mut Rows<'_>,
    ) -> QueryResult<()> {
        // A locked rule was answered before; here it allows nothing.
        let Ok(scope) = Scope::<C>::for_action(context, action) else {
            return Ok(());
        };
        let with_id = scope.matching(access::column_in::<C>(0, &[id.to_owned()]));
        let (part, layout) = ((Some(1), 0), rows.layout());
        with_id.rows(conn, Vec::new(), part, layout, &mut |row| rows.add(row))
    }

    fn find_allowed(
        &self,
        conn: &mut Conn,
        context: &Context<'_>,
        action: Action,
        id: &str,
    ) -> QueryResult<Option<Box<dyn Record>>> {
        // A locked rule was answered before; here it allows nothing.
        let Ok(scope) = Scope::<C>::for_action(context, action) else {
            return Ok(None);
        };
        let record = scope.find(conn, id)?;
        Ok(record.map(|record| Box::new(record.into_inner()) as Box<dyn Record>))
    }

    fn load_visible(
        &self,
        conn: &mut Conn,
        context: &Context<'_>,
        ids: &[String],
    ) -> QueryResult<Vec<Box<dyn Record>>> {
        let Ok(scope) = Scope::<C>::for_view(context) else {
            return Ok(Vec::new());
        };
        Ok(boxed(scope.with_ids(ids).page(
            conn,
            Vec::new(),
            None,
            0,
        )?))
    }

    fn write_visible(
        &self,
        conn: &mut Conn,
        context: &Context<'_>,
        ids: &[String],
        texts: &mut Texts<'_>,
    ) -> QueryResult<()> {
        let Ok(scope) = Scope::<C>::for_view(context) else {
            return Ok(());
        };
        let layout = texts.layout();
        let scope = scope.with_ids(ids);
        scope.rows(conn, Vec::new(), (None, 0), layout, &mut |row| {
            texts.add(row)
        })
    }

    fn load_referencing_visible(
        &self,
        conn: &mut Conn,
        context: &Context<'_>,
        field: usize,
        targets: &[String],
        limit: i64,
    ) -> QueryResult<Vec<Box<dyn Record>>> {
        let Ok(scope) = Scope::<C>::for_view(context) else {
            return Ok(Vec::new());
        };
        let scope = scope
            .matching(fields::readable::<C>(context, field))
            .matching(references::<C>(context, field, targets));
        let order = vec![C::rowid(false)];
        Ok(boxed(scope.page(conn, order, Some(limit), 0)?))
    }

    fn find_unchecked(
        &self,
        conn: &mut Conn,
        field: usize,
        value: &str,
        nocase: bool,
        limit: Option<i64>,
    ) -> QueryResult<Vec<Box<dyn Record>>> {
        let condition = if nocase {
            access::column_like::<C>(field, value)
        } else {
            access::column_in::<C>(field, &[value.to_owned()])
        };
        let scope = Scope::<C>::system().matching(condition);
        Ok(boxed(scope.page(conn, Vec::new(), limit, 0)?))
    }

    fn count_existing_unchecked(&self, conn: &mut Conn, ids: &[String]) -> QueryResult<i64> {
        Scope::<C>::system().with_ids(ids).count(conn)
    }

    fn count_all_unchecked(&self, conn: &mut Conn) -> QueryResult<i64> {
        C::count(Permit::grant(conn), None)
    }

    fn referencing_unchecked(
        &self,
        conn: &mut Conn,
        context: &Context<'_>,
        field: usize,
        targets: &[String],
    ) -> QueryResult<Vec<Box<dyn Record>>> {
        let condition = references::<C>(context, field, targets);
        Ok(boxed(Scope::<C>::system().matching(condition).load(conn)?))
    }

    fn probe_unchecked(
        &self,
        conn: &mut Conn,
        condition: &Filter<'_>,
        query: Probe<'_>,
    ) -> QueryResult<()> {
        // As lists do that nothing else is put beside.
        let split = filter::split::<C>(condition.plan);
        let form = match (condition.context.form, split, query) {
            (Form::In, Split::List, _) | (Form::In, Split::Link { .. }, Probe::Total) => {
                Form::Whole
            }
            (form, ..) => form,
        };
        let condition = &Filter {
            context: &Context {
                form,
                ..*condition.context
            },
            ..*condition
        };
        if form == Form::Whole && query == Probe::Total {
            let condition = filter::dynamic::<C>(condition);
            return count_parts::<C>(conn, condition, form, split).map(drop);
        }
        let scope = Scope::<C>::system().matching(filter::dynamic::<C>(condition));
        match query {
            Probe::Page(limit) => drop(scope.page(conn, vec![C::rowid(false)], Some(limit), 0)?),
            Probe::Total => drop(scope.count(conn)?),
            Probe::Record(id) => drop(scope.find(conn, id)?),
        }
        Ok(())
    }

    fn insert_unchecked(&self, conn: &mut Conn, record: &dyn Record) -> QueryResult<()> {
        system::insert::<C>(conn, typed::<C>(record)?)
    }

    fn update_unchecked(
        &self,
        conn: &mut Conn,
        old: &dyn Record,
        new: &dyn Record,
    ) -> QueryResult<()> {
        system::update::<C>(conn, typed::<C>(old)?, typed::<C>(new)?)
    }

    fn delete_unchecked(&self, conn: &mut Conn, id: &str) -> QueryResult<usize> {
        system::delete::<C>(conn, id)
    }

    fn delete_rows_unchecked(
        &self,
        conn: &mut Conn,
        field: usize,
        values: &[String],
    ) -> QueryResult<usize> {
        system::delete_where::<C>(conn, access::column_in::<C>(field, values))
    }

    fn blank(&self) -> Box<dyn Record> {
        Box::new(C::Record::default())
    }

    fn copy(&self, record: &dyn Record) -> QueryResult<Box<dyn Record>> {
        Ok(Box::new(typed::<C>(record)?.clone()))
    }

    fn has_hooks(&self) -> bool {
        !self.hooks.is_empty()
    }

    fn run_hooks(&self, context: &mut HookContext<'_>, mut event: Event<'_>) -> HookResult {
        for hooks in &self.hooks {
            run::<C>(hooks.as_ref(), context, &mut event)?;
        }
        Ok(())
    }
}

fn run<C: Collection>(
    hooks: &dyn Hooks<C>,
    context: &mut HookContext<'_>,
    event: &mut Event<'_>,
) -> HookResult {
    let bad = |error: DbError| ApiError::internal(error);
    match event {
        Event::BeforeCreate(new) => {
            hooks.before_create(context, typed_mut::<C>(*new).map_err(bad)?)
        }
        Event::AfterCreate(new) => hooks.after_create(context, typed::<C>(*new).map_err(bad)?),
        Event::BeforeUpdate(old, new) => {
            let old = typed::<C>(*old).map_err(bad)?;
            hooks.before_update(context, old, typed_mut::<C>(*new).map_err(bad)?)
        }
        Event::AfterUpdate(old, new) => {
            let old = typed::<C>(*old).map_err(bad)?;
            hooks.after_update(context, old, typed::<C>(*new).map_err(bad)?)
        }
        Event::BeforeDelete(old) => hooks.before_delete(context, typed::<C>(*old).map_err(bad)?),
        Event::AfterDelete(old) => hooks.after_delete(context, typed::<C>(*old).map_err(bad)?),
        Event::BeforeAuth(record) => hooks.before_auth(context, typed::<C>(*record).map_err(bad)?),
        Event::AfterAuth(record) => hooks.after_auth(context, typed::<C>(*record).map_err(bad)?),
    }
}
