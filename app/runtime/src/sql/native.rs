//! `contains(wanted, text)`, told to SQLite without Diesel, whose wrapper costs more for each row
//! than the search itself: a scan of 100,000 texts of 500 characters takes a fifth longer by it.
//! The only unsafe code there is; what it decides is safe code in [`super::contains`].
#![allow(unsafe_code)]

use std::ffi::{c_char, c_int, c_void};
use std::panic::catch_unwind;
use std::slice;
use std::sync::Once;

use libsqlite3_sys as sqlite;

use super::contains::Search;

/// Gives the function to every connection that is opened from now on.
pub(super) fn install() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // SAFETY: `greet` has the signature that SQLite calls such functions by, and lives as long
        // as the process. Without memory SQLite refuses; conditions then say that there is no such
        // function.
        unsafe { sqlite::sqlite3_auto_extension(Some(greet)) };
    });
}

/// Called by SQLite for each new connection.
unsafe extern "C" fn greet(
    connection: *mut sqlite::sqlite3,
    _message: *mut *mut c_char,
    _routines: *const sqlite::sqlite3_api_routines,
) -> c_int {
    let flags = sqlite::SQLITE_UTF8 | sqlite::SQLITE_DETERMINISTIC | sqlite::SQLITE_INNOCUOUS;
    // SAFETY: the connection is SQLite's own, open and used by this thread alone; the name ends
    // with a zero, and the function has the signature and lives as long as the process.
    unsafe {
        sqlite::sqlite3_create_function_v2(
            connection,
            c"contains".as_ptr(),
            2,
            flags,
            std::ptr::null_mut(),
            Some(contains),
            None,
            None,
            None,
        )
    }
}

/// Does the second argument contain the first? NULL, if one of them is.
unsafe extern "C" fn contains(
    context: *mut sqlite::sqlite3_context,
    count: c_int,
    values: *mut *mut sqlite::sqlite3_value,
) {
    let count = usize::try_from(count).unwrap_or(0);
    // SAFETY: SQLite gives as many valid values as it says, for as long as this call takes.
    let [wanted, text] = (unsafe { slice::from_raw_parts(values, count) }) else {
        return;
    };
    // SAFETY: as above. What is given no result stays NULL.
    unsafe {
        let is_null = |value| sqlite::sqlite3_value_type(value) == sqlite::SQLITE_NULL;
        if is_null(*wanted) || is_null(*text) {
            return;
        }
        let kept = sqlite::sqlite3_get_auxdata(context, WANTED).cast::<Search>();
        // SAFETY: only `keep` puts something there, a `Search` that SQLite drops by `forget`.
        let found = match kept.as_ref() {
            Some(search) => catch_unwind(|| search.is_in(bytes(*text))),
            None => catch_unwind(|| {
                let search = Search::new(bytes(*wanted));
                let found = search.is_in(bytes(*text));
                keep(context, search);
                found
            }),
        };
        match found {
            Ok(found) => sqlite::sqlite3_result_int(context, c_int::from(found)),
            Err(_) => sqlite::sqlite3_result_error_code(context, sqlite::SQLITE_INTERNAL),
        }
    }
}

/// Which argument what is kept for a statement belongs to: SQLite forgets it when that changes.
const WANTED: c_int = 0;

/// Keeps the search for the statement's further rows.
///
/// # Safety
/// The context must be that of the call.
unsafe fn keep(context: *mut sqlite::sqlite3_context, search: Search) {
    let search = Box::into_raw(Box::new(search)).cast::<c_void>();
    // SAFETY: SQLite owns the box from here on, and calls `forget` once, be it at once.
    unsafe { sqlite::sqlite3_set_auxdata(context, WANTED, search, Some(forget)) };
}

unsafe extern "C" fn forget(search: *mut c_void) {
    // SAFETY: it came from `Box::into_raw` in `keep`, and SQLite calls this once.
    drop(unsafe { Box::from_raw(search.cast::<Search>()) });
}

/// The bytes of a value, seen where they lie: of a number those of its text, as for LIKE.
///
/// # Safety
/// The value must be valid for `'a`, and not be asked for anything else meanwhile.
unsafe fn bytes<'a>(value: *mut sqlite::sqlite3_value) -> &'a [u8] {
    // SAFETY: SQLite keeps the bytes until the value is asked for another form; the length belongs
    // to the form that was asked for before it.
    unsafe {
        let start = sqlite::sqlite3_value_blob(value).cast::<u8>();
        let length = usize::try_from(sqlite::sqlite3_value_bytes(value)).unwrap_or(0);
        if start.is_null() {
            return &[];
        }
        slice::from_raw_parts(start, length)
    }
}
