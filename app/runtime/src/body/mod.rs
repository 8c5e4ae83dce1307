//! Request bodies of every accepted form, read into one JSON object.

pub mod form;
pub mod json;

use rocket::Request;
use rocket::data::{Data, ToByteUnit};
use serde_json::{Map, Value as JsonValue};
use tokio::runtime::Handle;
use tokio::sync::Semaphore;
use tokio::task;

use crate::error::ApiError;
use crate::field::validate;
use crate::meta::{CollectionMeta, FieldKind, FieldMeta};

/// Greatest body, in bytes, where fields don't ask for more.
pub const LIMIT: u64 = 32 << 20;

/// Greatest body, in bytes, of a create or update: large fields raise it.
pub fn limit(meta: &CollectionMeta) -> u64 {
    let size = |field: &FieldMeta| match field.kind {
        FieldKind::Editor { max_size } => validate::editor_size(max_size),
        FieldKind::Json { max_size } => validate::json_size(max_size),
        _ => 0,
    };
    meta.fields
        .iter()
        .map(size)
        .fold(LIMIT, u64::saturating_add)
}

/// Bodies of no more bytes are parsed at once; larger ones where nobody has to wait for them.
pub(crate) const SMALL: usize = 64 << 10;

/// Large bodies that are parsed at the same time: each takes much memory meanwhile.
static PARSERS: Semaphore = Semaphore::const_new(2);

/// A parsed body: its keys as they were sent.
pub type Object = Map<String, JsonValue>;

/// Reads and parses the body. 413 over `limit` bytes, 400 if it can't be understood.
pub async fn read(request: &Request<'_>, data: Data<'_>, limit: u64) -> Result<Object, ApiError> {
    let headers = request.headers();
    let length = headers
        .get_one("Content-Length")
        .and_then(|text| text.parse::<u64>().ok());
    if length.is_some_and(|length| length > limit) {
        return Err(ApiError::too_large());
    }
    if length == Some(0) {
        return Ok(Object::new());
    }
    // In HTTP/2 a body may come without any word of it.
    let announced = length.is_some() || headers.contains("Transfer-Encoding");
    let kind = Kind::of(headers.get_one("Content-Type").unwrap_or_default());
    let kind = if announced { Ok(kind?) } else { kind };
    let bytes = data.open(limit.bytes()).into_bytes().await;
    let bytes = bytes.map_err(|_| ApiError::bad_request())?;
    if !bytes.is_complete() {
        return Err(ApiError::too_large());
    }
    if bytes.is_empty() && !announced {
        return Ok(Object::new());
    }
    let kind = kind?;
    let query = request.uri().query().map_or("", |query| query.as_str());
    let (bytes, query) = (bytes.into_inner(), query.to_owned());
    if bytes.len() <= SMALL {
        return parse(kind, bytes, &query).await;
    }
    let permit = PARSERS.acquire().await.map_err(ApiError::internal)?;
    let job = move || {
        let _permit = permit;
        Handle::current().block_on(parse(kind, bytes, &query))
    };
    task::spawn_blocking(job)
        .await
        .map_err(ApiError::internal)?
}

async fn parse(kind: Kind, bytes: Vec<u8>, query: &str) -> Result<Object, ApiError> {
    match kind {
        Kind::Json => json::parse_object(&bytes, &json::Budget::default()),
        Kind::Form => {
            let text = String::from_utf8_lossy(&bytes);
            let pairs = form::strict_pairs(&text)?.into_iter();
            form::merge(pairs.chain(form::strict_pairs(query)?))
        }
        Kind::Multipart(content_type) => {
            let parts = form::multipart(&content_type, bytes).await?;
            form::merge(form::strict_pairs(query)?.into_iter().chain(parts))
        }
        Kind::Xml => Err(ApiError::bad_request()),
    }
}

/// What a body claims to be.
#[derive(Debug, PartialEq)]
enum Kind {
    Json,
    Form,
    /// With the whole header, which names the boundary.
    Multipart(String),
    Xml,
}

impl Kind {
    fn of(content_type: &str) -> Result<Self, ApiError> {
        let is = |kind: &str| content_type.starts_with(kind);
        if is("application/json") {
            Ok(Kind::Json)
        } else if is("application/x-www-form-urlencoded") {
            Ok(Kind::Form)
        } else if is("multipart/form-data") {
            Ok(Kind::Multipart(content_type.to_owned()))
        } else if is("text/xml") || is("application/xml") {
            Ok(Kind::Xml)
        } else {
            Err(ApiError::new(400, "Unsupported Content-Type."))
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn kinds_go_by_prefix_and_case() {
        assert_eq!(Kind::of("application/json; charset=x").unwrap(), Kind::Json);
        assert!(Kind::of("APPLICATION/JSON").is_err());
        assert!(Kind::of("").is_err());
    }

    #[tokio::test]
    async fn the_query_joins_forms_only() {
        let form = parse(Kind::Form, b"n=5&s=a&s=b&e=".to_vec(), "t=q&n=6")
            .await
            .unwrap();
        let expected = serde_json::json!({"n": [5, 6], "s": ["a", "b"], "e": "", "t": "q"});
        assert_eq!(JsonValue::Object(form), expected);
        let json = parse(Kind::Json, b"{\"n\":1}".to_vec(), "t=q")
            .await
            .unwrap();
        assert_eq!(JsonValue::Object(json), serde_json::json!({"n": 1}));

        let bad = "t=%zz";
        let json = parse(Kind::Json, b"{\"n\":1}".to_vec(), bad).await;
        assert!(json.is_ok(), "a query is no part of JSON");
        assert!(parse(Kind::Form, b"n=5".to_vec(), bad).await.is_err());
        let multipart = Kind::of("multipart/form-data; boundary=X").unwrap();
        assert!(parse(multipart, b"--X--\r\n".to_vec(), bad).await.is_err());
    }

    #[tokio::test]
    async fn multipart() {
        let body = "--X\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\ntrue\r\n\
                    --X\r\nContent-Disposition: form-data; name=\"f\"; filename=\"x.txt\"\r\n\r\nhi\r\n\
                    --X\r\nContent-Disposition: form-data; name=\"@jsonPayload\"\r\n\r\n{\"a\":\"1\",\"b\":[1]}\r\n\
                    --X--\r\n";
        let kind = Kind::of("multipart/form-data; boundary=X").unwrap();
        let parsed = parse(kind, body.as_bytes().to_vec(), "").await.unwrap();
        assert_eq!(
            JsonValue::Object(parsed),
            serde_json::json!({"a": "1", "b": [1]})
        );
        let broken = Kind::of("multipart/form-data; boundary=X").unwrap();
        assert!(parse(broken, b"--X\r\nnope".to_vec(), "").await.is_err());
        let without = Kind::of("multipart/form-data").unwrap();
        assert!(parse(without, b"--X--".to_vec(), "").await.is_err());
    }
}
