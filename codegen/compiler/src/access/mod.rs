//! The access matrix: what each kind of caller may do with each collection and each field, read
//! off the compiled rules. A pure function of the model, so that the table can be committed and a
//! change of rights shows in review.

mod show;

use basalt_lang::assume::{Assumption, Kind};
use basalt_lang::plan::{Column, Op, Plan, Truth, Value};
use basalt_lang::schema::{CollectionId, FieldId};
use serde::Serialize;

use crate::ir::{self, CollectionKind, FieldKind, Rule};
use crate::resolve::RuleView;

/// Who may do what.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Matrix {
    /// The kinds of callers, in the order of the cells: `guest`, each auth collection,
    /// `superuser`.
    pub callers: Vec<String>,
    /// By name.
    pub collections: Vec<Access>,
}

/// Who may do what with one collection.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Access {
    /// The collection's name.
    pub collection: String,
    /// `list`, `view`, `create`, `update`, `delete`; of auth collections also `auth` and `manage`.
    pub actions: Vec<Row>,
    /// `see` and `set` of each field but `id`, of the records that the actions give access to.
    pub fields: Vec<Row>,
}

/// What is done, and who may.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Row {
    /// An action, or `see FIELD`, `set FIELD`.
    pub what: String,
    /// One for each kind of caller.
    pub cells: Vec<Cell>,
}

/// May a kind of caller do it?
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Cell {
    /// Always.
    Yes,
    /// Never.
    No,
    /// If this holds: what remains of the rule for such a caller.
    If(String),
    /// In the words of the API, beyond rules.
    When(String),
}

impl Matrix {
    /// Reads the matrix off a schema.
    pub fn of(schema: &ir::Schema) -> Matrix {
        let view = RuleView::new(schema);
        let accounts = schema.collections.iter().enumerate();
        let accounts = accounts.filter(|(_, it)| is_auth(it) && !it.system);
        let mut kinds = vec![("guest".to_owned(), Some(Kind::Guest))];
        kinds.extend(accounts.map(|(at, collection)| {
            let kind = Kind::User(CollectionId(at));
            (collection.name.wire.clone(), Some(kind))
        }));
        kinds.push(("superuser".to_owned(), None));
        let collections = schema.collections.iter().enumerate();
        let collections = collections.map(|(at, collection)| {
            let reader = Reader {
                view: &view,
                at: CollectionId(at),
                collection,
            };
            reader.access(&kinds)
        });
        Matrix {
            collections: collections.collect(),
            callers: kinds.into_iter().map(|(name, _)| name).collect(),
        }
    }
}

fn is_auth(collection: &ir::Collection) -> bool {
    matches!(collection.kind, CollectionKind::Auth(_))
}

/// A kind of caller with its name; `None` is a superuser.
type Caller = (String, Option<Kind>);

/// Reads one collection.
struct Reader<'a> {
    view: &'a RuleView,
    at: CollectionId,
    collection: &'a ir::Collection,
}

impl Reader<'_> {
    fn access(&self, callers: &[Caller]) -> Access {
        let rules = &self.collection.rules;
        let mut actions = vec![
            ("list", &rules.list),
            ("view", &rules.view),
            ("create", &rules.create),
            ("update", &rules.update),
            ("delete", &rules.delete),
        ];
        if is_auth(self.collection) {
            actions.extend([("auth", &rules.auth), ("manage", &rules.manage)]);
        }
        let row = |what: String, cell: &dyn Fn(Option<Kind>) -> Cell| Row {
            what,
            cells: callers.iter().map(|(_, kind)| cell(*kind)).collect(),
        };
        let actions = actions
            .into_iter()
            .map(|(name, rule)| row(name.to_owned(), &|kind| self.action(name, rule, kind)));
        let fields = self.collection.fields.iter().skip(1);
        let fields = fields.flat_map(|field| {
            let name = &field.name.wire;
            [
                row(format!("see {name}"), &|kind| self.see(field, kind)),
                row(format!("set {name}"), &|kind| self.set(field, kind)),
            ]
        });
        Access {
            collection: self.collection.name.wire.clone(),
            actions: actions.collect(),
            fields: fields.collect(),
        }
    }

    fn action(&self, name: &str, rule: &Rule, kind: Option<Kind>) -> Cell {
        let logins = match &self.collection.kind {
            CollectionKind::Auth(auth) => auth.password_enabled,
            CollectionKind::Base => false,
        };
        match (name, kind) {
            // There is no other way to log in.
            ("auth", _) if !logins => Cell::No,
            (_, None) => Cell::Yes,
            ("manage", Some(Kind::Guest)) => Cell::No,
            (_, Some(kind)) => self.cell(&self.left(rule, kind, method(name))),
        }
    }

    /// What is left of a rule.
    fn left(&self, rule: &Rule, kind: Kind, method: Option<&'static str>) -> Plan {
        match rule {
            Rule::Locked => Plan::Never,
            Rule::Public => Plan::Always,
            Rule::When(compiled) => {
                let assumption = Assumption { kind, method };
                compiled.plan.assume_request(self.view, assumption)
            }
        }
    }

    fn cell(&self, plan: &Plan) -> Cell {
        match plan {
            Plan::Always => Cell::Yes,
            Plan::Never => Cell::No,
            plan => Cell::If(plan.phrase(self.view, self.at)),
        }
    }

    /// Who manages the account.
    fn managed(&self, kind: Kind) -> Plan {
        match kind {
            Kind::Guest => Plan::Never,
            Kind::User(_) => self.left(&self.collection.rules.manage, kind, None),
        }
    }

    /// Is there any record that such a caller is ever shown? The answer to a write shows it too,
    /// and so does that to a login.
    fn is_shown(&self, kind: Kind) -> bool {
        let rules = &self.collection.rules;
        let shown = [
            (&rules.list, None),
            (&rules.view, None),
            (&rules.create, method("create")),
            (&rules.update, method("update")),
        ];
        kind == Kind::User(self.at)
            || shown
                .into_iter()
                .any(|(rule, method)| self.left(rule, kind, method) != Plan::Never)
    }

    fn see(&self, field: &ir::Field, kind: Option<Kind>) -> Cell {
        let name = field.name.wire.as_str();
        if is_auth(self.collection) && matches!(name, "password" | "tokenKey") {
            return Cell::No;
        }
        let Some(kind) = kind else {
            return Cell::Yes;
        };
        if field.hidden || !self.is_shown(kind) {
            return Cell::No;
        }
        let read = self.left(&field.read, kind, None);
        if !(is_auth(self.collection) && field.system && name == "email") {
            return self.cell(&read);
        }
        let own = match kind {
            Kind::User(at) if at == self.at => self.is_caller(),
            _ => Plan::Never,
        };
        let visible = Plan::any([self.is_visible(), own, self.managed(kind)]);
        self.cell(&Plan::all([visible, read]))
    }

    /// `id = @request.auth.id`
    fn is_caller(&self) -> Plan {
        Plan::Test {
            column: Column::Field(FieldId(0)),
            op: Op::Equal,
            value: Value::Auth("id".to_owned()),
            when: Truth::True,
        }
    }

    /// `emailVisibility = true`
    fn is_visible(&self) -> Plan {
        let fields = &self.collection.fields;
        let place = fields
            .iter()
            .position(|it| it.system && it.name.wire == "emailVisibility");
        match place {
            Some(place) => Plan::Test {
                column: Column::Field(FieldId(place)),
                op: Op::Equal,
                value: Value::Bool(true),
                when: Truth::True,
            },
            None => Plan::Never,
        }
    }

    fn set(&self, field: &ir::Field, kind: Option<Kind>) -> Cell {
        let name = field.name.wire.as_str();
        let account = is_auth(self.collection) && field.system;
        if matches!(field.kind, FieldKind::Autodate { .. }) {
            return Cell::No;
        }
        let Some(kind) = kind else {
            return Cell::Yes;
        };
        if field.hidden && !(account && name == "password") {
            return Cell::No;
        }
        let rules = &self.collection.rules;
        let creates = self.left(&rules.create, kind, method("create")) != Plan::Never;
        let updates = self.left(&rules.update, kind, method("update")) != Plan::Never;
        if !creates && !updates {
            return Cell::No;
        }
        let write = self.left(&field.write, kind, None);
        let managed = self.cell(&Plan::all([self.managed(kind), write.clone()]));
        match name {
            "verified" if account => managed,
            "email" | "password" if account && write != Plan::Never => {
                let mut words = Vec::new();
                if creates {
                    words.push("at creation".to_owned());
                }
                if updates && name == "password" {
                    words.push("later with the old one".to_owned());
                }
                match (&managed, self.cell(&write)) {
                    (Cell::Yes, Cell::Yes) => return Cell::Yes,
                    (Cell::If(rule), _) => words.push(format!("later if {rule}")),
                    _ => {}
                }
                if let Cell::If(rule) = self.cell(&write) {
                    words.push(format!("and only if {rule}"));
                }
                match words.is_empty() {
                    true => Cell::No,
                    false => Cell::When(words.join(", ")),
                }
            }
            _ => self.cell(&write),
        }
    }
}

/// The method of the requests that ask a rule, where there is only one. View rules are asked for
/// expansions in answers to any request.
fn method(action: &str) -> Option<&'static str> {
    match action {
        "list" => Some("GET"),
        "create" => Some("POST"),
        "update" => Some("PATCH"),
        "delete" => Some("DELETE"),
        _ => None,
    }
}
