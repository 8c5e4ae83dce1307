//! Whether a token holds. The floor is its signature alone.

use basalt_runtime::auth::token::{AUTH, Claims, sign, verify};
use divan::{Bencher, black_box};
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

fn key() -> String {
    "k".repeat(50)
}

fn secret() -> String {
    "s".repeat(50)
}

fn token() -> String {
    let claims = Claims {
        id: "user00000000001".to_owned(),
        kind: AUTH.to_owned(),
        collection_id: "pbc_0123456789".to_owned(),
        exp: Some(4_102_444_800),
        refreshable: true,
    };
    sign(&claims, &key(), &secret()).unwrap()
}

#[divan::bench]
fn verified(bencher: Bencher<'_, '_>) {
    let (token, key, secret) = (token(), key(), secret());
    bencher.bench_local(|| verify(black_box(&token), &key, &secret).unwrap());
}

#[divan::bench]
fn floor_signature(bencher: Bencher<'_, '_>) {
    let (token, key) = (token(), key() + &secret());
    let (signed, _) = token.rsplit_once('.').unwrap();
    bencher.bench_local(|| {
        let mut mac = Hmac::<Sha256>::new_from_slice(key.as_bytes()).unwrap();
        mac.update(black_box(signed).as_bytes());
        mac.finalize().into_bytes()
    });
}
