//! Auth tokens: JWTs signed with HS256 by the record's own `tokenKey` followed by its
//! collection's secret, so that a changed password ends every session of that record at once.

use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey, Header, Validation};
use serde::{Deserialize, Serialize};

use super::hs256;

/// What a token says. Times are unix seconds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Claims {
    /// The record's id.
    pub id: String,
    /// `auth`; other types are no login.
    #[serde(rename = "type")]
    pub kind: String,
    /// Id of the record's collection (its name is accepted too).
    pub collection_id: String,
    /// When it ends; without it, never.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exp: Option<u64>,
    /// May it be exchanged for a fresh one?
    #[serde(default)]
    pub refreshable: bool,
}

/// The type of tokens that log in.
pub const AUTH: &str = "auth";

/// Signs claims.
pub fn sign(
    claims: &Claims,
    token_key: &str,
    secret: &str,
) -> jsonwebtoken::errors::Result<String> {
    hs256::install();
    let key = EncodingKey::from_secret(format!("{token_key}{secret}").as_bytes())?;
    jsonwebtoken::encode(&Header::new(Algorithm::HS256), claims, &key)
}

/// What a token claims, before its signature was looked at: only to find the key.
pub fn claimed(token: &str) -> Option<Claims> {
    let data = jsonwebtoken::dangerous::insecure_decode::<Claims>(token).ok()?;
    (!data.claims.id.is_empty() && !data.claims.collection_id.is_empty()).then_some(data.claims)
}

/// The claims of a token that is signed with this key, not expired, and of type `auth`.
pub fn verify(token: &str, token_key: &str, secret: &str) -> Option<Claims> {
    hs256::install();
    let mut validation = Validation::new(Algorithm::HS256);
    validation.required_spec_claims.clear();
    validation.validate_nbf = true;
    validation.leeway = 0;
    let key = DecodingKey::from_secret(format!("{token_key}{secret}").as_bytes()).ok()?;
    let claims = jsonwebtoken::decode::<Claims>(token, &key, &validation)
        .ok()?
        .claims;
    (claims.kind == AUTH).then_some(claims)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn claims(exp: Option<u64>) -> Claims {
        Claims {
            id: "r1".into(),
            kind: AUTH.into(),
            collection_id: "c1".into(),
            exp,
            refreshable: true,
        }
    }

    const KEY: &str = "keykeykeykeykeykeykeykeykeykey";
    const SECRET: &str = "secretsecretsecretsecretsecretsecret";

    #[test]
    fn a_token_holds_only_under_its_own_key() {
        let token = sign(&claims(Some(4_102_444_800)), KEY, SECRET).unwrap();
        assert_eq!(
            verify(&token, KEY, SECRET),
            Some(claims(Some(4_102_444_800)))
        );
        assert_eq!(verify(&token, "other", SECRET), None);
        assert_eq!(verify(&token, SECRET, KEY), None);
        assert_eq!(claimed(&token).unwrap().id, "r1");
    }

    #[test]
    fn expired_and_foreign_tokens_are_refused() {
        assert_eq!(
            verify(&sign(&claims(Some(1)), KEY, SECRET).unwrap(), KEY, SECRET),
            None
        );
        assert!(verify(&sign(&claims(None), KEY, SECRET).unwrap(), KEY, SECRET).is_some());
        let mut file = claims(None);
        file.kind = "file".into();
        assert_eq!(
            verify(&sign(&file, KEY, SECRET).unwrap(), KEY, SECRET),
            None
        );
    }

    #[test]
    fn a_changed_character_anywhere_is_refused() {
        let token = sign(&claims(Some(4_102_444_800)), KEY, SECRET).unwrap();
        for at in 0..token.len() {
            let mut changed = token.clone().into_bytes();
            *changed.get_mut(at).unwrap() ^= 1;
            let changed = String::from_utf8(changed).unwrap();
            // The last character of base64 may hold bits that are not part of the value.
            if at + 1 < token.len() {
                assert_eq!(verify(&changed, KEY, SECRET), None, "at {at}");
            }
        }
        // {"alg":"none","typ":"JWT"}
        let payload = token.split('.').nth(1).unwrap();
        let none = format!("eyJhbGciOiJub25lIiwidHlwIjoiSldUIn0.{payload}.");
        assert_eq!(verify(&none, KEY, SECRET), None);
    }
}
