//! Filters of clients: from text to plan. The floor is one look at each byte.

use basalt_lang::scope::{Caller, Scope};
use basalt_micro::application;
use divan::{Bencher, black_box};

/// Of one comparison, of many, and of the deepest nesting that says nothing.
const TEXTS: [&str; 3] = ["short", "long", "hostile"];

fn text(kind: &str) -> String {
    let one = "author.organization.name ~ 'acme' || title != 'a b c'";
    match kind {
        "short" => "title = 'hello'".to_owned(),
        "long" => vec![format!("({one})"); 20].join(" && "),
        _ => format!("{}title = 'x'", "(".repeat(4_000)),
    }
}

#[divan::bench(args = TEXTS)]
fn compile(bencher: Bencher<'_, '_>, kind: &str) {
    let registry = application().collections.build();
    let collection = basalt_lang::schema::Schema::collection(&registry, "posts").unwrap();
    let scope = Scope::new(&registry, collection, Caller::Superuser);
    let text = text(kind);
    bencher.bench_local(|| basalt_lang::compile(black_box(&text), &scope).is_ok());
}

#[divan::bench(args = TEXTS)]
fn floor_each_byte(bencher: Bencher<'_, '_>, kind: &str) {
    let text = text(kind);
    bencher.bench_local(|| {
        black_box(&text)
            .bytes()
            .filter(|byte| *byte == b'\'')
            .count()
    });
}
