//! The time in the names of migrations.

use time::OffsetDateTime;
use time::macros::format_description;

/// Now, in UTC, as `YYYY-MM-DD-HHMMSS`.
pub fn stamp() -> String {
    let format = format_description!("[year]-[month]-[day]-[hour][minute][second]");
    // Only numbers are formatted, into memory: there is nothing that could fail.
    OffsetDateTime::now_utc().format(format).unwrap_or_default()
}
