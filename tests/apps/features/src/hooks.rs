//! Hooks that change, refuse, and write another collection in the same transaction.

use basalt_runtime::access::system;
use basalt_runtime::error::ApiError;
use basalt_runtime::field::generate::generate;
use basalt_runtime::hooks::{HookContext, HookResult, Hooks};
use basalt_runtime::meta::Generate;

use crate::generated::journal::{Journal, JournalRecord};
use crate::generated::members::{Member, Members};
use crate::generated::notes::{Note, Notes};

/// Writes an entry, in the transaction of what is written down.
fn write_down(
    context: &mut HookContext<'_>,
    event: &str,
    record: &str,
    detail: String,
) -> HookResult {
    let entry = JournalRecord {
        id: generate(Generate::Pattern("[a-z0-9]{15}")),
        event: event.to_owned(),
        record: record.to_owned(),
        detail,
    };
    system::insert::<Journal>(context.conn, &entry).map_err(ApiError::internal)
}

/// A title that names an event is refused in the hook of that event.
fn refuse(event: &str, title: &str) -> HookResult {
    if title == event {
        let message = format!("Refused {event}.");
        return Err(ApiError::new(422, message));
    }
    Ok(())
}

/// Hooks of `notes`.
pub(crate) struct OfNotes;

impl Hooks<Notes> for OfNotes {
    fn before_create(&self, _context: &mut HookContext<'_>, new: &mut Note) -> HookResult {
        new.title = new.title.trim().to_owned();
        new.revision = 1.0;
        refuse("before create", &new.title)
    }

    fn after_create(&self, context: &mut HookContext<'_>, note: &Note) -> HookResult {
        write_down(context, "created", &note.id, note.title.clone())?;
        refuse("after create", &note.title)
    }

    fn before_update(
        &self,
        _context: &mut HookContext<'_>,
        old: &Note,
        new: &mut Note,
    ) -> HookResult {
        new.revision = old.revision + 1.0;
        refuse("before update", &new.title)
    }

    fn after_update(&self, context: &mut HookContext<'_>, old: &Note, new: &Note) -> HookResult {
        let detail = format!("{} > {}", old.title, new.title);
        write_down(context, "updated", &new.id, detail)?;
        refuse("after update", &new.title)
    }

    fn before_delete(&self, _context: &mut HookContext<'_>, note: &Note) -> HookResult {
        refuse("before delete", &note.title)
    }

    fn after_delete(&self, context: &mut HookContext<'_>, note: &Note) -> HookResult {
        write_down(context, "deleted", &note.id, note.title.clone())?;
        refuse("after delete", &note.title)
    }
}

/// Hooks of `members`.
pub(crate) struct OfMembers;

impl Hooks<Members> for OfMembers {
    fn before_auth(&self, _context: &mut HookContext<'_>, member: &Member) -> HookResult {
        refuse("before login", &member.team)
    }

    fn after_auth(&self, context: &mut HookContext<'_>, member: &Member) -> HookResult {
        write_down(context, "login", &member.id, member.username.clone())?;
        refuse("after login", &member.team)
    }
}
