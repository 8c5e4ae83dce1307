//! json and geoPoint fields: JSON text that was checked when it came in.

use diesel::backend::Backend;
use diesel::deserialize::{self, FromSql, FromSqlRow};
use diesel::expression::AsExpression;
use diesel::serialize::{self, Output, ToSql};
use diesel::sql_types::Text;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::{FieldValue, Value, ValueRef, read_text};
use crate::sql::Db;

/// The value of a json field: JSON text.
#[derive(Debug, Clone, PartialEq, Eq, AsExpression, FromSqlRow)]
#[diesel(sql_type = Text)]
pub struct Json(pub(crate) String);

/// The value of a geoPoint field, kept as its JSON text.
#[derive(Debug, Clone, PartialEq, Eq, AsExpression, FromSqlRow)]
#[diesel(sql_type = Text)]
pub struct GeoPoint(pub(crate) String);

/// The two numbers inside a geoPoint's text.
#[derive(Deserialize)]
struct Place {
    #[serde(default)]
    lon: f64,
    #[serde(default)]
    lat: f64,
}

impl Default for Json {
    fn default() -> Self {
        Json("null".to_owned())
    }
}

impl Default for GeoPoint {
    fn default() -> Self {
        GeoPoint(r#"{"lon":0,"lat":0}"#.to_owned())
    }
}

impl Json {
    /// From JSON text; `None` if it is not valid.
    pub fn parse(text: &str) -> Option<Self> {
        let raw: &RawValue = serde_json::from_str(text).ok()?;
        Some(Json(raw.get().to_owned()))
    }

    /// The JSON text.
    pub fn as_json(&self) -> &str {
        &self.0
    }
}

impl GeoPoint {
    /// From longitude and latitude in degrees; numbers that JSON can't hold become 0.
    pub fn new(lon: f64, lat: f64) -> Self {
        GeoPoint(format!(r#"{{"lon":{},"lat":{}}}"#, plain(lon), plain(lat)))
    }

    /// Longitude in degrees.
    pub fn lon(&self) -> f64 {
        self.place().map_or(0.0, |place| place.lon)
    }

    /// Latitude in degrees.
    pub fn lat(&self) -> f64 {
        self.place().map_or(0.0, |place| place.lat)
    }

    /// The JSON text.
    pub fn as_json(&self) -> &str {
        &self.0
    }

    fn place(&self) -> Option<Place> {
        serde_json::from_str(&self.0).ok()
    }
}

/// JSON has no NaN and no infinity.
fn plain(number: f64) -> f64 {
    if number.is_finite() { number } else { 0.0 }
}

impl FieldValue for Json {
    /// In rules it is the JSON null, which equals nothing else.
    fn null() -> ValueRef<'static> {
        ValueRef::Json("null")
    }

    fn get(&self) -> ValueRef<'_> {
        ValueRef::Json(&self.0)
    }

    fn set(&mut self, value: Value) {
        *self = match value {
            Value::Json(text) => Json(text),
            _ => Json::default(),
        };
    }
}

impl FieldValue for GeoPoint {
    /// In rules it is the JSON null, which equals nothing else.
    fn null() -> ValueRef<'static> {
        ValueRef::Json("null")
    }

    fn get(&self) -> ValueRef<'_> {
        ValueRef::Json(&self.0)
    }

    fn set(&mut self, value: Value) {
        *self = match value {
            Value::Json(text) => GeoPoint(text),
            _ => GeoPoint::default(),
        };
    }
}

impl FromSql<Text, Db> for Json {
    fn from_sql(bytes: <Db as Backend>::RawValue<'_>) -> deserialize::Result<Self> {
        read_text(bytes).map(Json)
    }
}

impl ToSql<Text, Db> for Json {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Db>) -> serialize::Result {
        <str as ToSql<Text, Db>>::to_sql(&self.0, out)
    }
}

impl FromSql<Text, Db> for GeoPoint {
    fn from_sql(bytes: <Db as Backend>::RawValue<'_>) -> deserialize::Result<Self> {
        read_text(bytes).map(GeoPoint)
    }
}

impl ToSql<Text, Db> for GeoPoint {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Db>) -> serialize::Result {
        <str as ToSql<Text, Db>>::to_sql(&self.0, out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_checked() {
        assert_eq!(
            Json::parse(" [1] ").map(|json| json.0),
            Some("[1]".to_owned())
        );
        assert_eq!(Json::parse("[1"), None);
    }

    #[test]
    fn places_come_back() {
        let place = GeoPoint::new(13.5, -52.25);
        assert_eq!((place.lon(), place.lat()), (13.5, -52.25));
        assert_eq!(GeoPoint::new(0.0, 0.0), GeoPoint::default());
        assert_eq!(GeoPoint::new(f64::NAN, 1.0).lon(), 0.0);
    }
}
