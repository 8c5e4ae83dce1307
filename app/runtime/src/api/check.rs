//! Everything that can be wrong with a record that is about to be written, by field.

use diesel::result::{DatabaseErrorKind, Error as DbError};

use crate::collection::Record;
use crate::error::{ApiError, FieldError, FieldErrors};
use crate::field::{cast, modify, validate};
use crate::meta::{CollectionMeta, FieldKind, FieldMeta};
use crate::registry::{Entry, Registry};
use crate::request::RequestInfo;
use crate::sql::Conn;

/// A record about to be written.
pub struct Candidate<'a> {
    /// Its collection.
    pub entry: &'a Entry,
    /// The request that writes it.
    pub info: &'a RequestInfo,
    /// What is stored; `None` for a create.
    pub old: Option<&'a dyn Record>,
    /// What shall be.
    pub new: &'a dyn Record,
}

impl Candidate<'_> {
    /// Checks every field, beginning with what was `refused` before; an error if anything is wrong.
    /// What only the write itself can find is not among it: unique indexes, and whether the records
    /// of relations are there, which [`Candidate::refused`] looks for if the write fails.
    pub fn check(
        &self,
        conn: &mut Conn,
        registry: &Registry,
        message: &str,
        refused: FieldErrors,
    ) -> Result<(), ApiError> {
        let mut errors = FieldErrors::new();
        for (place, field) in self.entry.meta().fields.iter().enumerate() {
            let error = self.field_error(conn, registry, place, field);
            if let Some(error) = error.map_err(ApiError::internal)? {
                errors.insert(field.name.to_owned(), error);
            }
        }
        if errors.is_empty() && refused.is_empty() && !self.refers_to_itself() {
            return Ok(());
        }
        self.missing(conn, registry, &mut errors)?;
        errors.extend(refused);
        match errors.is_empty() {
            true => Ok(()),
            false => Err(ApiError::invalid(message, errors)),
        }
    }

    /// The answer to a write that the database refused.
    pub fn refused(
        &self,
        conn: &mut Conn,
        registry: &Registry,
        message: &str,
        error: DbError,
    ) -> ApiError {
        let unchecked = matches!(
            &error,
            DbError::DatabaseError(
                DatabaseErrorKind::ForeignKeyViolation | DatabaseErrorKind::UniqueViolation,
                _
            )
        );
        if unchecked {
            let mut errors = FieldErrors::new();
            if let Err(error) = self.missing(conn, registry, &mut errors) {
                return error;
            }
            if !errors.is_empty() {
                return ApiError::invalid(message, errors);
            }
        }
        refused(self.entry.meta(), message, error)
    }

    /// Adds the relations to records that aren't there, unless something else is wrong with them.
    fn missing(
        &self,
        conn: &mut Conn,
        registry: &Registry,
        errors: &mut FieldErrors,
    ) -> Result<(), ApiError> {
        for (place, field) in self.entry.meta().fields.iter().enumerate() {
            if let FieldKind::Relation { collection, .. } = &field.kind
                && !errors.contains_key(field.name)
            {
                let error = self.relation_error(conn, registry, place, collection);
                if let Some(error) = error.map_err(ApiError::internal)? {
                    errors.insert(field.name.to_owned(), error);
                }
            }
        }
        Ok(())
    }

    /// A foreign key lets a new record refer to itself, which isn't there before.
    fn refers_to_itself(&self) -> bool {
        let meta = self.entry.meta();
        let own = |kind: &FieldKind| matches!(kind, FieldKind::Relation { collection, .. } if *collection == meta.name);
        self.old.is_none()
            && meta.fields.iter().enumerate().any(|(place, field)| {
                own(&field.kind)
                    && self
                        .new
                        .get(place)
                        .items()
                        .iter()
                        .any(|id| id == self.new.id())
            })
    }

    fn field_error(
        &self,
        conn: &mut Conn,
        registry: &Registry,
        place: usize,
        field: &FieldMeta,
    ) -> Result<Option<FieldError>, DbError> {
        let body = &self.info.body.raw;
        if self.old.is_none() && field.present && !modify::gives(body, field.name) {
            return Ok(Some(validate::blank()));
        }
        Ok(match &field.kind {
            FieldKind::Autodate { .. } => None,
            FieldKind::Password { .. } => match body.get(field.name) {
                None if self.old.is_some() => None,
                sent => {
                    let plain = sent.map(cast::text).unwrap_or_default();
                    validate::validate_password(field, &plain)
                }
            },
            _ if place == 0 => self.id_error(conn, registry, field)?,
            _ => validate::validate(field, self.new.get(place)),
        })
    }

    fn id_error(
        &self,
        conn: &mut Conn,
        registry: &Registry,
        field: &FieldMeta,
    ) -> Result<Option<FieldError>, DbError> {
        let id = self.new.id();
        if let Some(old) = self.old {
            let message = "The record primary key cannot be changed.";
            let changed = old.id() != id;
            return Ok(changed.then(|| FieldError::new("validation_pk_change", message)));
        }
        if let Some(error) = validate::validate_id(field, id) {
            return Ok(Some(error));
        }
        if self.entry.meta().auth.is_some() {
            let accounts = registry
                .entries()
                .iter()
                .filter(|entry| entry.meta().auth.is_some());
            for other in accounts.filter(|other| other.place != self.entry.place) {
                if other.count_existing_unchecked(conn, &[id.to_owned()])? > 0 {
                    let message = "Invalid or duplicated auth record id.";
                    return Ok(Some(FieldError::new("validation_invalid_auth_id", message)));
                }
            }
        }
        if validate::has_own_id_pattern(field) {
            let taken = self.entry.find_unchecked(conn, 0, id, true, Some(1))?;
            if !taken.is_empty() {
                let message = "The record primary key is invalid or already exists.";
                return Ok(Some(FieldError::new("validation_pk_invalid", message)));
            }
        }
        Ok(None)
    }

    fn relation_error(
        &self,
        conn: &mut Conn,
        registry: &Registry,
        place: usize,
        target: &str,
    ) -> Result<Option<FieldError>, DbError> {
        let value = self.new.get(place);
        // What was stored before is there: foreign keys see to it.
        if self.old.is_some_and(|old| old.get(place) == value) {
            return Ok(None);
        }
        let ids = value.items();
        if ids.is_empty() {
            return Ok(None);
        }
        let Some(target) = registry.find(target) else {
            let message = "Relation connection is missing or cannot be accessed.";
            return Ok(Some(FieldError::new(
                "validation_missing_rel_collection",
                message,
            )));
        };
        let found = target.count_existing_unchecked(conn, &ids)?;
        Ok((found != ids.len() as i64).then(missing_records))
    }
}

fn missing_records() -> FieldError {
    let message = "Failed to find all relation records with the provided ids.";
    FieldError::new("validation_missing_rel_records", message)
}

/// The answer to a write that the database refused.
fn refused(meta: &CollectionMeta, message: &str, error: DbError) -> ApiError {
    let DbError::DatabaseError(kind, info) = &error else {
        return ApiError::internal(error);
    };
    match kind {
        DatabaseErrorKind::UniqueViolation => {
            let fields = violated_fields(meta, info.message());
            let not_unique = || FieldError::new("validation_not_unique", "Value must be unique.");
            let errors = fields
                .into_iter()
                .map(|field| (field.to_owned(), not_unique()));
            ApiError::invalid(message, errors.collect())
        }
        DatabaseErrorKind::ForeignKeyViolation
        | DatabaseErrorKind::NotNullViolation
        | DatabaseErrorKind::CheckViolation => ApiError::new(400, message),
        _ => ApiError::internal(error),
    }
}

/// The fields of the violated index, from SQLite's message: `UNIQUE constraint failed: users.email`
/// with all columns, or `… index 'name'` for indexes on expressions.
pub(crate) fn violated_fields(meta: &CollectionMeta, message: &str) -> Vec<&'static str> {
    let what = message.split_once(": ").map_or("", |(_, what)| what);
    if let Some(index) = what
        .strip_prefix("index '")
        .and_then(|rest| rest.strip_suffix('\''))
    {
        let index = meta.unique.iter().find(|known| known.name == index);
        let places = index.map_or(&[][..], |index| index.fields);
        return places
            .iter()
            .filter_map(|&place| meta.field(place))
            .map(|f| f.name)
            .collect();
    }
    let columns = what
        .split(", ")
        .filter_map(|column| column.rsplit_once('.'));
    let fields = columns.filter_map(|(_, column)| meta.field_index(column));
    fields
        .filter_map(|place| meta.field(place))
        .map(|field| field.name)
        .collect()
}
