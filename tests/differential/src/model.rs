//! Random schemas: an auth collection, a few base collections that refer to each other, and
//! collections that exist for their rules.

use basalt_blackbox::Random;

/// Values of every select.
pub const CHOICES: &[&str] = &["a", "b", "ab", "5", "x y"];

/// Collections of one application.
#[derive(Debug, Clone)]
pub struct Schema {
    /// The auth collection comes first, those with rules come last.
    pub collections: Vec<Collection>,
    /// Where the collections with rules begin.
    pub ruled: usize,
}

/// One collection.
#[derive(Debug, Clone)]
pub struct Collection {
    /// Its name: one lower-case word.
    pub name: String,
    /// Its id: 15 characters.
    pub id: String,
    /// Can its records log in?
    pub auth: bool,
    /// Without `id` and what every auth collection has.
    pub fields: Vec<Field>,
    /// list, view, create, update, delete. `None` is locked.
    pub rules: [Option<String>; 5],
    /// How many records it gets.
    pub rows: usize,
}

/// One field.
#[derive(Debug, Clone)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// What it holds.
    pub kind: Kind,
    /// Is it for superusers only?
    pub hidden: bool,
    /// Must it be given?
    pub required: bool,
    /// Is there a unique index on it, and does that leave out the empty ones?
    pub unique: Option<Unique>,
}

/// A unique index on one field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unique {
    /// Of all rows.
    Whole,
    /// Of those that aren't empty.
    Partial,
}

/// What a field holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// text
    Text,
    /// A text of one character at most, to be sent a longer one.
    Lock,
    /// editor
    Editor,
    /// email
    Email,
    /// url
    Url,
    /// number
    Number,
    /// bool
    Bool,
    /// date
    Date,
    /// json
    Json,
    /// geoPoint
    Geo,
    /// select of [`CHOICES`]
    Select {
        /// Several?
        many: bool,
    },
    /// relation
    Relation {
        /// Place of the collection in the schema.
        target: usize,
        /// Several?
        many: bool,
    },
}

impl Field {
    fn new(name: impl Into<String>, kind: Kind) -> Self {
        Self {
            name: name.into(),
            kind,
            hidden: false,
            required: false,
            unique: None,
        }
    }
}

impl Collection {
    fn new(name: &str, fields: Vec<Field>, rows: usize) -> Self {
        Self {
            name: name.to_owned(),
            id: format!("{name}{}", "z".repeat(15 - name.len().min(15))),
            auth: false,
            fields,
            rules: [const { None }; 5],
            rows,
        }
    }

    /// The id of one of its records.
    pub fn row_id(&self, number: usize) -> String {
        format!(
            "{}{number:0width$}",
            self.name,
            width = 15 - self.name.len()
        )
    }
}

/// Records of each collection with rules.
const RULED_ROWS: usize = 10;

const BASES: &[&str] = &["alpha", "beta", "gamma", "delta"];

impl Schema {
    /// The schema of a seed, with `ruled` collections that have no rules yet.
    pub fn random(random: &mut Random, ruled: usize) -> Self {
        let bases = 2 + random.below(3);
        let count = 1 + bases;
        let mut collections = vec![people(random, count)];
        for (at, name) in BASES.iter().enumerate().take(bases) {
            let mut fields = plain_fields(random);
            relations(random, &mut fields, at + 1, count);
            // It points backwards, so that its records can be made in one go.
            if random.below(3) > 0 {
                let target = random.below(at + 1);
                let mut field = Field::new(
                    "solo",
                    Kind::Relation {
                        target,
                        many: false,
                    },
                );
                field.unique = Some(match random.below(2) {
                    0 => Unique::Whole,
                    _ => Unique::Partial,
                });
                fields.push(field);
            }
            let mut collection = Collection::new(name, fields, 6 - at.min(2));
            collection.rules[0] = list_rule(random, &collection);
            collections.push(collection);
        }
        for number in 0..ruled {
            let mut fields = plain_fields(random);
            relations(random, &mut fields, count + 1 + number, count);
            fields.push(Field::new("lock", Kind::Lock));
            let name = format!("r{number:02}");
            collections.push(Collection::new(&name, fields, RULED_ROWS));
        }
        collections.insert(count, guards(count + 1, ruled));
        Self {
            collections,
            ruled: count + 1,
        }
    }

    /// The list rules of all collections, one after the other.
    pub fn list_rules(&self) -> String {
        let rules = self
            .collections
            .iter()
            .filter_map(|it| it.rules.first()?.as_deref());
        rules.collect::<Vec<_>>().join("\n")
    }

    /// The collections that have a relation to this one, with the names of the relations.
    pub fn back_relations(&self, target: usize) -> Vec<(usize, &Field)> {
        let mut found = Vec::new();
        for (place, collection) in self.collections.iter().enumerate() {
            for field in &collection.fields {
                if matches!(field.kind, Kind::Relation { target: at, .. } if at == target) {
                    found.push((place, field));
                }
            }
        }
        found
    }
}

/// Records that need all those of the collections with rules, so that none of these can go.
fn guards(first: usize, count: usize) -> Collection {
    let fields = (0..count).map(|number| {
        let target = first + number;
        let mut field = Field::new(
            format!("r{number:02}"),
            Kind::Relation {
                target,
                many: false,
            },
        );
        field.required = true;
        field
    });
    Collection::new("guards", fields.collect(), RULED_ROWS)
}

fn people(random: &mut Random, count: usize) -> Collection {
    let mut fields = vec![
        Field::new("nick", Kind::Text),
        Field::new("level", Kind::Number),
        Field::new("role", Kind::Select { many: false }),
        Field::new("tags", Kind::Select { many: true }),
    ];
    for (name, kind) in [
        ("prefs", Kind::Json),
        ("home", Kind::Geo),
        ("born", Kind::Date),
    ] {
        if random.below(2) == 0 {
            fields.push(Field::new(name, kind));
        }
    }
    let mut secret = Field::new("pin", Kind::Text);
    secret.hidden = true;
    fields.push(secret);
    relations(random, &mut fields, 0, count);
    let mut people = Collection::new("people", fields, 5);
    people.auth = true;
    people.rules[0] = Some(
        random
            .pick(&["", "@request.auth.id != ''", "level > 0"])
            .to_owned(),
    );
    people
}

/// Fields of every type, most of them in most collections.
fn plain_fields(random: &mut Random) -> Vec<Field> {
    let mut fields = vec![Field::new("t", Kind::Text), Field::new("n", Kind::Number)];
    let more = [
        ("u", Kind::Text),
        ("html", Kind::Editor),
        ("mail", Kind::Email),
        ("site", Kind::Url),
        ("k", Kind::Number),
        ("b", Kind::Bool),
        ("d", Kind::Date),
        ("s", Kind::Select { many: false }),
        ("m", Kind::Select { many: true }),
        ("j", Kind::Json),
        ("g", Kind::Geo),
    ];
    for (name, kind) in more {
        if random.below(10) < 7 {
            fields.push(Field::new(name, kind));
        }
    }
    if random.below(2) == 0 {
        let mut hidden = Field::new("hid", Kind::Text);
        hidden.hidden = true;
        fields.push(hidden);
    }
    fields
}

/// Relations to collections below `count`, and to the collection itself.
fn relations(random: &mut Random, fields: &mut Vec<Field>, own: usize, count: usize) {
    let mut targets: Vec<usize> = (0..count).collect();
    if own >= count {
        targets.push(own);
    }
    for target in targets {
        let word = match target {
            _ if target == own => "own",
            0 => "user",
            place => BASES.get(place - 1).copied().unwrap_or("other"),
        };
        let choice = random.below(5);
        if choice < 2 || choice == 4 {
            let kind = Kind::Relation {
                target,
                many: false,
            };
            fields.push(Field::new(format!("{word}1"), kind));
        }
        if (2..5).contains(&choice) && random.below(4) > 0 {
            let kind = Kind::Relation { target, many: true };
            fields.push(Field::new(format!("{word}s"), kind));
        }
    }
}

fn list_rule(random: &mut Random, collection: &Collection) -> Option<String> {
    let has = |name: &str| collection.fields.iter().any(|field| field.name == name);
    match random.below(5) {
        0 => None,
        1 if has("b") => Some("b = true".to_owned()),
        1 => Some("n > 0".to_owned()),
        2 => Some("@request.auth.id != '' || t != 'x'".to_owned()),
        _ => Some(String::new()),
    }
}
