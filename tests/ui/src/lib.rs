//! Bad schemas under `cases/`, each with the whole report that it must give: see `tests/reports.rs`.
//! `UPDATE_GOLDEN=1 cargo test -p basalt-ui-tests` rewrites the reports.
