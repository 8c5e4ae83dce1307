//! Dates: UTC with milliseconds, or empty.

use diesel::backend::Backend;
use diesel::deserialize::{self, FromSql, FromSqlRow};
use diesel::expression::AsExpression;
use diesel::serialize::{self, Output, ToSql};
use diesel::sql_types::Text;
use time::format_description::BorrowedFormatItem;
use time::format_description::well_known::Rfc3339;
use time::macros::format_description;
use time::{OffsetDateTime, PrimitiveDateTime, UtcOffset};

use super::{FieldValue, Value, ValueRef, read_text};
use crate::sql::Db;

/// How dates are stored and sent: `2024-01-31 12:30:00.123Z`.
const STORED: &[BorrowedFormatItem<'static>] =
    format_description!("[year]-[month]-[day] [hour]:[minute]:[second].[subsecond digits:3]Z");

/// A date or autodate: the stored text, which sorts by time; "" when there is none.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, AsExpression, FromSqlRow)]
#[diesel(sql_type = Text)]
pub struct DateTime(String);

impl DateTime {
    /// This instant.
    pub fn now() -> Self {
        DateTime::from(OffsetDateTime::now_utc())
    }

    /// From the stored form or RFC 3339; "" is the empty date. `None` for anything else.
    pub fn parse(text: &str) -> Option<Self> {
        if text.is_empty() {
            return Some(DateTime::default());
        }
        let stored = PrimitiveDateTime::parse(text, STORED).map(PrimitiveDateTime::assume_utc);
        let time = stored.or_else(|_| OffsetDateTime::parse(text, &Rfc3339));
        time.ok().map(DateTime::from)
    }

    /// The instant; `None` if empty.
    pub fn time(&self) -> Option<OffsetDateTime> {
        let time = PrimitiveDateTime::parse(&self.0, STORED).ok()?;
        Some(time.assume_utc())
    }

    /// The stored form.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Is there no date?
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Milliseconds are cut off, not rounded. A year that four digits can't hold gives the empty date.
impl From<OffsetDateTime> for DateTime {
    fn from(time: OffsetDateTime) -> Self {
        let utc = time.checked_to_offset(UtcOffset::UTC);
        let utc = utc.filter(|utc| (0..=9999).contains(&utc.year()));
        DateTime(
            utc.and_then(|utc| utc.format(STORED).ok())
                .unwrap_or_default(),
        )
    }
}

impl FieldValue for DateTime {
    fn get(&self) -> ValueRef<'_> {
        ValueRef::Text(&self.0)
    }

    fn set(&mut self, value: Value) {
        self.0.set(value);
    }
}

impl FromSql<Text, Db> for DateTime {
    fn from_sql(bytes: <Db as Backend>::RawValue<'_>) -> deserialize::Result<Self> {
        read_text(bytes).map(DateTime)
    }
}

impl ToSql<Text, Db> for DateTime {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Db>) -> serialize::Result {
        <str as ToSql<Text, Db>>::to_sql(&self.0, out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(input: &str, expected: Option<&str>) {
        let date = DateTime::parse(input);
        assert_eq!(date.as_ref().map(DateTime::as_str), expected, "{input}");
    }

    #[test]
    fn parses_and_cuts_milliseconds() {
        check("", Some(""));
        check("2024-01-31 12:30:00.123Z", Some("2024-01-31 12:30:00.123Z"));
        check(
            "2024-01-31T12:30:00.9999Z",
            Some("2024-01-31 12:30:00.999Z"),
        );
        check(
            "2024-01-31T12:30:00+02:00",
            Some("2024-01-31 10:30:00.000Z"),
        );
        check("2024-13-31 12:30:00.123Z", None);
        check("yesterday", None);
    }

    #[test]
    fn time_round_trips() {
        let now = DateTime::now();
        assert_eq!(now.time().map(DateTime::from), Some(now));
        assert_eq!(DateTime::default().time(), None);
    }
}
