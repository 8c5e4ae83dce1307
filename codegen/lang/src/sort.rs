//! The sort parameter of a list.

use crate::error::{Code, Error};
use crate::every;
use crate::join::Joins;
use crate::lower::visible;
use crate::name::split;
use crate::path::resolve;
use crate::plan::{Column, Join, Plan};
use crate::scope::{Caller, Scope};
use crate::span::Span;
use crate::typed::{Hop, Root, Step};

/// The most keys in one sort.
pub const MAX_KEYS: usize = 8;
/// The most bytes of one key.
pub const MAX_KEY_BYTES: usize = 255;

/// One key of a sort.
#[derive(Debug, Clone, PartialEq)]
pub struct SortKey {
    /// What decides.
    pub by: SortBy,
    /// From the greatest to the least?
    pub descending: bool,
}

/// What a sort can go by.
#[derive(Debug, Clone, PartialEq)]
pub enum SortBy {
    /// A value of the row.
    Column(Column),
    /// A value of a record that single relations lead to; NULL where one of them is empty.
    Path {
        /// The relations on the way, at least one, each a [`crate::typed::Step::One`].
        hops: Vec<Hop>,
        /// The value, of the record where the hops end.
        column: Column,
        /// What the rows that are sorted must satisfy besides the filter, lest the order tell
        /// about records that the caller couldn't list.
        visible: Plan,
    },
    /// A value of the first of several records, in the order of the relation or of insertion.
    Joined {
        /// How to find them, as in [`Plan::Joined`].
        joins: Vec<Join>,
        /// The value, a [`Column::Of`] the last of the joins.
        column: Column,
        /// As in [`SortBy::Path`].
        visible: Plan,
    },
    /// `@random`
    Random,
    /// `@rowid`: the order of insertion.
    RowId,
}

/// Parses a sort such as `-created,name`; the empty text is no key.
pub fn parse_sort(text: &str, scope: &Scope<'_>) -> Result<Vec<SortKey>, Error> {
    if text.is_empty() {
        return Ok(Vec::new());
    }
    let mut keys = Vec::new();
    let mut at = 0;
    for item in text.split(',') {
        let key = item.trim();
        let start = at + (item.len() - item.trim_start().len());
        at += item.len() + 1;
        let span = Span {
            start,
            end: start + key.len(),
        };
        if keys.len() >= MAX_KEYS {
            let message = format!("more than {MAX_KEYS} sort keys");
            return Err(Error::new(Code::Sort, span, message, "one too many"));
        }
        if item.len() > MAX_KEY_BYTES {
            let message = format!("a sort key has at most {MAX_KEY_BYTES} bytes");
            return Err(Error::new(Code::Sort, span, message, "too long"));
        }
        keys.push(sort_key(key, span, scope)?);
    }
    Ok(keys)
}

fn sort_key(key: &str, span: Span, scope: &Scope<'_>) -> Result<SortKey, Error> {
    let descending = key.starts_with('-');
    let name = key.strip_prefix(['-', '+']).unwrap_or(key);
    let span = Span {
        start: span.end - name.len(),
        end: span.end,
    };
    let by = match name {
        "" => {
            return Err(Error::new(
                Code::Sort,
                span,
                "a sort key is empty",
                "a name is missing",
            ));
        }
        "@random" => SortBy::Random,
        "@rowid" => SortBy::RowId,
        _ => column(name, span, scope)?,
    };
    Ok(SortKey { by, descending })
}

fn column(name: &str, span: Span, scope: &Scope<'_>) -> Result<SortBy, Error> {
    let refused = |message: String| Err(Error::new(Code::Sort, span, message, "not a sort key"));
    let named = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | ':' | '@' | '#');
    let literal = ["null", "true", "false"]
        .iter()
        .any(|word| name.eq_ignore_ascii_case(word));
    if literal || name.starts_with(|c: char| c.is_ascii_digit()) || !name.chars().all(named) {
        return refused(format!("`{name}` is no field"));
    }
    let every = name.starts_with("@collection.") && scope.caller == Caller::Superuser;
    if name.starts_with('@') && !every {
        return refused(format!("`{name}` can't be sorted by"));
    }
    // Modifiers that don't apply are ignored, whoever asks; a rule has no sort.
    let caller = match scope.caller {
        Caller::Rule => Caller::Superuser,
        other => other,
    };
    let scope = &Scope { caller, ..*scope };
    let path = if every {
        every::resolve(scope, name, span)?.path
    } else {
        resolve(scope, &split(name, span)?)?.path
    };
    if path.root == Root::Row && path.hops.is_empty() {
        return Ok(SortBy::Column(path.column));
    }
    let visible = visible(&path);
    let single = path.hops.iter().all(|hop| matches!(hop.step, Step::One(_)));
    if path.root == Root::Row && single {
        return Ok(SortBy::Path {
            visible,
            hops: path.hops,
            column: path.column,
        });
    }
    let mut joins = Joins::default();
    let column = joins.column(&path);
    Ok(SortBy::Joined {
        joins: joins.into_joins(),
        column,
        visible,
    })
}
