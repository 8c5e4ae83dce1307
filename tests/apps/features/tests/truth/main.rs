//! Each rule of the application has three forms: the generated condition on rows, the generated
//! predicate over a record in memory, and what the server makes of the same text when a client
//! sends it as a filter. On random records and requests all three must say the same.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod random;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use basalt_lang::schema::Schema;
use basalt_lang::scope::{Caller, Scope};
use basalt_runtime::access;
use basalt_runtime::collection::{Collection, Record};
use basalt_runtime::registry::Registry;
use basalt_runtime::request::{Auth, Body, RequestInfo};
use basalt_runtime::rules::{CompiledRule, Context, Filter, Rule, Split};
use basalt_runtime::sql::compare;
use basalt_runtime::sql::filter::dynamic;
use basalt_runtime::sql::predicate::Predicate;
use basalt_runtime::sql::{Conn, Form};
use basalt_runtime::value::Value;
use features_app::generated::{
    self, members, rules_back, rules_body, rules_call, rules_each, rules_many, rules_one,
    rules_own, rules_request, subjects,
};

use time::macros::datetime;

use random::{Ids, Random, fill, owned_value};

const SEEDS: u64 = 6;
const RECORDS: usize = 25;
const REQUESTS: usize = 8;

/// What is common to all comparisons.
struct World {
    conn: Conn,
    registry: Registry,
    random: Random,
    ids: Ids,
    callers: Vec<Arc<dyn Record>>,
    /// For each rule how often it said no and yes.
    outcomes: BTreeMap<String, [usize; 2]>,
    /// How rules were counted by parts.
    splits: BTreeSet<String>,
}

impl World {
    fn new(seed: u64) -> Self {
        let mut conn = random::database();
        let (mut random, mut ids) = (Random::new(seed), Ids::new());
        fill::<subjects::Subjects>(&mut conn, &mut random, &mut ids, 9);
        fill::<members::Members>(&mut conn, &mut random, &mut ids, 4);
        let callers = load::<members::Members>(&mut conn, Predicate::Always);
        Self {
            conn,
            registry: generated::registry().build(),
            random,
            ids,
            callers: callers
                .into_iter()
                .map(|member| Arc::new(member) as Arc<dyn Record>)
                .collect(),
            outcomes: BTreeMap::new(),
            splits: BTreeSet::new(),
        }
    }

    /// Compares the rules of a collection, each on all of its records and several requests.
    fn check<C: Collection>(&mut self) {
        if !self.ids.contains_key(C::META.name) {
            fill::<C>(&mut self.conn, &mut self.random, &mut self.ids, RECORDS);
        }
        let rules = C::rules();
        for rule in [
            &rules.list,
            &rules.view,
            &rules.create,
            &rules.update,
            &rules.delete,
            &rules.auth,
            &rules.manage,
        ] {
            let Rule::When(rule) = rule else { continue };
            for _ in 0..REQUESTS {
                let request = self.request::<C>();
                for form in [Form::In, Form::Exists] {
                    let context = Context {
                        request: &request,
                        form,
                    };
                    self.compare::<C>(rule, &context);
                }
                if rule.split != Split::None {
                    self.split::<C>(rule, &request);
                }
            }
        }
    }

    /// The parts by which a rule is counted are what it finds and what it leaves out.
    fn split<C: Collection>(&mut self, rule: &CompiledRule<C>, request: &RequestInfo) {
        let all = ids(&load::<C>(&mut self.conn, Predicate::Always));
        let (nowhere, empty) = match rule.split {
            Split::Link { field, empty } => {
                let nowhere = compare::empty(C::column(field).unwrap(), true);
                (ids(&load::<C>(&mut self.conn, nowhere)), empty)
            }
            _ => (BTreeSet::new(), false),
        };
        let mut found = |form, text: Option<&str>| {
            let context = Context { request, form };
            match text {
                Some(text) => self.filtered::<C>(text, &context),
                None => ids(&load::<C>(&mut self.conn, (rule.sql)(&context))),
            }
        };
        let plain = found(Form::In, None);
        for text in [None, Some(rule.text)] {
            let (mut whole, mut rest) = (found(Form::Whole, text), found(Form::Rest, text));
            assert!(whole.is_disjoint(&nowhere) && rest.is_disjoint(&nowhere));
            let part = if empty { &mut whole } else { &mut rest };
            part.extend(nowhere.iter().cloned());
            assert_eq!(whole, plain, "{}", rule.source);
            assert!(rest.is_disjoint(&whole), "{}", rule.source);
            assert_eq!(rest.len() + whole.len(), all.len(), "{}", rule.source);
        }
        self.splits.insert(format!("{:?}", rule.split));
    }

    fn compare<C: Collection>(&mut self, rule: &CompiledRule<C>, context: &Context<'_>) {
        let generated = ids(&load::<C>(&mut self.conn, (rule.sql)(context)));
        // Only a rule compares what was sent with what is stored.
        let at_run_time = match rule.text.contains(":changed") {
            true => generated.clone(),
            false => self.filtered::<C>(rule.text, context),
        };
        let mut in_memory = BTreeSet::new();
        let all = load::<C>(&mut self.conn, Predicate::Always);
        for record in &all {
            if (rule.memory)(context, record, &mut self.conn).unwrap() {
                in_memory.insert(record.id().to_owned());
            }
        }
        let what = format!("{} {:?}", rule.source, rule.text);
        let told = |ids: &BTreeSet<String>| -> String {
            let chosen = all.iter().filter(|record| ids.contains(record.id()));
            chosen.map(|record| format!("\n  {record:?}")).collect()
        };
        let differ = |other: &BTreeSet<String>| -> BTreeSet<String> {
            generated.symmetric_difference(other).cloned().collect()
        };
        let memory = differ(&in_memory);
        assert!(
            memory.is_empty(),
            "{what}: rows and memory differ on{}",
            told(&memory)
        );
        let filter = differ(&at_run_time);
        assert!(
            filter.is_empty(),
            "{what}: rule and filter differ on{}",
            told(&filter)
        );
        let count = self.outcomes.entry(what).or_default();
        count[1] += generated.len();
        count[0] += all.len() - generated.len();
    }

    /// The records that a superuser's filter of this text finds.
    fn filtered<C: Collection>(&mut self, text: &str, context: &Context<'_>) -> BTreeSet<String> {
        let collection = self.registry.collection(C::META.name).unwrap();
        let scope = Scope::new(&self.registry, collection, Caller::Superuser);
        let compiled = basalt_lang::compile(text, &scope).unwrap();
        let plan = compiled.plan.gathered(collection, &|place, field| {
            self.registry.is_single(place, field)
        });
        let filter = Filter {
            plan: &plan,
            context,
            registry: Some(&self.registry),
        };
        ids(&load::<C>(&mut self.conn, dynamic::<C>(&filter)))
    }

    /// A request with some of everything that rules can ask for.
    fn request<C: Collection>(&mut self) -> RequestInfo {
        let random = &mut self.random;
        let auth = match random.below(self.callers.len() + 1) {
            0 => None,
            at => Some(Auth {
                record: Arc::clone(&self.callers[at - 1]),
                superuser: false,
                token: "".into(),
                refreshable: true,
            }),
        };
        let mut body = Body::default();
        for (place, field) in C::META.fields.iter().enumerate().skip(1) {
            if random.chance(2) {
                let value = owned_value::<C>(place, random, &self.ids);
                body.raw.insert(field.name.to_owned(), json(&value));
                body.fields.insert(field.name.to_owned(), value);
            }
        }
        let mut texts = |key: &str| -> BTreeMap<String, String> {
            let value = random.text().to_owned();
            let some = random.chance(2).then(|| (key.to_owned(), value));
            some.into_iter().collect()
        };
        RequestInfo {
            auth,
            query: texts("key"),
            headers: texts("x_key").into(),
            method: ["GET", "PATCH"][random.below(2)],
            context: ["default", "expand"][random.below(2)],
            body,
            now: datetime!(2024-07-01 12:00 UTC),
            client: None,
        }
    }
}

fn json(value: &Value) -> serde_json::Value {
    match value {
        Value::Null => serde_json::Value::Null,
        Value::Text(text) => text.as_str().into(),
        Value::Number(number) => (*number).into(),
        Value::Bool(flag) => (*flag).into(),
        Value::List(items) => items.clone().into(),
        Value::Json(text) => serde_json::from_str(text).unwrap(),
    }
}

fn ids<R: Record>(records: &[R]) -> BTreeSet<String> {
    records
        .iter()
        .map(|record| record.id().to_owned())
        .collect()
}

fn load<C: Collection>(conn: &mut Conn, condition: Predicate<C::Table>) -> Vec<C::Record> {
    let found = access::Scope::<C>::system().matching(condition).load(conn);
    let records = found.unwrap().into_iter();
    records.map(access::Allowed::into_inner).collect()
}

#[test]
fn all_forms_of_a_rule_agree() {
    let mut outcomes: BTreeMap<String, [usize; 2]> = BTreeMap::new();
    for seed in 1..=SEEDS {
        let mut world = World::new(seed);
        world.check::<rules_own::RulesOwn>();
        world.check::<rules_each::RulesEach>();
        world.check::<rules_one::RulesOne>();
        world.check::<rules_many::RulesMany>();
        world.check::<rules_request::RulesRequest>();
        world.check::<rules_body::RulesBody>();
        world.check::<rules_back::RulesBack>();
        world.check::<rules_call::RulesCall>();
        world.check::<members::Members>();
        assert!(world.splits.len() > 2, "{:?}", world.splits);
        for (rule, [no, yes]) in world.outcomes {
            let total = outcomes.entry(rule).or_default();
            total[0] += no;
            total[1] += yes;
        }
    }
    assert!(outcomes.len() >= 46, "only {} rules", outcomes.len());
    for (rule, [no, yes]) in outcomes {
        assert!(no > 0 && yes > 0, "{rule} was never decided both ways");
    }
}
