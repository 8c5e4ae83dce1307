//! Create rules look at a record that is not stored yet.
#![allow(clippy::unwrap_used)]

use basalt_runtime::collection::{Collection as _, Record as _};
use basalt_runtime::request::RequestInfo;
use basalt_runtime::rules::{Context, Rule};
use basalt_runtime::sql::Form;
use basalt_runtime::value::Value;

use super::rules::things::{Thing, Things, field};
use super::support::{database, request};

fn may_create(request: &RequestInfo, n: f64) -> bool {
    let mut thing = Thing::default();
    for (field, value) in [
        (field::TITLE, Value::Text("b".to_owned())),
        (field::N, Value::Number(n)),
    ] {
        thing.set(field, value);
    }
    let Rule::When(rule) = &Things::rules().create else {
        return false;
    };
    let context = Context {
        request,
        form: Form::In,
    };
    let mut conn = database("cases/rules/schema");
    (rule.memory)(&context, &thing, &mut conn).unwrap()
}

#[test]
fn numbers_are_not_compared_with_texts() {
    let mut request = request(None);
    let mut query = |text: &str| {
        request.query.insert("n".to_owned(), text.to_owned());
        may_create(&request, 5.0)
    };
    assert!(query("1"));
    assert!(!query("9"));
    // No number, but a stored 5 would convert it.
    assert!(!query(" 1"));
}
