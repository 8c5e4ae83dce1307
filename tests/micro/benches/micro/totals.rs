//! A total that is known. The floor finds the same key in a map.

use std::collections::HashMap;

use divan::{Bencher, black_box};

use crate::world::World;

const KEYS: usize = 1_000;

fn keys() -> Vec<String> {
    let condition = "posts SELECT count(*) WHERE author = ? AND title LIKE ?";
    (0..KEYS)
        .map(|number| format!("{condition} {number}"))
        .collect()
}

#[divan::bench]
fn known(bencher: Bencher<'_, '_>) {
    let world = World::new();
    let (db, keys) = (&world.app.db, keys());
    let totals = db.totals();
    for key in &keys {
        totals
            .total(key.clone(), db.marks(&["posts", "users"]), || Ok(7))
            .unwrap();
    }
    let mut turn = 0;
    bencher.bench_local(|| {
        turn = (turn + 1) % KEYS;
        let marks = db.marks(&["posts", "users"]);
        totals.find(black_box(&keys[turn]), &marks).unwrap()
    });
}

#[divan::bench]
fn floor_map(bencher: Bencher<'_, '_>) {
    let keys = keys();
    let map: HashMap<String, i64> = keys.iter().cloned().zip(0..).collect();
    let mut turn = 0;
    bencher.bench_local(|| {
        turn = (turn + 1) % KEYS;
        map[black_box(&keys[turn])]
    });
}
