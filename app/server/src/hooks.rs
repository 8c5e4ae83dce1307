//! The demo's hooks: an example of code that takes part in a write.

use basalt_runtime::error::ApiError;
use basalt_runtime::hooks::{HookContext, HookResult, Hooks};

use crate::generated::posts::{Post, Posts as Collection};

/// The longest run of `!` that a title may end in.
const PATIENCE: usize = 3;

/// Hooks of `posts`.
pub struct Posts;

impl Hooks<Collection> for Posts {
    fn before_create(&self, _context: &mut HookContext<'_>, new: &mut Post) -> HookResult {
        calm(new)
    }

    fn before_update(
        &self,
        _context: &mut HookContext<'_>,
        _old: &Post,
        new: &mut Post,
    ) -> HookResult {
        calm(new)
    }
}

/// Shouting is toned down, and refused where it is all that there is.
fn calm(post: &mut Post) -> HookResult {
    let quiet = post.title.trim_end_matches('!');
    let marks = post.title.len() - quiet.len();
    if marks <= PATIENCE {
        return Ok(());
    }
    if quiet.is_empty() {
        return Err(ApiError::new(
            400,
            "A title needs more than exclamation marks.",
        ));
    }
    post.title = format!("{quiet}!");
    Ok(())
}
