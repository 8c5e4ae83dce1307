//! What becomes of stored values when a field changes its type: an SQL expression over the old
//! row, and what that loses.

use super::step::values;
use crate::ddl::{self, ident, literal};
use crate::snapshot::{Field, Kind};

/// The alias under which every conversion reads the table: without it, a column of the same name
/// in a sub-select's own table would be meant.
pub const OLD: &str = "old";

/// How a column's values are carried over.
pub struct Conversion {
    /// The new value, as SQL over the old row.
    pub sql: String,
    /// What is lost, in words that complete "… of `posts.title`"; `None` if nothing is.
    pub loss: Option<&'static str>,
}

/// A type as far as its stored form goes.
enum Form<'a> {
    Text,
    Date,
    Password,
    Number,
    Bool,
    Link(&'a str),
    List,
    Links(&'a str),
    Json,
    Point,
}

fn form(kind: &Kind) -> Form<'_> {
    match kind {
        Kind::Text | Kind::Editor | Kind::Email | Kind::Url | Kind::Select { many: false, .. } => {
            Form::Text
        }
        Kind::Date | Kind::Autodate => Form::Date,
        Kind::Password => Form::Password,
        Kind::Number => Form::Number,
        Kind::Bool => Form::Bool,
        Kind::Relation {
            collection,
            many: false,
        } => Form::Link(collection),
        Kind::Relation {
            collection,
            many: true,
        } => Form::Links(collection),
        Kind::Select { many: true, .. } => Form::List,
        Kind::Json => Form::Json,
        Kind::GeoPoint => Form::Point,
    }
}

/// How the values of `from` become values of `to`.
pub fn convert(from: &Field, to: &Field) -> Conversion {
    let column = format!("{OLD}.{}", ident(&from.name));
    let Some((value, mut loss)) = convert_value(&column, &from.kind, &to.kind) else {
        return Conversion {
            sql: ddl::default_value(to),
            loss: Some("values (there is no conversion, so that all are emptied)"),
        };
    };
    let from_null = from.nullable || ddl::single_target(from).is_some();
    let to_null = to.nullable || ddl::single_target(to).is_some();
    let sql = match (from_null, to_null) {
        (false, _) => value,
        (true, true) if value == column => value,
        (true, true) => format!("CASE WHEN {column} IS NOT NULL THEN {value} END"),
        (true, false) => {
            // An empty relation is NULL and nothing but empty; a null is more than that.
            if from.nullable && to.default.is_none() && ddl::single_target(from).is_none() {
                loss = loss.or(Some("nulls (they become the zero value)"));
            }
            let empty = ddl::default_value(to);
            if value == column {
                format!("coalesce({column}, {empty})")
            } else {
                format!("CASE WHEN {column} IS NULL THEN {empty} ELSE {value} END")
            }
        }
    };
    Conversion { sql, loss }
}

/// The conversion of one value that isn't NULL; `None` if there is none.
fn convert_value(column: &str, from: &Kind, to: &Kind) -> Option<(String, Option<&'static str>)> {
    let same = || Some((column.to_owned(), None));
    match (form(from), form(to)) {
        (Form::Text, Form::Text)
        | (Form::Date, Form::Date | Form::Text)
        | (Form::Password, Form::Password)
        | (Form::Number, Form::Number)
        | (Form::Bool, Form::Bool | Form::Number)
        | (Form::List, Form::List | Form::Json)
        | (Form::Links(_), Form::List | Form::Json)
        | (Form::Json, Form::Json)
        | (Form::Point, Form::Point | Form::Text | Form::Json) => same(),
        (Form::Link(old), Form::Link(new)) | (Form::Links(old), Form::Links(new)) if old == new => {
            same()
        }
        // Hashes are neither made from text nor shown as text.
        (Form::Password, _) | (_, Form::Password) => None,
        (Form::Text | Form::Date, to) => from_text(column, to),
        (Form::Number | Form::Bool, to) => from_scalar(column, from, to),
        (Form::Link(_), to) => from_link(column, from, to),
        (Form::List | Form::Links(_), to) => from_list(column, to),
        (Form::Json, to) => from_json(column, to),
        (Form::Point, _) => None,
    }
}

fn from_text(column: &str, to: Form<'_>) -> Option<(String, Option<&'static str>)> {
    Some(match to {
        Form::Date => (
            // The pattern keeps `now` and day numbers out, which SQLite takes for dates too.
            format!(
                "CASE WHEN {column} GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]*' \
                 THEN coalesce(strftime('%Y-%m-%d %H:%M:%fZ', {column}), '') ELSE '' END"
            ),
            Some("values that are no dates (they become empty)"),
        ),
        Form::Number => (
            format!("CAST({column} AS NUMERIC)"),
            Some("values that are no numbers (they become 0)"),
        ),
        Form::Bool => (
            format!("lower({column}) IN ('true', '1')"),
            Some("values other than `true` and `1` (they become false)"),
        ),
        Form::List => (wrapped(column), None),
        Form::Link(target) => (existing(column, target), Some(NO_RECORD)),
        Form::Links(target) => (wrapped(&existing_or_empty(column, target)), Some(NO_RECORD)),
        // A text stays one, also if it looks like JSON: only so does each come back as it was.
        Form::Json => (
            format!("CASE WHEN {column} = '' THEN 'null' ELSE json_quote({column}) END"),
            None,
        ),
        _ => return None,
    })
}

const NO_RECORD: &str = "values that are no ids of the target's records (they become empty)";

/// Do texts of any content become JSON strings?
pub fn quotes_texts(from: &Field, to: &Field) -> bool {
    let free = matches!(from.kind, Kind::Text | Kind::Editor);
    free && matches!(to.kind, Kind::Json)
}

fn from_scalar(column: &str, from: &Kind, to: Form<'_>) -> Option<(String, Option<&'static str>)> {
    let word = format!("CASE WHEN {column} THEN 'true' ELSE 'false' END");
    Some(match (from, to) {
        (Kind::Bool, Form::Text | Form::Json) => (word, None),
        (_, Form::Text | Form::Json) => (format!("CAST({column} AS TEXT)"), None),
        (_, Form::Bool) => (
            format!("{column} <> 0"),
            Some("numbers other than 0 and 1 (they become true)"),
        ),
        _ => return None,
    })
}

fn from_link(column: &str, from: &Kind, to: Form<'_>) -> Option<(String, Option<&'static str>)> {
    let kept =
        |target: &str| matches!(from, Kind::Relation { collection, .. } if collection == target);
    Some(match to {
        Form::Text => (column.to_owned(), None),
        Form::Json => (format!("json_quote({column})"), None),
        Form::List => (wrapped(column), None),
        Form::Links(target) if kept(target) => (wrapped(column), None),
        Form::Links(target) => (wrapped(&existing_or_empty(column, target)), Some(NO_RECORD)),
        Form::Link(target) => (existing(column, target), Some(NO_RECORD)),
        _ => return None,
    })
}

const ALL_BUT_LAST: &str = "items but the last";

fn from_list(column: &str, to: Form<'_>) -> Option<(String, Option<&'static str>)> {
    let last = format!("json_extract({column}, '$[#-1]')");
    Some(match to {
        Form::Text => (format!("coalesce({last}, '')"), Some(ALL_BUT_LAST)),
        Form::Link(target) => (existing(&last, target), Some(ALL_BUT_LAST)),
        Form::Links(target) => (
            format!(
                "(SELECT json_group_array(item.value ORDER BY item.key) \
                 FROM json_each({column}) AS item \
                 WHERE item.value IN (SELECT \"id\" FROM {}))",
                ident(target)
            ),
            Some(NO_RECORD),
        ),
        _ => return None,
    })
}

fn from_json(column: &str, to: Form<'_>) -> Option<(String, Option<&'static str>)> {
    let text = format!(
        "CASE json_type({column}) WHEN 'text' THEN {column} ->> '$' \
         WHEN 'null' THEN '' ELSE {column} END"
    );
    Some(match to {
        Form::Text => (text, None),
        Form::Number => (
            format!(
                "CASE WHEN json_type({column}) IN ('integer', 'real') \
                 THEN {column} ->> '$' ELSE 0 END"
            ),
            Some("values that are no numbers (they become 0)"),
        ),
        Form::Bool => (
            format!("json_type({column}) = 'true'"),
            Some("values other than `true` (they become false)"),
        ),
        Form::List => (
            format!(
                "CASE json_type({column}) WHEN 'array' THEN \
                 (SELECT json_group_array(item.value ORDER BY item.key) \
                 FROM json_each({column}) AS item WHERE item.type = 'text') ELSE '[]' END"
            ),
            Some("values that are no lists of texts (they become empty)"),
        ),
        Form::Link(target) => (
            existing(&format!("({column} ->> '$')"), target),
            Some(NO_RECORD),
        ),
        _ => return None,
    })
}

/// A text as a list of one, the empty one as the empty list.
fn wrapped(sql: &str) -> String {
    if sql.starts_with(OLD) {
        format!("CASE WHEN {sql} = '' THEN '[]' ELSE json_array({sql}) END")
    } else {
        format!(
            "(SELECT CASE WHEN one = '' THEN '[]' ELSE json_array(one) END FROM (SELECT {sql} AS one))"
        )
    }
}

/// The id if the target has it, else NULL.
fn existing(sql: &str, target: &str) -> String {
    format!(
        "(SELECT target.\"id\" FROM {} AS target WHERE target.\"id\" = {sql})",
        ident(target)
    )
}

fn existing_or_empty(sql: &str, target: &str) -> String {
    format!("coalesce({}, '')", existing(sql, target))
}

/// The statement that takes values out of the records which a select no longer has; `None` if
/// every value that may be stored is still one.
pub fn clean_select(collection: &str, from: &Field, to: &Field) -> Option<String> {
    let Kind::Select { values: kept, many } = &to.kind else {
        return None;
    };
    let old = values(from);
    if !old.is_empty() && old.iter().all(|value| kept.contains(value)) {
        return None;
    }
    let table = ident(collection);
    let name = ident(&to.name);
    let column = format!("{OLD}.{name}");
    let kept = kept
        .iter()
        .map(|value| literal(value))
        .collect::<Vec<_>>()
        .join(", ");
    Some(if *many {
        format!(
            "UPDATE {table} AS {OLD} SET {name} = (\n  \
               SELECT json_group_array(item.value ORDER BY item.key)\n  \
               FROM json_each({column}) AS item WHERE item.value IN ({kept})\n\
             )\n\
             WHERE EXISTS (\n  \
               SELECT 1 FROM json_each({column}) AS item WHERE item.value NOT IN ({kept})\n\
             );\n"
        )
    } else {
        let empty = if to.nullable { "NULL" } else { "''" };
        format!(
            "UPDATE {table} AS {OLD} SET {name} = {empty} WHERE {column} NOT IN ('', {kept});\n"
        )
    })
}
