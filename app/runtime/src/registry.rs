//! All collections, found by name or id, behind one object-safe trait.

use diesel::QueryResult;

use crate::collection::Record;
use crate::meta::CollectionMeta;
use crate::rules::Context;
use crate::sql::Conn;

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

/// A collection without its type: what crosses collections (login, expand, cascades) goes
/// through here. Reads that bypass rules say so in their names.
pub trait Endpoint: Send + Sync {
    /// Names, options and indexes.
    fn meta(&self) -> &'static CollectionMeta;
    /// Is the rule locked, public, or an expression?
    fn rule_state(&self, action: Action) -> RuleState;
    /// Does the rule of `action` (view, auth, manage …) hold for this record (memory form)?
    /// Locked is false here; superusers are the caller's business.
    fn satisfies(
        &self,
        conn: &mut Conn,
        context: &Context<'_>,
        record: &dyn Record,
        action: Action,
    ) -> QueryResult<bool>;
    /// The records with these ids that the view rule shows to this caller (superusers: all),
    /// in one query, in no particular order.
    fn load_visible(
        &self,
        conn: &mut Conn,
        context: &Context<'_>,
        ids: &[String],
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
    /// The records whose relation `field` contains this id, without any rule. For cascades.
    fn referencing_unchecked(
        &self,
        conn: &mut Conn,
        field: usize,
        target: &str,
    ) -> QueryResult<Vec<Box<dyn Record>>>;
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
    /// A record with zero values.
    fn blank(&self) -> Box<dyn Record>;
}
