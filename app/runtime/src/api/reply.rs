//! Answers, in the form that Rocket sends.

use std::io::Cursor;
use std::sync::Arc;

use rocket::Request;
use rocket::http::{ContentType, Header, Status};
use rocket::response::{Responder, Response};
use serde_json::{Map, Value as JsonValue};

use super::depends::Depends;
use crate::access;
use crate::collection::Record;
use crate::error::ApiError;
use crate::query::expand::{ExpandTree, Expanded};
use crate::query::picker::Picker;
use crate::registry::Entry;
use crate::request::RequestInfo;
use crate::wire::layout::Layout;
use crate::wire::{self, Sight, Writer};

/// Rocket allocates a buffer for each chunk. Its own size of 4 KiB would halve the throughput of
/// large answers; for small ones, their own length will do.
const CHUNK_BYTES: usize = 64 * 1024;

/// An answer of the API.
#[derive(Debug)]
pub struct Reply {
    status: Status,
    body: Option<Bytes>,
    content_type: ContentType,
    /// A header that only this kind of answer has.
    special: Option<(&'static str, String)>,
}

/// The bytes of a body, which may be of an answer that is kept.
#[derive(Debug, Clone, PartialEq)]
struct Bytes(Arc<Vec<u8>>);

impl AsRef<[u8]> for Bytes {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl From<Vec<u8>> for Bytes {
    fn from(bytes: Vec<u8>) -> Self {
        Bytes(Arc::new(bytes))
    }
}

impl Reply {
    /// 200 with JSON text.
    pub fn json(body: Vec<u8>) -> Self {
        Reply {
            status: Status::Ok,
            body: Some(body.into()),
            content_type: ContentType::JSON,
            special: None,
        }
    }

    /// 200 with JSON text that others may be answered with, and its entity tag.
    pub fn kept(body: Arc<Vec<u8>>, tag: &str) -> Self {
        Reply {
            status: Status::Ok,
            body: Some(Bytes(body)),
            content_type: ContentType::JSON,
            special: Some(("ETag", tag.to_owned())),
        }
    }

    /// 304: the client has the answer with this entity tag.
    pub fn unchanged(tag: &str) -> Self {
        Reply {
            status: Status::NotModified,
            special: Some(("ETag", tag.to_owned())),
            ..Reply::no_content()
        }
    }

    /// 204.
    pub fn no_content() -> Self {
        Reply {
            status: Status::NoContent,
            body: None,
            content_type: ContentType::JSON,
            special: None,
        }
    }

    /// 307 to another place; `page`: with a link for those who look at it.
    pub fn redirect(location: String, page: bool) -> Self {
        let link = || {
            format!(
                "<a href=\"{}\">Temporary Redirect</a>.\n\n",
                escape(&location)
            )
        };
        Reply {
            status: Status::TemporaryRedirect,
            body: page.then(|| link().into_bytes().into()),
            content_type: ContentType::HTML,
            special: Some(("Location", location)),
        }
    }
}

impl From<ApiError> for Reply {
    fn from(error: ApiError) -> Self {
        let mut body = Map::new();
        body.insert("data".to_owned(), JsonValue::Object(error.data));
        body.insert("message".to_owned(), sentence(&error.message).into());
        body.insert("status".to_owned(), error.status.into());
        let mut json = Vec::new();
        wire::write_json(&mut json, &JsonValue::Object(body));
        let status = Status::new(error.status);
        Reply {
            status,
            body: Some(json.into()),
            content_type: ContentType::JSON,
            special: None,
        }
    }
}

/// A text inside of an HTML attribute.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&#34;"),
            '\'' => escaped.push_str("&#39;"),
            other => escaped.push(other),
        }
    }
    escaped
}

/// Begins with a capital letter and ends like a sentence.
fn sentence(message: &str) -> String {
    let message = message.trim();
    let mut characters = message.chars();
    let Some(first) = characters.next() else {
        return String::new();
    };
    let mut text: String = first.to_uppercase().collect();
    text.push_str(characters.as_str());
    if !text.ends_with(['.', '?', '!']) {
        text.push('.');
    }
    text
}

impl<'r> Responder<'r, 'static> for Reply {
    fn respond_to(self, _: &'r Request<'_>) -> rocket::response::Result<'static> {
        let mut response = Response::build();
        response.status(self.status);
        if let Some(body) = self.body {
            let length = body.as_ref().len();
            response
                .header(self.content_type)
                .sized_body(length, Cursor::new(body))
                // The end is found without another buffer if one byte more has room in the first.
                .max_chunk_size((length + 1).min(CHUNK_BYTES));
        } else if self.status == Status::NotModified {
            // Without a length: that of nothing would be taken for the answer's.
            response.streamed_body(rocket::tokio::io::empty());
        }
        if let Some((name, value)) = self.special {
            response.header(Header::new(name, value));
        }
        response.ok()
    }
}

impl<'r> Responder<'r, 'static> for ApiError {
    fn respond_to(self, request: &'r Request<'_>) -> rocket::response::Result<'static> {
        Reply::from(self).respond_to(request)
    }
}

/// How records are to be answered: the parameters that all verbs share.
pub struct View {
    /// `fields`
    pub picker: Option<Picker>,
    /// `expand`
    pub expand: ExpandTree,
}

impl View {
    /// Reads the parameters. 400 if `fields` has a bad modifier or one of them names too much.
    pub fn parse(request: &RequestInfo) -> Result<Self, ApiError> {
        let text = |name: &str| request.query.get(name).map_or("", String::as_str);
        Ok(View {
            picker: Picker::parse(text("fields"))?,
            expand: ExpandTree::parse(text("expand"))?,
        })
    }

    /// Is a record's field wanted, if it has it?
    pub fn wants(&self, field: &str) -> bool {
        let picker = self.picker.as_ref();
        picker.is_none_or(|picker| picker.wants(field))
    }

    /// Collects what the look of a collection's records depends on, for this caller.
    pub fn depends<'a>(&self, depends: &mut Depends<'a>, entry: &'a Entry, info: &RequestInfo) {
        depends.record(entry);
        depends.expand(entry.meta(), &self.expand);
        if let Some(auth) = &info.auth {
            depends.caller(auth.record.meta().name);
        }
    }

    /// Is the record wanted as it is, with nothing read or cut?
    pub fn is_plain(&self) -> bool {
        self.expand.is_empty() && self.picker.is_none()
    }

    /// How all records of the answer look, if that is known before they are read.
    pub fn layout<'a>(&'a self, entry: &'a Entry, request: &'a RequestInfo) -> Option<Layout<'a>> {
        let alike = self.expand.is_empty();
        alike.then(|| access::layout(entry, request, self.picker.as_ref()))?
    }

    /// Appends one record with what was expanded for it.
    pub fn write(
        &self,
        out: &mut Vec<u8>,
        entry: &Entry,
        record: &dyn Record,
        sight: Sight,
        expanded: &Expanded<'_>,
    ) {
        let write_expand = |out: &mut Vec<u8>| expanded.write(out, record);
        let expand: Option<Writer<'_>> = if expanded.is_empty() {
            None
        } else {
            Some(&write_expand)
        };
        entry
            .shape
            .write(out, record, sight, expand, self.picker.as_ref());
    }
}

#[cfg(test)]
mod tests {
    use super::{Reply, sentence};

    #[test]
    fn redirects_show_their_place_harmlessly() {
        let reply = Reply::redirect("/a?b=\"><script>&'".to_owned(), true);
        let page = "<a href=\"/a?b=&#34;&gt;&lt;script&gt;&amp;&#39;\">Temporary Redirect</a>.\n\n";
        assert_eq!(reply.body, Some(page.as_bytes().to_vec().into()));
        assert_eq!(Reply::redirect("/a".to_owned(), false).body, None);
    }

    #[test]
    fn messages_are_sentences() {
        for (message, expected) in [(" no", "No."), ("Why?", "Why?"), ("", ""), ("ähm", "Ähm.")] {
            assert_eq!(sentence(message), expected);
        }
    }
}
