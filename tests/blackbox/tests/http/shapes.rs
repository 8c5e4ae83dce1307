//! Status, content type and exact body (the order of keys included) of typical answers.

use serde_json::json;

use crate::support::{PASSWORD, create, create_user, id, server};

/// Method, path below `/api`, body (empty: none), expected status, expected body.
type Case = (&'static str, &'static str, &'static str, u16, &'static str);

const POST: &str = r#"{"author":"alice0000000001","collectionId":"*","collectionName":"posts","created":"*","description":"","id":"post00000000001","public":true,"title":"<First> & \"é\" /","type":["b","a"],"updated":"*"}"#;
const ALICE: &str = r#"{"collectionId":"*","collectionName":"users","created":"*","emailVisibility":false,"id":"alice0000000001","organization":"org000000000001","permissions":[],"updated":"*","username":"alice","verified":false}"#;
const WRONG: &str =
    r#"{"data":{},"message":"Something went wrong while processing your request.","status":400}"#;
const NO_RECORD: &str =
    r#"{"data":{},"message":"The requested resource wasn't found.","status":404}"#;
const NO_FILE: &str = r#"{"data":{},"message":"File not found.","status":404}"#;
const SUPERUSERS: &str =
    r#"{"data":{},"message":"Only superusers can perform this action.","status":403}"#;

const POST_1: &str = "/collections/posts/records/post00000000001";
const LOGIN: &str = "/collections/users/auth-with-password";

#[rustfmt::skip]
const CASES: &[Case] = &[
    ("GET", POST_1, "", 200, POST),
    ("HEAD", POST_1, "", 200, ""),
    ("GET", "/collections/users/records/alice0000000001", "", 200, ALICE),
    ("GET", "/collections/posts/records?perPage=1&sort=id", "", 200, r#"{"items":[{POST}],"page":1,"perPage":1,"totalItems":2,"totalPages":2}"#),
    ("GET", "/collections/posts/records?perPage=1&skipTotal=1&sort=id", "", 200, r#"{"items":[{POST}],"page":1,"perPage":1,"totalItems":-1,"totalPages":-1}"#),
    ("GET", "/collections/posts/records?page=9", "", 200, r#"{"items":[],"page":9,"perPage":30,"totalItems":2,"totalPages":1}"#),
    ("GET", "/collections/users/records", "", 200, r#"{"items":[],"page":1,"perPage":30,"totalItems":0,"totalPages":0}"#),
    ("GET", "/collections/posts/records?filter=nope%3D1", "", 400, WRONG),
    ("GET", "/collections/posts/records?sort=nope", "", 400, WRONG),
    ("GET", "/collections/posts/records?page=x", "", 400, WRONG),
    ("GET", "/collections/posts/records?skipTotal=yes", "", 400, WRONG),
    ("GET", "/collections/posts/records?fields=title:nope(1)", "", 400, WRONG),
    ("GET", "/collections/posts/records?filter=%40request.auth.id%3D%22%22", "", 403, r#"{"data":{},"message":"Only superusers can filter by @request.","status":403}"#),
    ("GET", "/collections/posts/records/nothing00000000", "", 404, NO_RECORD),
    ("GET", "/collections/nothing/records", "", 404, r#"{"data":{},"message":"Missing collection context.","status":404}"#),
    ("GET", "/collections/_superusers/records", "", 403, SUPERUSERS),
    ("GET", "/nothing", "", 404, NO_FILE),
    ("GET", "/collections/posts/records/", "", 404, NO_FILE),
    ("PUT", "/collections/posts/records", "", 404, NO_RECORD),
    ("POST", POST_1, "{}", 404, NO_RECORD),
    ("POST", "/collections/nothing/records", "{}", 404, r#"{"data":{},"message":"Missing or invalid collection context.","status":404}"#),
    ("POST", "/collections/posts/records", "{", 400, WRONG),
    ("POST", "/collections/posts/records", "[1]", 400, WRONG),
    ("POST", "/collections/posts/records", r#"{"id":"x","type":["z"],"author":"nothing00000000"}"#, 400, r#"{"data":{"author":{"code":"validation_missing_rel_records","message":"Failed to find all relation records with the provided ids."},"id":{"code":"validation_min_text_constraint","message":"Must be at least 15 character(s).","params":{"min":15}},"type":{"code":"validation_invalid_value","message":"Invalid value z.","params":{"value":"z"}}},"message":"Failed to create record.","status":400}"#),
    ("POST", "/collections/posts/records", r#"{"type":["a","b","c","d"]}"#, 400, r#"{"data":{"type":{"code":"validation_too_many_values","message":"Select no more than 3.","params":{"maxSelect":3}}},"message":"Failed to create record.","status":400}"#),
    ("POST", "/collections/posts/records", r#"{"id":"post00000000001"}"#, 400, r#"{"data":{"id":{"code":"validation_not_unique","message":"Value must be unique."}},"message":"Failed to create record.","status":400}"#),
    ("POST", "/collections/_superusers/records", "{}", 403, SUPERUSERS),
    ("POST", "/collections/users/records", "{}", 400, r#"{"data":{"password":{"code":"validation_required","message":"Cannot be blank."},"passwordConfirm":{"code":"validation_required","message":"Cannot be blank."}},"message":"Failed to create record.","status":400}"#),
    ("POST", "/collections/users/records", r#"{"username":"ALICE","password":"correct horse","passwordConfirm":"correct horse","organization":"org000000000001"}"#, 400, r#"{"data":{"username":{"code":"validation_not_unique","message":"Value must be unique."}},"message":"Failed to create record.","status":400}"#),
    ("PATCH", POST_1, r#"{"id":"post00000000009"}"#, 400, r#"{"data":{"id":{"code":"validation_pk_change","message":"The record primary key cannot be changed."}},"message":"Failed to update record.","status":400}"#),
    ("PATCH", POST_1, "{}", 200, POST),
    ("PATCH", "/collections/posts/records/nothing00000000", "{}", 404, NO_RECORD),
    ("DELETE", "/collections/posts/records/nothing00000000", "", 404, NO_RECORD),
    ("DELETE", "/collections/posts/records/post00000000002", "", 204, ""),
    ("DELETE", "/collections/posts/records/post00000000002", "", 404, NO_RECORD),
    ("POST", LOGIN, "{}", 400, r#"{"data":{"identity":{"code":"validation_required","message":"Cannot be blank."},"password":{"code":"validation_required","message":"Cannot be blank."}},"message":"An error occurred while validating the submitted data.","status":400}"#),
    ("POST", LOGIN, "[]", 400, r#"{"data":{},"message":"An error occurred while loading the submitted data.","status":400}"#),
    ("POST", LOGIN, r#"{"identity":"alice","password":"wrong"}"#, 400, r#"{"data":{},"message":"Failed to authenticate.","status":400}"#),
    ("POST", "/collections/posts/auth-with-password", "{}", 404, r#"{"data":{},"message":"Missing or invalid auth collection context.","status":404}"#),
    ("POST", "/collections/users/auth-refresh", "", 401, r#"{"data":{},"message":"The request requires valid record authorization token.","status":401}"#),
    ("GET", "/collections/users/auth-methods", "", 200, r#"{"password":{"identityFields":["email","username"],"enabled":true},"oauth2":{"providers":[],"enabled":false},"mfa":{"enabled":false,"duration":0},"otp":{"enabled":false,"duration":0},"authProviders":[],"usernamePassword":true,"emailPassword":true}"#),
];

/// Replaces what the server chooses by `*`.
fn mask(text: &str) -> String {
    let mut masked = text.to_owned();
    for key in ["collectionId", "created", "updated"] {
        let start = format!("\"{key}\":\"");
        let mut from = 0;
        while let Some(found) = masked[from..].find(&start) {
            let value = from + found + start.len();
            let end = value + masked[value..].find('"').unwrap();
            masked.replace_range(value..end, "*");
            from = value;
        }
    }
    masked
}

#[test]
fn answers_have_their_shape() {
    let server = server();
    let guest = server.guest();
    create_user(&guest, "alice0000000001", "alice");
    let first = json!({
        "id": id("post", 1), "title": "<First> & \"é\" /", "public": true,
        "type": ["b", "a"], "author": "alice0000000001",
    });
    create(&guest, "posts", first);
    create(&guest, "posts", json!({ "id": id("post", 2) }));
    let mut wrong = Vec::new();
    for (method, path, body, status, expected) in CASES {
        let content_type = (!body.is_empty()).then_some("application/json");
        let answer = guest
            .send(
                method,
                &format!("/api{path}"),
                content_type,
                body.as_bytes(),
            )
            .unwrap();
        let expected = expected.replace("{POST}", POST);
        let json = if *status == 204 {
            ""
        } else {
            "application/json"
        };
        let found = (
            answer.status,
            answer.content_type.as_str(),
            mask(&answer.text),
        );
        if found != (*status, json, expected.clone()) {
            wrong.push(format!("{method} {path} {body}\n  expected {status} {json} {expected}\n  found    {found:?}"));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {}:\n{}",
        wrong.len(),
        CASES.len(),
        wrong.join("\n")
    );
}

#[test]
fn a_body_over_the_limit_is_refused() {
    let mut server = server();
    let client = server.guest();
    let huge = format!("{{\"title\":\"{}\"}}", "x".repeat(40 * 1024 * 1024));
    for path in [
        "/api/collections/posts/records",
        "/api/collections/users/auth-with-password",
    ] {
        // The server may answer and close before it has read everything: then no answer arrives.
        if let Ok(answer) = client.send("POST", path, Some("application/json"), huge.as_bytes()) {
            let expected = r#"{"data":{},"message":"Request entity too large.","status":413}"#;
            assert_eq!(
                (answer.status, answer.text.as_str()),
                (413, expected),
                "{path}"
            );
        }
        assert!(server.alive());
    }
    assert_eq!(
        client.get("/api/collections/posts/records").unwrap().json()["totalItems"],
        0
    );
}

#[test]
fn tokens_come_bare_or_as_bearer_and_die_with_the_password() {
    let server = server();
    let guest = server.guest();
    create_user(&guest, "alice0000000001", "alice");
    let login = json!({ "identity": "alice", "password": PASSWORD });
    let answer = guest.post(&format!("/api{LOGIN}"), &login).unwrap();
    let token = answer.text_at("/token");
    let seen = |token: String| {
        let path = "/api/collections/organizations/records";
        guest.with_token(Some(token)).get(path).unwrap().json()["totalItems"].clone()
    };
    for (value, visible) in [
        (token.clone(), 1),
        (format!("Bearer {token}"), 1),
        (format!("bearer {token}"), 1),
        (format!("Bearer  {token}"), 0),
        (format!("Basic {token}"), 0),
        (format!("{token}x"), 0),
        ("nonsense".to_owned(), 0),
    ] {
        assert_eq!(seen(value.clone()), visible, "{value}");
    }
    let change = json!({ "password": "another horse", "passwordConfirm": "another horse" });
    let root = server.superuser().unwrap();
    let changed = root
        .patch("/api/collections/users/records/alice0000000001", &change)
        .unwrap();
    assert_eq!(changed.status, 200);
    assert_eq!(seen(token), 0, "after the change of password");
}
