//! The one error of the HTTP API, with an explicit status and body.

use std::collections::BTreeMap;

use serde_json::{Map, Value as JsonValue};

/// An answer other than success: `{"data":{…},"message":"…","status":…}`.
#[derive(Debug, Clone, PartialEq)]
pub struct ApiError {
    /// The HTTP status.
    pub status: u16,
    /// A sentence that ends with a full stop.
    pub message: String,
    /// Details, by field.
    pub data: Map<String, JsonValue>,
}

/// What is wrong with one field.
#[derive(Debug, Clone, PartialEq)]
pub struct FieldError {
    /// The peer's code, e.g. `validation_required`.
    pub code: &'static str,
    /// A sentence.
    pub message: String,
    /// The numbers that the sentence speaks of.
    pub params: Map<String, JsonValue>,
}

/// Everything that is wrong with a body, by field.
pub type FieldErrors = BTreeMap<String, FieldError>;

const GENERIC: &str = "Something went wrong while processing your request.";

impl FieldError {
    /// Without parameters.
    pub fn new(code: &'static str, message: impl Into<String>) -> Self {
        FieldError {
            code,
            message: message.into(),
            params: Map::new(),
        }
    }

    /// Adds a parameter.
    pub fn with(mut self, name: &str, value: impl Into<JsonValue>) -> Self {
        self.params.insert(name.to_owned(), value.into());
        self
    }
}

impl ApiError {
    /// Any status with a message and no details.
    pub fn new(status: u16, message: impl Into<String>) -> Self {
        ApiError {
            status,
            message: message.into(),
            data: Map::new(),
        }
    }

    /// 400 with the generic message.
    pub fn bad_request() -> Self {
        ApiError::new(400, GENERIC)
    }

    /// 403 with the default message.
    pub fn forbidden() -> Self {
        ApiError::new(403, "You are not allowed to perform this request.")
    }

    /// 403 of a locked rule.
    pub fn superusers_only() -> Self {
        ApiError::new(403, "Only superusers can perform this action.")
    }

    /// 404 with the default message.
    pub fn not_found() -> Self {
        ApiError::new(404, "The requested resource wasn't found.")
    }

    /// 413.
    pub fn too_large() -> Self {
        ApiError::new(413, "Request entity too large.")
    }

    /// 429.
    pub fn too_many() -> Self {
        ApiError::new(429, "Too Many Requests.")
    }

    /// 400 with what is wrong, by field.
    pub fn invalid(message: impl Into<String>, errors: FieldErrors) -> Self {
        let mut data = Map::new();
        for (field, error) in errors {
            let mut entry = Map::new();
            entry.insert("code".to_owned(), error.code.into());
            entry.insert("message".to_owned(), error.message.into());
            if !error.params.is_empty() {
                entry.insert("params".to_owned(), JsonValue::Object(error.params));
            }
            data.insert(field, JsonValue::Object(entry));
        }
        ApiError {
            status: 400,
            message: message.into(),
            data,
        }
    }

    /// The database refuses a statement: 400 if the client's condition holds more values than a
    /// statement can have, or else 500.
    pub fn database(cause: diesel::result::Error) -> Self {
        if cause.to_string().contains("too many SQL variables") {
            let message = "The filter and the rules that it meets hold too many values.";
            return ApiError::new(400, message);
        }
        ApiError::internal(cause)
    }

    /// 500: logs the cause, and tells the client nothing of it.
    pub fn internal(cause: impl std::fmt::Display) -> Self {
        tracing::error!(%cause, "request failed");
        ApiError::new(500, GENERIC)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use diesel::prelude::*;
    use diesel::sql_query;

    use super::ApiError;

    /// What SQLite says is looked for, so it must be what it says.
    #[test]
    fn too_many_values_are_the_clients_mistake_and_nothing_else_is() {
        let mut conn = crate::storage::in_memory("").unwrap();
        let mut refused = |statement: String| {
            let error = sql_query(statement).execute(&mut conn).unwrap_err();
            ApiError::database(error)
        };
        let many = refused(format!("SELECT 1 IN ({}?)", "?,".repeat(40_000)));
        assert_eq!(many.status, 400);
        assert!(many.message.contains("too many values"), "{many:?}");
        assert_eq!(refused("SELECT nothing".to_owned()).status, 500);
    }
}
