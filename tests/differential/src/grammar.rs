//! Random conditions over a schema: every kind of operand, operator, modifier and path.

use basalt_blackbox::Random;

use crate::expr::Expr;
use crate::literal::{date_macro, literal, number_macro};
use crate::model::{Collection, Field, Kind, Schema};

/// Every operator without `?`.
pub const OPERATORS: [&str; 8] = ["=", "!=", ">", ">=", "<", "<=", "~", "!~"];
const ANY_OPERATORS: [&str; 8] = ["?=", "?!=", "?>", "?>=", "?<", "?<=", "?~", "?!~"];

/// Who writes the condition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Author {
    /// The schema's author: a rule.
    Rule,
    /// A superuser: a filter that may use everything.
    Superuser,
    /// Anyone else: a filter.
    Client,
}

/// What an operand holds, as far as it helps to find something to compare it with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Holds {
    Text,
    Number,
    Bool,
    Date,
    Json,
    Items,
    Id(usize),
}

pub(crate) struct Operand {
    pub(crate) text: String,
    pub(crate) holds: Holds,
}

/// Makes conditions.
pub struct Grammar<'a> {
    pub(crate) schema: &'a Schema,
    pub(crate) random: &'a mut Random,
    author: Author,
    /// Paths that this condition has walked, and where they led: they are walked again often.
    prefixes: Vec<(String, usize)>,
    /// How this condition spells collections: mostly in one way.
    spelling: usize,
}

impl<'a> Grammar<'a> {
    /// Conditions by this author.
    pub fn new(schema: &'a Schema, random: &'a mut Random, author: Author) -> Self {
        Self {
            schema,
            random,
            author,
            prefixes: Vec::new(),
            spelling: 0,
        }
    }

    /// A condition about records of the collection at this place.
    pub fn condition(&mut self, collection: usize) -> Expr {
        self.prefixes.clear();
        self.spelling = self.random.below(6);
        let depth = match self.random.below(10) {
            0..4 => 0,
            4..8 => 1,
            _ => 2,
        };
        self.expr(collection, depth)
    }

    /// What to sort records of the collection by, ending with what no two have in common. Paths
    /// with several values are left out: which of them counts is the query plan's choice there.
    pub fn sort(&mut self, collection: usize) -> String {
        let count = 1 + self.random.below(2);
        let keys = (0..count).map(|_| {
            let sign = self.random.pick(&["", "", "-", "-", "+"]);
            let mut prefix = String::new();
            let mut place = collection;
            for _ in 0..self.random.below(3) {
                let Some((name, target)) = self.single(place) else {
                    break;
                };
                prefix = format!("{prefix}{name}.");
                place = target;
            }
            let key = self.end(&prefix, place).text;
            format!("{sign}{}", key.replace(":each", ""))
        });
        let keys: Vec<String> = keys.collect();
        let last = self.random.pick(&["id", "-id", "@rowid", "-@rowid"]);
        format!("{},{last}", keys.join(","))
    }

    /// A single relation of a collection, and where it leads.
    fn single(&mut self, place: usize) -> Option<(&'a str, usize)> {
        let fields = self.schema.collections.get(place)?.fields.iter();
        let relations = fields.filter_map(|field| match field.kind {
            Kind::Relation {
                target,
                many: false,
            } => Some((field.name.as_str(), target)),
            _ => None,
        });
        let relations: Vec<(&str, usize)> = relations.collect();
        relations.get(self.random.below(relations.len())).copied()
    }

    fn expr(&mut self, collection: usize, depth: usize) -> Expr {
        if depth == 0 {
            return self.comparison(collection);
        }
        let all = self.random.below(3) > 0;
        let glue = match all {
            // In a rule, a quote in a comment would be in everybody's way (`known`).
            true if self.author == Author::Rule => {
                self.random.pick(&[" && ", " && ", "&&", " // its\n && "])
            }
            true => self
                .random
                .pick(&[" && ", " && ", "&&", "\n&&\t", " // it's\n && "]),
            false => self.random.pick(&[" || ", " || ", "||", "\n||\t"]),
        };
        let count = 2 + self.random.below(2);
        let items = (0..count).map(|_| {
            let below = self.random.below(depth);
            self.expr(collection, below)
        });
        let items = items.collect();
        Expr::Join { all, glue, items }
    }

    fn comparison(&mut self, collection: usize) -> Expr {
        let left = match self.random.below(40) {
            0 => self.literal(Holds::Text),
            1 | 2 => self.function(collection),
            _ => self.path(collection),
        };
        let right = match self.random.below(12) {
            0 | 1 => self.path(collection).text,
            2 => self.any_literal(),
            3 if self.random.below(3) == 0 => self.function(collection).text,
            _ => literal(self, left.holds),
        };
        let op = self.operator(left.holds);
        let (left, right) = match self.random.below(8) {
            0 => (right, left.text),
            _ => (left.text, right),
        };
        Expr::Compare { left, op, right }
    }

    fn operator(&mut self, holds: Holds) -> &'static str {
        let set = match self.random.below(3) {
            0 => ANY_OPERATORS,
            _ => OPERATORS,
        };
        let common: &[usize] = match holds {
            Holds::Number | Holds::Date => &[0, 1, 2, 3, 4, 5],
            Holds::Items | Holds::Text => &[0, 1, 6, 7],
            _ => &[0, 1],
        };
        let place = match self.random.below(4) {
            0 => self.random.below(set.len()),
            _ => self.random.pick(common),
        };
        set.get(place).copied().unwrap_or("=")
    }

    fn literal(&mut self, holds: Holds) -> Operand {
        let text = literal(self, holds);
        Operand { text, holds }
    }

    fn any_literal(&mut self) -> String {
        let choices = [
            Holds::Text,
            Holds::Number,
            Holds::Bool,
            Holds::Date,
            Holds::Json,
            Holds::Items,
        ];
        let place = self.random.below(choices.len());
        literal(self, choices.get(place).copied().unwrap_or(Holds::Text))
    }

    /// A path that begins anywhere.
    fn path(&mut self, collection: usize) -> Operand {
        if !self.prefixes.is_empty() && self.random.below(5) < 2 {
            let at = self.random.below(self.prefixes.len());
            if let Some((prefix, place)) = self.prefixes.get(at).cloned() {
                return self.walk(prefix, place, 1);
            }
        }
        let wide = self.author != Author::Client || self.random.below(60) == 0;
        match self.random.below(20) {
            0 | 1 if wide => self.request(collection),
            2 if wide => self.elsewhere(),
            3 if self.random.below(3) == 0 => self.now(),
            _ => self.walk(String::new(), collection, 3),
        }
    }

    fn now(&mut self) -> Operand {
        match self.random.below(2) {
            0 => Operand {
                text: date_macro(self.random),
                holds: Holds::Date,
            },
            _ => Operand {
                text: number_macro(self.random),
                holds: Holds::Number,
            },
        }
    }

    /// `@collection.NAME…`, with or without an alias.
    fn elsewhere(&mut self) -> Operand {
        let place = self.random.below(self.schema.collections.len());
        let Some(collection) = self.schema.collections.get(place) else {
            return self.now();
        };
        let name = self.spelled(collection);
        let alias = self.random.pick(&["", "", ":one", ":two", ":o_2"]);
        let prefix = format!("@collection.{name}{alias}.");
        self.prefixes.push((prefix.clone(), place));
        self.walk(prefix, place, 1)
    }

    /// A collection by name, in any letter case, or by id.
    fn spelled(&mut self, collection: &Collection) -> String {
        if self.random.below(40) == 0 {
            self.spelling = self.random.below(6);
        }
        match self.spelling {
            0 => collection.id.clone(),
            1 => collection.name.to_uppercase(),
            _ => collection.name.clone(),
        }
    }

    fn request(&mut self, collection: usize) -> Operand {
        let text = |text: String| Operand {
            text,
            holds: Holds::Text,
        };
        match self.random.below(10) {
            0..4 => self.auth(),
            4..7 => self.body(collection),
            7 => {
                let name = self.random.pick(&["q", "n", "t", "nope"]);
                let modifier = self.random.pick(&["", "", ":isset", ":lower"]);
                text(format!("@request.query.{name}{modifier}"))
            }
            8 => {
                let name = self.random.pick(&["x_key", "n", "nope"]);
                let modifier = self.random.pick(&["", "", ":isset", ":lower"]);
                text(format!("@request.headers.{name}{modifier}"))
            }
            _ => text(
                self.random
                    .pick(&["@request.method", "@request.context"])
                    .to_owned(),
            ),
        }
    }

    fn auth(&mut self) -> Operand {
        let direct = [
            "id",
            "id",
            "id",
            "email",
            "verified",
            "collectionName",
            "collectionId",
        ];
        match self.random.below(2) {
            0 => {
                let name = self.random.pick(&direct);
                Operand {
                    text: format!("@request.auth.{name}"),
                    holds: if name == "id" {
                        Holds::Id(0)
                    } else {
                        Holds::Text
                    },
                }
            }
            _ => self.walk("@request.auth.".to_owned(), 0, 2),
        }
    }

    fn body(&mut self, collection: usize) -> Operand {
        if self.random.below(8) == 0 {
            let extra = ["extra", "extra.a", "extra.a.1", "nope", "nope:isset"];
            return Operand {
                text: format!("@request.body.{}", self.random.pick(&extra)),
                holds: Holds::Json,
            };
        }
        self.walk("@request.body.".to_owned(), collection, 2)
    }

    /// Follows relations from a collection, then takes a field there.
    fn walk(&mut self, mut prefix: String, mut place: usize, most: usize) -> Operand {
        let mut hops = self.random.below(most + 1);
        if self.random.below(300) == 0 {
            hops = 7;
        }
        for _ in 0..hops {
            let Some((step, next)) = self.step(place, &prefix) else {
                break;
            };
            prefix.push_str(&step);
            prefix.push('.');
            place = next;
            self.prefixes.push((prefix.clone(), place));
        }
        self.end(&prefix, place)
    }

    /// A relation forward or back, and where it leads.
    fn step(&mut self, place: usize, prefix: &str) -> Option<(String, usize)> {
        let schema = self.schema;
        if self.random.below(3) == 0 && !prefix.starts_with("@request.body") {
            let back = schema.back_relations(place);
            let (source, field) = back.get(self.random.below(back.len()))?;
            let collection = schema.collections.get(*source)?;
            let name = self.spelled(collection);
            return Some((format!("{name}_via_{}", field.name), *source));
        }
        let fields = schema.collections.get(place)?.fields.iter();
        let relations: Vec<(&str, usize)> = fields
            .filter_map(|field| match field.kind {
                Kind::Relation { target, .. } => Some((field.name.as_str(), target)),
                _ => None,
            })
            .collect();
        let (name, target) = relations.get(self.random.below(relations.len()))?;
        Some(((*name).to_owned(), *target))
    }

    fn end(&mut self, prefix: &str, place: usize) -> Operand {
        let schema = self.schema;
        let Some(collection) = schema.collections.get(place) else {
            return self.now();
        };
        match self.random.below(40) {
            0..3 => self.own(prefix, collection, place),
            3 if self.random.below(4) == 0 => Operand {
                text: format!(
                    "{prefix}{}",
                    self.random.pick(&["nope", "collectionId", "expand"])
                ),
                holds: Holds::Text,
            },
            _ => {
                let at = self.random.below(collection.fields.len());
                match collection.fields.get(at) {
                    Some(field) => self.field(prefix, field),
                    None => self.own(prefix, collection, place),
                }
            }
        }
    }

    /// `id`, and what every auth collection has.
    fn own(&mut self, prefix: &str, collection: &Collection, place: usize) -> Operand {
        let (name, holds) = match self.random.below(6) {
            0 if collection.auth => ("email", Holds::Text),
            1 if collection.auth => ("verified", Holds::Bool),
            2 if collection.auth => ("emailVisibility", Holds::Bool),
            _ => ("id", Holds::Id(place)),
        };
        let modifier = match self.random.below(8) {
            0 => self.random.pick(&[":lower", ":isset", ":length", ":each"]),
            _ => "",
        };
        Operand {
            text: format!("{prefix}{name}{modifier}"),
            holds,
        }
    }

    fn field(&mut self, prefix: &str, field: &Field) -> Operand {
        let name = &field.name;
        let own = holds(field.kind);
        let (tail, holds) = match (field.kind, self.random.below(8)) {
            (Kind::Json, 0..5) => {
                let parts = [
                    ".a", ".k", ".b", ".b.0", ".b.1.c", ".a.b", ".0", ".1.a", ".nope",
                ];
                (self.random.pick(&parts), Holds::Json)
            }
            (Kind::Geo, 0..6) => (self.random.pick(&[".lon", ".lat", ".nope"]), Holds::Number),
            (Kind::Select { many: true } | Kind::Relation { many: true, .. }, 0..4) => {
                match self.random.below(2) {
                    0 => (":length", Holds::Number),
                    _ => (
                        ":each",
                        if own == Holds::Items {
                            Holds::Text
                        } else {
                            own
                        },
                    ),
                }
            }
            (_, 0) => {
                let all = [
                    ":lower", ":lower", ":length", ":each", ":isset", ":changed", ":nope",
                ];
                (self.random.pick(&all), own)
            }
            _ => ("", own),
        };
        Operand {
            text: format!("{prefix}{name}{tail}"),
            holds,
        }
    }

    fn function(&mut self, collection: usize) -> Operand {
        let number = |this: &mut Self| match this.random.below(3) {
            0 => this
                .random
                .pick(&["0", "13.5", "52.5", "-0.25", "5"])
                .to_owned(),
            _ => this.walk(String::new(), collection, 1).text,
        };
        if self.random.below(2) == 0 {
            let arguments: Vec<String> = (0..4).map(|_| number(self)).collect();
            return Operand {
                text: format!("geoDistance({})", arguments.join(",")),
                holds: Holds::Number,
            };
        }
        let format = self
            .random
            .pick(&["'%Y'", "'%Y-%m'", "\"%d\"", "'%w %H'", "''"]);
        let time = match self.random.below(6) {
            0 => "'2024-01-02 03:04:05.678Z'".to_owned(),
            _ => self.walk(String::new(), collection, 1).text,
        };
        let more = self.random.pick(&[
            "",
            "",
            ",'+1 day'",
            ",'start of month','-1 second'",
            ",'nope'",
            ",",
        ]);
        Operand {
            text: format!("strftime({format},{time}{more})"),
            holds: Holds::Date,
        }
    }
}

/// What a field holds.
fn holds(kind: Kind) -> Holds {
    match kind {
        Kind::Text | Kind::Lock | Kind::Editor | Kind::Email | Kind::Url => Holds::Text,
        Kind::Select { many: false } => Holds::Text,
        Kind::Number => Holds::Number,
        Kind::Bool => Holds::Bool,
        Kind::Date => Holds::Date,
        Kind::Json | Kind::Geo => Holds::Json,
        Kind::Select { many: true } => Holds::Items,
        Kind::Relation { target, .. } => Holds::Id(target),
    }
}
