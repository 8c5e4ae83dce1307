//! The query parameters of the records API.

pub mod excerpt;
pub mod expand;
pub mod picker;

use crate::error::ApiError;
use crate::request::RequestInfo;

/// Page size without `perPage`.
const DEFAULT_PER_PAGE: i64 = 30;
/// Greatest page size.
const MAX_PER_PAGE: i64 = 1000;
/// Greatest size of a filter in bytes.
const MAX_FILTER_BYTES: usize = 3500;

/// What a list was asked for, parsed but not yet checked against a collection.
#[derive(Debug, Clone, PartialEq)]
pub struct ListParams {
    /// From 1.
    pub page: i64,
    /// 1 to 1000.
    pub per_page: i64,
    /// Leave the total out?
    pub skip_total: bool,
    /// Empty for none.
    pub filter: String,
    /// Empty for none.
    pub sort: String,
}

impl ListParams {
    /// Reads the parameters. 400 for numbers and bools that are none, and a filter that is too long.
    pub fn parse(request: &RequestInfo) -> Result<Self, ApiError> {
        let text = |name: &str| request.query.get(name).map_or("", String::as_str);
        let filter = text("filter");
        if filter.len() > MAX_FILTER_BYTES {
            return Err(ApiError::bad_request());
        }
        let per_page = match integer(text("perPage"))? {
            Some(size) if size > 0 => size.min(MAX_PER_PAGE),
            _ => DEFAULT_PER_PAGE,
        };
        Ok(ListParams {
            page: integer(text("page"))?.unwrap_or(1).max(1),
            per_page,
            skip_total: boolean(text("skipTotal"))?,
            filter: filter.to_owned(),
            sort: text("sort").to_owned(),
        })
    }

    /// How many records come before this page.
    pub fn offset(&self) -> i64 {
        (self.page - 1).saturating_mul(self.per_page)
    }
}

fn integer(text: &str) -> Result<Option<i64>, ApiError> {
    if text.is_empty() {
        return Ok(None);
    }
    text.parse().map(Some).map_err(|_| ApiError::bad_request())
}

fn boolean(text: &str) -> Result<bool, ApiError> {
    match text {
        "1" | "t" | "T" | "true" | "TRUE" | "True" => Ok(true),
        "" | "0" | "f" | "F" | "false" | "FALSE" | "False" => Ok(false),
        _ => Err(ApiError::bad_request()),
    }
}

/// What only superusers may filter and sort by, looked for as plain text like the peer does.
pub fn superuser_part(text: &str) -> Option<&'static str> {
    ["@collection.", "@request."]
        .into_iter()
        .find(|part| text.contains(part))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn numbers_and_bools() {
        assert_eq!(integer("-5").unwrap(), Some(-5));
        assert_eq!(integer("+5").unwrap(), Some(5));
        assert_eq!(integer("").unwrap(), None);
        for bad in ["1.5", "x", " 1", "99999999999999999999"] {
            assert!(integer(bad).is_err(), "{bad}");
        }
        assert!(boolean("T").unwrap());
        assert!(!boolean("0").unwrap());
        assert!(boolean("yes").is_err());
    }
}
