//! Rules over a record in memory. The floor are the comparisons themselves; for a rule that looks
//! at another record, one read by its id.

use basalt_micro::generated::organizations::Organizations;
use basalt_micro::generated::posts::Posts;
use basalt_runtime::access::Scope;
use basalt_runtime::collection::Collection;
use basalt_runtime::rules::{CompiledRule, Context, Rule};
use basalt_runtime::sql::Form;
use basalt_runtime::storage;
use divan::{Bencher, black_box};

use crate::world::{World, post, request};

fn compiled(rule: &'static Rule<Posts>) -> &'static CompiledRule<Posts> {
    match rule {
        Rule::When(rule) => rule,
        Rule::Locked | Rule::Public => panic!("no rule that has to be decided"),
    }
}

fn decide(bencher: Bencher<'_, '_>, rule: &CompiledRule<Posts>) {
    let world = World::new();
    let mut conn = storage::look(&world.dir.path().join("data.db")).unwrap();
    let (request, post) = (request(), post(1));
    let context = Context {
        request: &request,
        form: Form::Exists,
    };
    assert!((rule.memory)(&context, &post, &mut conn).unwrap());
    bencher.bench_local(|| (rule.memory)(&context, black_box(&post), &mut conn).unwrap());
}

#[divan::bench]
fn local(bencher: Bencher<'_, '_>) {
    decide(bencher, compiled(&Posts::rules().create));
}

#[divan::bench]
fn floor_local(bencher: Bencher<'_, '_>) {
    let (request, post) = (request(), post(1));
    bencher.bench_local(|| {
        let request = black_box(&request);
        let known = request
            .auth
            .as_ref()
            .is_some_and(|auth| !auth.record.id().is_empty());
        known && request.body.raw.contains_key("public") && !black_box(&post).title.is_empty()
    });
}

#[divan::bench]
fn relational(bencher: Bencher<'_, '_>) {
    decide(bencher, compiled(&Posts::rules().update));
}

#[divan::bench]
fn floor_relational_one_read(bencher: Bencher<'_, '_>) {
    let world = World::new();
    let mut conn = storage::look(&world.dir.path().join("data.db")).unwrap();
    bencher.bench_local(|| {
        let all = Scope::<Organizations>::system();
        all.find(&mut conn, "org000000000001").unwrap().is_some()
    });
}
