//! All collections, found by name or id, behind one object-safe trait.

mod count;
mod of;
mod page;
mod schema;
mod share;

use std::collections::HashMap;
use std::fmt;
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use basalt_lang::plan::Plan;
use basalt_lang::schema::{CollectionId, FieldId};
use basalt_lang::typed::Expr;
use basalt_lang::{Caller, Scope};
use diesel::QueryResult;

pub use self::of::Of;
use crate::access::fields::Readable;
use crate::collection::{Collection, Record};
use crate::error::ApiError;
use crate::hooks::{HookContext, HookResult, Hooks};
use crate::meta::{CollectionMeta, FieldKind};
use crate::rules::{Context, Filter};
use crate::sql::Conn;
use crate::storage::{Marks, Snapshot, Totals};
use crate::wire::Shape;
use crate::wire::layout::{Rows, Texts};

/// What a rule is asked about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// `list`
    List,
    /// `view`
    View,
    /// `create`
    Create,
    /// `update`
    Update,
    /// `delete`
    Delete,
    /// `auth`
    Auth,
    /// `manage`
    Manage,
}

/// A rule without its content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RuleState {
    /// Superusers only.
    Locked,
    /// Everyone.
    Public,
    /// A rule decides.
    When,
}

/// The rules of a field, without their content.
#[derive(Debug, Clone, Copy)]
pub struct FieldGuard {
    /// The field's place.
    pub field: usize,
    /// Who may see it.
    pub read: RuleState,
    /// The collections, besides this one, whose rows decide who may see it.
    pub reads: &'static [&'static str],
    /// Who may set it.
    pub write: RuleState,
    /// The text of the `read` rule; empty if public, `None` if locked.
    pub read_text: Option<&'static str>,
    /// The text of the `write` rule, likewise.
    pub write_text: Option<&'static str>,
}

/// Which query is run for [`Endpoint::probe_unchecked`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Probe<'a> {
    /// That of a page: so many records in the order of insertion.
    Page(i64),
    /// That of a total.
    Total,
    /// That of one record: its id.
    Record(&'a str),
}

/// Which page of a list is wanted.
pub struct PageQuery<'a> {
    /// All collections, since a sort may lead through several.
    pub registry: &'a Registry,
    /// The client's filter.
    pub filter: Option<&'a Plan>,
    /// What tells this filter from others; 0 without one.
    pub question: u64,
    /// The order; without one, that of insertion.
    pub sort: &'a [basalt_lang::SortKey],
    /// How many records at most.
    pub limit: i64,
    /// How many to skip.
    pub offset: i64,
    /// Is the total wanted? Then with what was counted before.
    pub totals: Option<&'a Counted>,
}

/// The totals that are known, as of the moment before the read began.
pub struct Counted {
    /// The totals.
    pub totals: Totals,
    /// The versions of every collection that the list depends on.
    pub marks: Marks,
    /// The version of the listed collection alone.
    pub own: Marks,
}

/// A page of a list.
pub struct Page {
    /// The records, in order, unless they are written.
    pub records: Vec<Box<dyn Record>>,
    /// How many records the whole list has, if that was asked.
    pub total: Option<i64>,
}

/// What happened, or is about to, for the hooks of a collection.
pub enum Event<'a> {
    /// Before a create is checked.
    BeforeCreate(&'a mut dyn Record),
    /// After the insert.
    AfterCreate(&'a dyn Record),
    /// Before an update is validated: the stored record and its new version.
    BeforeUpdate(&'a dyn Record, &'a mut dyn Record),
    /// After the update: the former record and the new one.
    AfterUpdate(&'a dyn Record, &'a dyn Record),
    /// Before the row is deleted.
    BeforeDelete(&'a dyn Record),
    /// After the row was deleted.
    AfterDelete(&'a dyn Record),
    /// After credentials were accepted.
    BeforeAuth(&'a dyn Record),
    /// After the token was made.
    AfterAuth(&'a dyn Record),
}

/// A collection without its type: what crosses collections (login, expand, cascades) goes
/// through here. Accesses that bypass rules say so in their names.
pub trait Endpoint: Send + Sync {
    /// Names, options and indexes.
    fn meta(&self) -> &'static CollectionMeta;
    /// Is the rule locked, public, or an expression?
    fn rule_state(&self, action: Action) -> RuleState;
    /// What the rule says: `None` if it is locked, "" if it is public.
    fn rule_text(&self, action: Action) -> Option<&'static str>;
    /// The collections, besides this one, whose rows decide what the rule allows.
    fn rule_reads(&self, action: Action) -> &'static [&'static str];
    /// The rules of those fields that have any.
    fn field_guards(&self) -> Vec<FieldGuard>;
    /// Of which of these records may the caller read the field? In their order.
    fn readable(
        &self,
        conn: &mut Conn,
        context: &Context<'_>,
        field: usize,
        records: &[&dyn Record],
    ) -> QueryResult<Vec<bool>>;
    /// The rows of which the caller may read the field, by their ids.
    fn readable_ids(&self, context: &Context<'_>, field: usize) -> Readable;
    /// The rows of which an order may tell the field, by their ids.
    fn orderable_ids(&self, context: &Context<'_>, field: usize) -> Readable;
    /// May the caller set the field of this record?
    fn may_write(
        &self,
        conn: &mut Conn,
        context: &Context<'_>,
        record: &dyn Record,
        field: usize,
    ) -> QueryResult<bool>;
    /// The rows that the list rule shows to this caller, by their ids.
    fn listable_ids(&self, context: &Context<'_>) -> Readable;
    /// Does the rule of `action` (view, auth, manage …) hold for this record (memory form)?
    /// Locked is false here; superusers are the caller's business.
    fn satisfies(
        &self,
        conn: &mut Conn,
        context: &Context<'_>,
        record: &dyn Record,
        action: Action,
    ) -> QueryResult<bool>;
    /// One page of what the list rule shows to this caller (superusers: of everything). With
    /// `rows`, it is written there by the last statement, instead of being found as records.
    fn page(
        &self,
        snapshot: &mut Snapshot<'_>,
        context: &Context<'_>,
        query: &PageQuery<'_>,
        rows: Option<&mut Rows<'_>>,
    ) -> Result<Page, ApiError>;
    /// Writes the record with this id, if the rule of `action` allows it to this caller.
    fn write_allowed(
        &self,
        conn: &mut Conn,
        context: &Context<'_>,
        action: Action,
        id: &str,
        rows: &mut Rows<'_>,
    ) -> QueryResult<()>;
    /// The record with this id, if the rule of `action` allows it to this caller.
    fn find_allowed(
        &self,
        conn: &mut Conn,
        context: &Context<'_>,
        action: Action,
        id: &str,
    ) -> QueryResult<Option<Box<dyn Record>>>;
    /// The records with these ids that the view rule shows to this caller (superusers: all),
    /// in no particular order.
    fn load_visible(
        &self,
        conn: &mut Conn,
        context: &Context<'_>,
        ids: &[String],
    ) -> QueryResult<Vec<Box<dyn Record>>>;
    /// Writes those records, as they come.
    fn write_visible(
        &self,
        conn: &mut Conn,
        context: &Context<'_>,
        ids: &[String],
        texts: &mut Texts<'_>,
    ) -> QueryResult<()>;
    /// The records whose relation `field` contains one of these ids, as far as the view rule
    /// shows them and the field to this caller, in the order of insertion: the first `limit`.
    fn load_referencing_visible(
        &self,
        conn: &mut Conn,
        context: &Context<'_>,
        field: usize,
        targets: &[String],
        limit: i64,
    ) -> QueryResult<Vec<Box<dyn Record>>>;
    /// The records whose `field` has this value, without any rule. For logins, tokens, cascades.
    fn find_unchecked(
        &self,
        conn: &mut Conn,
        field: usize,
        value: &str,
        nocase: bool,
        limit: Option<i64>,
    ) -> QueryResult<Vec<Box<dyn Record>>>;
    /// How many of these ids exist, without any rule. For relations.
    fn count_existing_unchecked(&self, conn: &mut Conn, ids: &[String]) -> QueryResult<i64>;
    /// How many records there are, without any rule.
    fn count_all_unchecked(&self, conn: &mut Conn) -> QueryResult<i64>;
    /// The records whose relation `field` contains one of these ids, without any rule. For cascades.
    fn referencing_unchecked(
        &self,
        conn: &mut Conn,
        context: &Context<'_>,
        field: usize,
        targets: &[String],
    ) -> QueryResult<Vec<Box<dyn Record>>>;
    /// Runs the query that a list, its total or a look at one record runs where a rule leaves
    /// `condition`, without any rule and in its context's form; what is found is dropped. For
    /// explaining what the server does.
    fn probe_unchecked(
        &self,
        conn: &mut Conn,
        condition: &Filter<'_>,
        query: Probe<'_>,
    ) -> QueryResult<()>;
    /// Inserts a record without any rule or validation.
    fn insert_unchecked(&self, conn: &mut Conn, record: &dyn Record) -> QueryResult<()>;
    /// Writes what differs, without any rule or validation.
    fn update_unchecked(
        &self,
        conn: &mut Conn,
        old: &dyn Record,
        new: &dyn Record,
    ) -> QueryResult<()>;
    /// Deletes one row, without any rule and without cascades.
    fn delete_unchecked(&self, conn: &mut Conn, id: &str) -> QueryResult<usize>;
    /// Deletes the rows whose `field`, the id or a single relation, is one of these, likewise.
    fn delete_rows_unchecked(
        &self,
        conn: &mut Conn,
        field: usize,
        values: &[String],
    ) -> QueryResult<usize>;
    /// A record with zero values.
    fn blank(&self) -> Box<dyn Record>;
    /// A copy of one of this collection's records.
    fn copy(&self, record: &dyn Record) -> QueryResult<Box<dyn Record>>;
    /// Runs the application's hooks, in the order in which they were registered.
    fn run_hooks(&self, context: &mut HookContext<'_>, event: Event<'_>) -> HookResult;
    /// Has the application hooks here?
    fn has_hooks(&self) -> bool;
}

/// One registered collection with what is derived from its metadata once.
pub struct Entry {
    endpoint: Box<dyn Endpoint>,
    /// Its place in the order by name.
    pub place: CollectionId,
    /// How its records look on the wire.
    pub shape: Shape,
    /// The rules of those fields that have any.
    pub guards: Vec<FieldGuard>,
    /// The fields as the filter language sees them.
    fields: Vec<schema::OwnedField>,
    /// The list rule as it was understood.
    list_rule: OnceLock<Result<Option<Expr>, NotUnderstood>>,
}

impl fmt::Debug for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Entry").field(&self.meta().name).finish()
    }
}

impl Deref for Entry {
    type Target = dyn Endpoint;
    fn deref(&self) -> &Self::Target {
        self.endpoint.as_ref()
    }
}

impl Entry {
    /// The list rule, for filters that look at the same related records as it does; `None` if it is
    /// locked or public.
    ///
    /// # Errors
    /// The build accepted a rule that isn't understood now. A filter beside it must not be asked then:
    /// it could tell of records that the rule keeps back.
    pub(crate) fn list_rule(&self, registry: &Registry) -> Result<Option<&Expr>, &NotUnderstood> {
        let compile = || {
            let text = match self.rule_text(Action::List) {
                None | Some("") => return Ok(None),
                Some(text) => text,
            };
            let scope = Scope::new(registry, self.place, Caller::Rule).imported(true);
            match basalt_lang::compile(text, &scope) {
                Ok(compiled) => Ok(Some(compiled.typed)),
                Err(errors) => Err(NotUnderstood(format!(
                    "the list rule of {} is not understood: {errors:?}",
                    self.meta().name
                ))),
            }
        };
        let known = self.list_rule.get_or_init(compile).as_ref();
        known.map(Option::as_ref)
    }
}

/// Why a rule can't be asked.
#[derive(Debug)]
pub(crate) struct NotUnderstood(String);

impl fmt::Display for NotUnderstood {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// All collections. Cheap to clone: one allocation, shared.
#[derive(Clone)]
pub struct Registry {
    inner: Arc<Inner>,
}

struct Inner {
    entries: Vec<Arc<Entry>>,
    by_name: HashMap<String, usize>,
    by_id: HashMap<&'static str, usize>,
    unmigrated: &'static [&'static str],
}

impl Registry {
    /// Finds a collection by its name (any ASCII case) or its id (exact).
    pub fn find(&self, name_or_id: &str) -> Option<&Arc<Entry>> {
        let inner = &self.inner;
        let by_name = || inner.by_name.get(name_or_id);
        let in_any_case = || inner.by_name.get(name_or_id.to_ascii_lowercase().as_str());
        let by_id = inner.by_id.get(name_or_id);
        let place = by_id.or_else(by_name).or_else(in_any_case)?;
        inner.entries.get(*place)
    }

    /// Every collection, by name.
    pub fn entries(&self) -> &[Arc<Entry>] {
        &self.inner.entries
    }

    /// The changes of the schema that no migration makes, in words.
    pub fn unmigrated(&self) -> &'static [&'static str] {
        self.inner.unmigrated
    }

    /// The metadata of the collection at a place.
    pub fn meta(&self, place: CollectionId) -> Option<&'static CollectionMeta> {
        self.entries().get(place.0).map(|entry| entry.meta())
    }

    /// Does the relation lead to one record at most?
    pub fn is_single(&self, place: CollectionId, field: FieldId) -> bool {
        let field = self.meta(place).and_then(|meta| meta.field(field.0));
        field.is_some_and(|field| {
            matches!(field.kind, FieldKind::Relation { .. }) && !field.kind.is_many()
        })
    }

    /// The metadata of every collection, by name.
    pub fn metas(&self) -> impl Iterator<Item = &'static CollectionMeta> {
        self.inner.entries.iter().map(|entry| entry.meta())
    }
}

/// Collects the collections of an application; the generated code begins it, the application may
/// add hooks.
#[derive(Default)]
pub struct RegistryBuilder {
    endpoints: Vec<Box<dyn Building>>,
    unmigrated: &'static [&'static str],
}

/// An endpoint that still takes hooks.
trait Building {
    fn as_any(&mut self) -> &mut dyn std::any::Any;
    fn finish(self: Box<Self>) -> Box<dyn Endpoint>;
}

impl<C: Collection> Building for Of<C> {
    fn as_any(&mut self) -> &mut dyn std::any::Any {
        self
    }
    fn finish(self: Box<Self>) -> Box<dyn Endpoint> {
        self
    }
}

impl RegistryBuilder {
    /// Without collections.
    pub fn new() -> Self {
        RegistryBuilder::default()
    }

    /// Adds a collection.
    #[must_use]
    pub fn with<C: Collection>(mut self) -> Self {
        self.endpoints.push(Box::new(Of::<C>::new()));
        self
    }

    /// Names the changes of the schema that no migration makes. Generated code says so if there
    /// are any, and the program then refuses to start on a database.
    #[must_use]
    pub fn unmigrated(mut self, changes: &'static [&'static str]) -> Self {
        self.unmigrated = changes;
        self
    }

    /// Adds hooks to a collection, which is added too if it wasn't there. Hooks run in the order
    /// in which they are added.
    #[must_use]
    pub fn hooks<C: Collection>(mut self, hooks: Arc<dyn Hooks<C>>) -> Self {
        for endpoint in &mut self.endpoints {
            if let Some(endpoint) = endpoint.as_any().downcast_mut::<Of<C>>() {
                endpoint.add_hooks(hooks);
                return self;
            }
        }
        let mut endpoint = Of::<C>::new();
        endpoint.add_hooks(hooks);
        self.endpoints.push(Box::new(endpoint));
        self
    }

    /// The registry: ordered by name, which is the order of [`CollectionId`].
    pub fn build(self) -> Registry {
        let mut endpoints: Vec<Box<dyn Endpoint>> = self
            .endpoints
            .into_iter()
            .map(|endpoint| endpoint.finish())
            .collect();
        endpoints.sort_by_key(|endpoint| endpoint.meta().name);
        let names: Vec<&'static str> = endpoints.iter().map(|e| e.meta().name).collect();
        let entries: Vec<Arc<Entry>> = endpoints
            .into_iter()
            .enumerate()
            .map(|(place, endpoint)| {
                let meta = endpoint.meta();
                let guards = endpoint.field_guards();
                Arc::new(Entry {
                    place: CollectionId(place),
                    shape: Shape::of(meta),
                    fields: schema::owned_fields(meta, &names, &guards),
                    guards,
                    list_rule: OnceLock::new(),
                    endpoint,
                })
            })
            .collect();
        let by_name = names
            .iter()
            .enumerate()
            .map(|(place, name)| (name.to_ascii_lowercase(), place));
        let by_id = entries
            .iter()
            .enumerate()
            .map(|(place, entry)| (entry.meta().id, place));
        Registry {
            inner: Arc::new(Inner {
                by_name: by_name.collect(),
                by_id: by_id.collect(),
                entries,
                unmigrated: self.unmigrated,
            }),
        }
    }
}
