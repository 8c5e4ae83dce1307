//! A hook that answers for itself, so that it shows when it runs.

use basalt_runtime::error::ApiError;
use basalt_runtime::hooks::{HookContext, HookResult, Hooks};

use crate::generated::staff::{Staff, StaffRecord};

/// Hooks of `staff`.
pub(crate) struct OfStaff;

/// Refuses the rank that is made up for it.
fn refuse(new: &StaffRecord) -> HookResult {
    if new.rank == "hooked" {
        return Err(ApiError::new(418, "The hook has run."));
    }
    Ok(())
}

impl Hooks<Staff> for OfStaff {
    fn before_create(&self, _context: &mut HookContext<'_>, new: &mut StaffRecord) -> HookResult {
        refuse(new)
    }

    fn before_update(
        &self,
        _context: &mut HookContext<'_>,
        _old: &StaffRecord,
        new: &mut StaffRecord,
    ) -> HookResult {
        refuse(new)
    }
}
