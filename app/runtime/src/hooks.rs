//! Typed hooks: an application's own code before and after writes and logins, in the same
//! transaction as the write.

use crate::collection::Collection;
use crate::error::ApiError;
use crate::request::RequestInfo;
use crate::sql::Conn;

/// What a hook can use.
pub struct HookContext<'a> {
    /// The request that caused this.
    pub request: &'a RequestInfo,
    /// The connection, inside the write's transaction: what a hook writes is committed with it,
    /// or not at all.
    pub conn: &'a mut Conn,
}

/// What a hook may answer: `Err` refuses the request with that error and rolls back.
pub type HookResult = Result<(), ApiError>;

/// Hooks of one collection. All do nothing unless overridden.
///
/// Passwords are hashed before a hook sees them. One that a hook sets itself must be a hash too,
/// such as [`hash_blocking`](crate::auth::password::hash_blocking) makes, or the write fails.
#[allow(unused_variables)]
pub trait Hooks<C: Collection>: Send + Sync {
    /// Before validation and the create rule; may change the record, and more of it than the
    /// caller: `verified` of an account, say.
    fn before_create(&self, context: &mut HookContext<'_>, new: &mut C::Record) -> HookResult {
        Ok(())
    }
    /// After the record was inserted, before the commit.
    fn after_create(&self, context: &mut HookContext<'_>, record: &C::Record) -> HookResult {
        Ok(())
    }
    /// After the update rule, before validation; may change the new version.
    fn before_update(
        &self,
        context: &mut HookContext<'_>,
        old: &C::Record,
        new: &mut C::Record,
    ) -> HookResult {
        Ok(())
    }
    /// After the record was written, before the commit.
    fn after_update(
        &self,
        context: &mut HookContext<'_>,
        old: &C::Record,
        new: &C::Record,
    ) -> HookResult {
        Ok(())
    }
    /// Before the record is deleted (also by a cascade).
    fn before_delete(&self, context: &mut HookContext<'_>, record: &C::Record) -> HookResult {
        Ok(())
    }
    /// After the record was deleted, before the commit.
    fn after_delete(&self, context: &mut HookContext<'_>, record: &C::Record) -> HookResult {
        Ok(())
    }
    /// After the credentials were accepted, before the token is issued.
    fn before_auth(&self, context: &mut HookContext<'_>, record: &C::Record) -> HookResult {
        Ok(())
    }
    /// After the token was made, before the answer.
    fn after_auth(&self, context: &mut HookContext<'_>, record: &C::Record) -> HookResult {
        Ok(())
    }
}
