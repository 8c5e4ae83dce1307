//! Rules, which are built into our server: each action that a rule decides is tried at both
//! servers, by several callers and on every record. Nothing is changed by it: what the rules let
//! through fails afterwards, for a text that is too long or a record that is still needed.

use anyhow::{Context, Result, ensure};
use basalt_blackbox::{Client, Random, Response};
use basalt_codegen::ir;
use basalt_codegen::resolve::RuleView;
use basalt_lang::schema::Schema as _;
use basalt_lang::{Caller as Author, Scope, compile};
use serde_json::{Map, Value, json};

use crate::filters::{Caller, Failure};
use crate::grammar::{self, Grammar};
use crate::judge::{Listed, list};
use crate::known::known;
use crate::model::{Collection, Kind, Schema};
use crate::rows;

/// The actions, in the order of [`Collection::rules`].
pub const ACTIONS: [&str; 5] = ["list", "view", "create", "update", "delete"];
/// Texts that are tried until one is a rule for both servers.
const TRIES: usize = 200;
/// Bodies that each create rule is asked about.
const CREATES: usize = 6;

/// What came out.
#[derive(Debug, Default)]
pub struct Outcome {
    /// Rules that both servers have.
    pub rules: usize,
    /// Texts that both servers refuse as a rule.
    pub refused: usize,
    /// Texts that the peer accepts and we refuse, as we mean to.
    pub stricter: usize,
    /// Decisions that were compared.
    pub decisions: usize,
    /// Rules that said both yes and no.
    pub telling: usize,
    /// Where the judges differ.
    pub failures: Vec<String>,
}

impl Outcome {
    /// Takes another's part.
    pub fn add(&mut self, other: Outcome) {
        self.rules += other.rules;
        self.refused += other.refused;
        self.stricter += other.stricter;
        self.decisions += other.decisions;
        self.telling += other.telling;
        self.failures.extend(other.failures);
    }
}

/// Finds rules that both servers accept.
pub struct Choice<'a> {
    /// The schema without rules.
    pub ir: &'a ir::Schema,
    /// A superuser of the peer, which has that schema, and the records.
    pub peer: &'a Client,
    /// Somebody who is logged in at the peer.
    pub asker: &'a Client,
}

impl Choice<'_> {
    /// Gives every collection at the end of the schema its five rules.
    pub fn rules(&self, schema: &mut Schema, random: &mut Random) -> Result<Outcome> {
        let mut outcome = Outcome::default();
        for place in schema.ruled..schema.collections.len() {
            for action in 0..ACTIONS.len() {
                let rule = self.rule(schema, random, (place, action), &mut outcome)?;
                let collection = schema.collections.get_mut(place);
                let slot = collection.and_then(|it| it.rules.get_mut(action));
                *slot.context("no such rule")? = Some(rule);
                outcome.rules += 1;
            }
        }
        Ok(outcome)
    }

    fn rule(
        &self,
        schema: &Schema,
        random: &mut Random,
        (place, action): (usize, usize),
        outcome: &mut Outcome,
    ) -> Result<String> {
        let collection = schema
            .collections
            .get(place)
            .context("no such collection")?;
        for _ in 0..TRIES {
            let mut grammar = Grammar::new(schema, random, grammar::Author::Rule);
            let text = grammar.condition(place).to_string();
            let accepted = self.accepted(&collection.name, &text, outcome)?;
            if !accepted {
                continue;
            }
            let listed = list(self.asker, &collection.name, "", "")?;
            // Some texts that the peer accepts fail whenever it asks them.
            if listed.status != 200 {
                continue;
            }
            // Rules that tell records apart tell servers apart.
            let tells = !listed.ids.is_empty() && listed.ids.len() < collection.rows;
            if tells || action == 2 || random.below(6) == 0 {
                return Ok(text);
            }
        }
        anyhow::bail!("{TRIES} texts, and none is a rule for both servers")
    }

    /// Is the text a rule for both servers? The peer has it as list rule then.
    fn accepted(&self, name: &str, text: &str, outcome: &mut Outcome) -> Result<bool> {
        let path = format!("/api/collections/{name}");
        let answer = self.peer.patch(&path, &json!({ "listRule": text }))?;
        let view = RuleView::new(self.ir);
        let id = view.collection(name).context("no such collection")?;
        let by = |author| compile(text, &Scope::new(&view, id, author));
        let refused = match (by(Author::Rule), answer.status) {
            (Ok(_), 200) => return Ok(true),
            (Err(_), 400) => {
                outcome.refused += 1;
                return Ok(false);
            }
            // The build is strict about what can only be a mistake.
            (Err(_), _) if by(Author::Superuser).is_ok() => {
                outcome.stricter += 1;
                return Ok(false);
            }
            (Err(errors), _) => errors,
            (Ok(_), _) => Vec::new(),
        };
        let ours: Vec<String> = refused.iter().map(ToString::to_string).collect();
        let failure = Failure {
            collection: name.to_owned(),
            caller: "a rule's author".to_owned(),
            filter: text.to_owned(),
            sort: String::new(),
            peer: allowed(answer.status, Vec::new()),
            ours: allowed(if ours.is_empty() { 200 } else { 400 }, Vec::new()),
        };
        if known(&failure.case()).is_none() {
            outcome
                .failures
                .push(format!("{} {}", failure.text(), ours.join("; ")));
        }
        Ok(false)
    }
}

/// The rules of one schema, and who asks.
pub struct Decisions<'a> {
    /// The collections, with their rules.
    pub schema: &'a Schema,
    /// A superuser comes first, and is left out: no rule applies.
    pub callers: &'a [Caller],
}

impl Decisions<'_> {
    /// Tries everything.
    pub fn compare(&self, random: &mut Random) -> Result<Outcome> {
        let mut outcome = Outcome::default();
        for collection in self.schema.collections.iter().skip(self.schema.ruled) {
            let mut seen = [[false; 2]; 5];
            for caller in self.callers.iter().skip(1) {
                for (action, seen) in seen.iter_mut().enumerate() {
                    let question = Question {
                        schema: self.schema,
                        collection,
                        caller,
                        action,
                    };
                    question.put(random, seen, &mut outcome)?;
                }
            }
            outcome.telling += seen.iter().filter(|seen| **seen == [true; 2]).count();
        }
        Ok(outcome)
    }
}

struct Question<'a> {
    schema: &'a Schema,
    collection: &'a Collection,
    caller: &'a Caller,
    action: usize,
}

impl Question<'_> {
    fn put(&self, random: &mut Random, seen: &mut [bool; 2], outcome: &mut Outcome) -> Result<()> {
        let name = &self.collection.name;
        let body = body(self.schema, self.collection, random);
        let count = match self.action {
            2 => CREATES,
            _ => self.collection.rows,
        };
        let bodies: Vec<Value> = match self.action {
            2 => (0..count)
                .map(|_| self::body(self.schema, self.collection, random))
                .collect(),
            _ => Vec::new(),
        };
        let ask = |client: &Client| match self.action {
            0 => list(client, name, "", ""),
            2 => created(client, name, &bodies),
            action => each(client, self.collection, action, &body),
        };
        let (ours, peer) = (ask(&self.caller.ours)?, ask(&self.caller.peer)?);
        outcome.decisions += count;
        for (place, seen) in seen.iter_mut().enumerate() {
            *seen |= if place == 0 {
                peer.ids.len() < count
            } else {
                !peer.ids.is_empty()
            };
        }
        if ours != peer {
            let sent = match self.action {
                2 => json!(bodies),
                _ => body.clone(),
            };
            let answers = format!("peer: {}\n    ours: {}", peer.short(), ours.short());
            outcome.failures.push(self.report(&sent, &answers));
        }
        if self.action != 2 {
            self.ask_all_forms(&body, outcome)?;
        }
        Ok(())
    }

    /// Asks our server for each form of the rule, on the same request.
    fn ask_all_forms(&self, body: &Value, outcome: &mut Outcome) -> Result<()> {
        let path = format!(
            "/api/judge/{}/{}?q=x&n=1",
            self.collection.name, self.action
        );
        let answer = self.caller.ours.post(&path, body)?;
        let judged = answer.json();
        let form = |name: &str| -> Option<Vec<Value>> {
            let mut ids = judged.get(name)?.as_array()?.clone();
            ids.sort_by(|one, other| one.as_str().cmp(&other.as_str()));
            Some(ids)
        };
        let forms = [form("among"), form("exists"), form("memory")];
        let [among, exists, memory] = &forms;
        if answer.status != 200 || among != exists || exists != memory || memory.is_none() {
            let answers = format!("forms differ: {}", answer.text);
            outcome.failures.push(self.report(body, &answers));
        }
        Ok(())
    }

    fn report(&self, body: &Value, answers: &str) -> String {
        let action = ACTIONS.get(self.action).copied().unwrap_or_default();
        let rule = self.collection.rules.get(self.action).cloned().flatten();
        format!(
            "{} {action} as {}: {}\n    body: {body}\n    {answers}",
            self.collection.name,
            self.caller.name,
            rule.unwrap_or_default().replace('\n', "\\n"),
        )
    }
}

/// Something for most of the fields, some of it with a modifier, and a text that is too long.
fn body(schema: &Schema, collection: &Collection, random: &mut Random) -> Value {
    let mut body = Map::new();
    for field in &collection.fields {
        if random.below(3) == 0 {
            continue;
        }
        let value = match field.kind {
            Kind::Relation { target, many } => {
                rows::some_of(&rows::ids(schema, target), many, random)
            }
            kind => rows::value(kind, random),
        };
        let key = match (field.kind, random.below(8)) {
            (Kind::Number, 0) => format!("{}+", field.name),
            _ => field.name.clone(),
        };
        body.insert(key, value);
    }
    if random.below(2) == 0 {
        body.insert("extra".to_owned(), json!({ "a": ["x", 1, null] }));
    }
    body.insert("lock".to_owned(), "too long".into());
    Value::Object(body)
}

fn allowed(status: u16, ids: Vec<String>) -> Listed {
    Listed {
        status,
        total: i64::try_from(ids.len()).unwrap_or(-1),
        ids,
    }
}

/// The records that a view, an update or a delete gets at.
fn each(client: &Client, collection: &Collection, action: usize, body: &Value) -> Result<Listed> {
    let mut ids = Vec::new();
    let mut status = 200;
    for number in 0..collection.rows {
        let id = collection.row_id(number);
        let path = format!("/api/collections/{}/records/{id}?q=x&n=1", collection.name);
        let answer = match action {
            1 => client.get(&path)?,
            3 => client.patch(&path, body)?,
            _ => client.delete(&path)?,
        };
        ensure!(action == 1 || answer.status != 204, "{id} is gone");
        match (action, answer.status) {
            (1, 200) | (3 | 4, 400) => ids.push(id),
            (_, 404) => {}
            (_, other) => status = other,
        }
    }
    Ok(allowed(status, ids))
}

/// Which of the bodies the create rule lets through, by number.
fn created(client: &Client, collection: &str, bodies: &[Value]) -> Result<Listed> {
    let path = format!("/api/collections/{collection}/records?q=x&n=1");
    let mut ids = Vec::new();
    let mut status = 200;
    for (number, body) in bodies.iter().enumerate() {
        let answer: Response = client.post(&path, body)?;
        ensure!(answer.status != 200, "{body} was created");
        match answer.status {
            400 if answer.json().pointer("/data/lock").is_some() => ids.push(number.to_string()),
            400 => {}
            other => status = other,
        }
    }
    Ok(allowed(status, ids))
}
