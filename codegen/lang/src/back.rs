//! Back-relations: `COLLECTION_via_FIELD`.

use crate::error::{Code, Error};
use crate::name::Part;
use crate::schema::{CollectionId, Field, FieldType};
use crate::scope::{Scope, did_you_mean};
use crate::typed::{Hop, Step};

/// What separates the collection from its field.
const VIA: &str = "_via_";

/// A back-relation, found.
pub(crate) struct Back<'a> {
    pub hop: Hop,
    pub source: CollectionId,
    pub field: Field<'a>,
}

/// Could the name be a back-relation?
pub(crate) fn is_back(name: &str) -> bool {
    name.contains(VIA)
}

/// Resolves `part` as a back-relation of `at`, behind which `rest` follows.
pub(crate) fn resolve<'a>(
    scope: &Scope<'a>,
    at: CollectionId,
    part: Part<'_>,
    rest: &[Part<'_>],
) -> Result<Back<'a>, Error> {
    // The last one counts: a collection's name may hold another.
    let (collection, name) = part.text.rsplit_once(VIA).unwrap_or((part.text, ""));
    let Some(source) = scope.schema.collection(collection) else {
        let message = format!("unknown collection `{collection}` in a back-relation");
        let label = "no such collection";
        return Err(
            Error::new(Code::UnknownCollection, part.span, message, label)
                .with_maybe_help(did_you_mean(scope.near_collection(collection))),
        );
    };
    let Some(field) = scope.field(source, name) else {
        let message = format!("unknown field `{name}` in collection `{collection}`");
        return Err(
            Error::new(Code::UnknownField, part.span, message, "no such field")
                .with_maybe_help(did_you_mean(scope.near_field(source, name))),
        );
    };
    let single = match field.kind {
        FieldType::One(target) if target == at => true,
        FieldType::Many(target) if target == at => false,
        _ => {
            let target = scope.schema.name(at);
            let message = format!("`{name}` of `{collection}` does not point to `{target}`");
            let label = "not a relation to this collection";
            let error = Error::new(Code::BadPath, part.span, message, label);
            return Err(error.with_help(pointing(scope, source, collection, at)));
        }
    };
    if rest.is_empty() {
        let message = "a back-relation needs a field behind it";
        return Err(Error::new(Code::BadPath, part.span, message, "ends here")
            .with_help(format!("for example `{}.id`", part.text)));
    }
    let unique = single && field.unique;
    let hop = Hop {
        field: field.id,
        step: Step::Back {
            source,
            unique,
            linked: !single,
        },
    };
    Ok(Back { hop, source, field })
}

/// The back-relation that was perhaps meant.
fn pointing(scope: &Scope<'_>, source: CollectionId, written: &str, at: CollectionId) -> String {
    let points = |field: &Field<'_>| match field.kind {
        FieldType::One(target) | FieldType::Many(target) => target == at,
        _ => false,
    };
    let fields = scope.schema.fields(source);
    let known = fields
        .iter()
        .filter(|field| points(field) && scope.field(source, field.name).is_some());
    let names: Vec<String> = known
        .map(|field| format!("`{written}{VIA}{}`", field.name))
        .collect();
    if names.is_empty() {
        let target = scope.schema.name(at);
        return format!("no field of `{written}` points to `{target}`");
    }
    format!("did you mean {}?", names.join(" or "))
}
