//! A text as a JSON string. The floor copies the same bytes.

use basalt_runtime::wire;
use divan::counter::BytesCount;
use divan::{Bencher, black_box};

use crate::world::text;

fn texts(kind: &str) -> String {
    match kind {
        "plain" => "lorem ipsum dolor ".repeat(30),
        "escaped" => text(540),
        _ => "\u{1}\"\\".repeat(180),
    }
}

const KINDS: [&str; 3] = ["plain", "escaped", "hostile"];

#[divan::bench(args = KINDS)]
fn escape(bencher: Bencher<'_, '_>, kind: &str) {
    let (text, mut out) = (texts(kind), Vec::with_capacity(8192));
    bencher.counter(BytesCount::of_str(&text)).bench_local(|| {
        out.clear();
        wire::write_text(&mut out, black_box(&text));
        black_box(&out).len()
    });
}

#[divan::bench(args = KINDS)]
fn floor_copy(bencher: Bencher<'_, '_>, kind: &str) {
    let (text, mut out) = (texts(kind), Vec::with_capacity(8192));
    bencher.counter(BytesCount::of_str(&text)).bench_local(|| {
        out.clear();
        out.extend_from_slice(black_box(&text).as_bytes());
        black_box(&out).len()
    });
}
