//! Texts that are nearly rules.

/// Splitmix64: one word of state, every seed is a good one.
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    /// Starts the sequence that belongs to `seed`.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, limit: usize) -> usize {
        let limit = u64::try_from(limit).unwrap_or(u64::MAX).max(1);
        usize::try_from(self.word() % limit).unwrap_or(0)
    }

    fn pick(&mut self, choices: &[&'static str]) -> &'static str {
        let place = self.below(choices.len());
        choices.get(place).copied().unwrap_or_default()
    }
}

/// What texts are made of: the names of a schema.
#[derive(Debug, Clone, Copy)]
pub struct Words {
    /// Rules of every form, to be cut up.
    pub seeds: &'static [&'static str],
    /// Names and paths, some of them wrong.
    pub identifiers: &'static [&'static str],
}

/// The words of this crate's own collections.
pub const OWN: Words = Words {
    seeds: SEEDS,
    identifiers: IDENTIFIERS,
};

const SEEDS: &[&str] = &[
    "t = 'x' && (n > 2 || b = true)",
    "@request.auth.id != '' && user = @request.auth.id",
    "many.t ?= 'x' && many.n ?> 1 && m:each ?!= 'a'",
    "@collection.others:o.thing ?= id && @collection.others:o.n ?>= n",
    "others_via_things.t ~ 'a\\%c%' || others_via_thing.n:length != 0",
    "geoDistance(g.lon, g.lat, 13.5, 52.5) < 10.25 // km",
    "strftime('%Y-%m', d, '+1 day') = \"2024-01\"",
    "@request.body.t:isset = true && @request.body.n:changed = false",
    "@request.body.many.t:lower != '' && @request.query.a ?= @request.headers.x_b",
    "j.a.0.b = null && j.k !~ '_' && g.lat <= -0.5 && d < @now && d >= @todayStart",
    "own.own.own.owns.many.things.t = 't'\n&& @request.method = \"GET\"",
    "@request.auth.friends.level > @request.auth.level && s:lower = m:length",
];

const IDENTIFIERS: &[&str] = &[
    "t",
    "n",
    "b",
    "d",
    "s",
    "m",
    "j",
    "g",
    "secret",
    "one",
    "many",
    "own",
    "owns",
    "user",
    "id",
    "one.t",
    "many.t",
    "many.n",
    "own.own",
    "owns.many.t",
    "user.email",
    "user.friends.level",
    "j.a.0",
    "g.lon",
    "m:each",
    "m:length",
    "t:lower",
    "many:each",
    "nope",
    "one.nope",
    "others_via_thing.t",
    "others_via_things.n",
    "OTHERS_via_things.users.email",
    "things_via_own.t",
    "people_via_friends.id",
    "@collection.others.t",
    "@collection.others:a.n",
    "@collection.people.email",
    "@collection.nope.t",
    "@request.auth.id",
    "@request.auth.friends.level",
    "@request.auth.nope",
    "@request.body.t",
    "@request.body.n:changed",
    "@request.body.many.t",
    "@request.body.m:each",
    "@request.body.x.y.0",
    "@request.query.a",
    "@request.headers.a_b",
    "@request.method",
    "@request.context",
    "@request",
    "@request.nope",
    "@now",
    "@todayStart",
    "@year",
    "@nope",
];
const PIECES: &[&str] = &[
    "=",
    "!=",
    ">",
    ">=",
    "<",
    "<=",
    "~",
    "!~",
    "?=",
    "?!=",
    "?>",
    "?>=",
    "?<",
    "?<=",
    "?~",
    "?!~",
    "&&",
    "||",
    "(",
    ")",
    ",",
    ".",
    ":",
    "//",
    "\n",
    " ",
    "\t",
    "\r",
    "'",
    "\"",
    "\\",
    "\0",
    "-",
    "#",
    ":isset",
    ":changed",
    ":length",
    ":each",
    ":lower",
    ":excerpt",
    "strftime(",
    "geoDistance(",
    "nope(",
    "_via_",
    "?",
    "!",
    "&",
    "|",
    "é",
    "😀",
    "\u{202e}",
    "@",
    "@collection.",
    "@request.",
];
const LITERALS: &[&str] = &[
    "'x'",
    "\"it's\"",
    "''",
    "'%a_'",
    "'\\\\'",
    "'\\n'",
    "1",
    "0",
    "-2.5",
    "007",
    "1.",
    ".5",
    "1e9",
    "99999999999999999999999",
    "null",
    "true",
    "FALSE",
    "Null",
    "'2024-01-02 03:04:05.678Z'",
];

/// A text that nobody has seen before.
pub fn text(words: Words, random: &mut Random, out: &mut Vec<u8>) {
    out.clear();
    match random.below(4) {
        0 => soup(words, random, out),
        1 => shaped(words, random, out),
        _ => out.extend_from_slice(random.pick(words.seeds).as_bytes()),
    }
    for _ in 0..random.below(4) {
        mutate(words, random, out);
    }
}

/// Any tokens in any order.
fn soup(words: Words, random: &mut Random, out: &mut Vec<u8>) {
    for _ in 0..1 + random.below(24) {
        let choices = match random.below(5) {
            0 | 1 => words.identifiers,
            2 => LITERALS,
            _ => PIECES,
        };
        out.extend_from_slice(random.pick(choices).as_bytes());
        if random.below(2) == 0 {
            out.push(b' ');
        }
    }
}

/// Comparisons with joins between them and brackets around them, so that most reach the checker.
fn shaped(words: Words, random: &mut Random, out: &mut Vec<u8>) {
    let mut open = 0;
    for place in 0..1 + random.below(6) {
        if place > 0 {
            out.extend_from_slice(random.pick(&[" && ", " || ", "&&", "\n||"]).as_bytes());
        }
        while random.below(4) == 0 {
            out.push(b'(');
            open += 1;
        }
        operand(words, random, out);
        out.push(b' ');
        let operators = PIECES.get(..16).unwrap_or_default();
        out.extend_from_slice(random.pick(operators).as_bytes());
        out.push(b' ');
        operand(words, random, out);
        while open > 0 && random.below(3) == 0 {
            out.push(b')');
            open -= 1;
        }
    }
    out.extend(std::iter::repeat_n(b')', open));
}

fn operand(words: Words, random: &mut Random, out: &mut Vec<u8>) {
    match random.below(12) {
        0 => {
            out.extend_from_slice(random.pick(&["strftime(", "geoDistance("]).as_bytes());
            for place in 0..random.below(6) {
                if place > 0 {
                    out.push(b',');
                }
                operand(words, random, out);
            }
            out.push(b')');
        }
        1..5 => out.extend_from_slice(random.pick(LITERALS).as_bytes()),
        _ => out.extend_from_slice(random.pick(words.identifiers).as_bytes()),
    }
}

/// One small change.
fn mutate(words: Words, random: &mut Random, out: &mut Vec<u8>) {
    let length = out.len();
    let at = random.below(length + 1);
    match random.below(8) {
        0 => out.insert(at, (random.word() & 0xff) as u8),
        1 => {
            if let Some(byte) = out.get_mut(at) {
                *byte ^= 1 << random.below(8);
            }
        }
        2 => out.truncate(at),
        3 => {
            let end = at + random.below(length + 1 - at);
            out.drain(at..end);
        }
        4 => {
            let end = at + random.below(length + 1 - at);
            let piece = out.get(at..end).unwrap_or_default().to_vec();
            for _ in 0..1 + random.below(3) {
                splice(out, at, &piece);
            }
        }
        5 => splice(out, at, random.pick(PIECES).as_bytes()),
        6 => splice(out, at, random.pick(words.identifiers).as_bytes()),
        _ => {
            let seed = random.pick(words.seeds).as_bytes();
            let start = random.below(seed.len());
            splice(out, at, seed.get(start..).unwrap_or_default());
        }
    }
    out.truncate(4096);
}

fn splice(out: &mut Vec<u8>, at: usize, piece: &[u8]) {
    out.splice(at..at, piece.iter().copied());
}
