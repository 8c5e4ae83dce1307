//! Conditions as trees, so that they can be cut down to what matters.

use std::fmt;

/// A condition.
#[derive(Debug, Clone, PartialEq)]
pub enum Expr {
    /// Several, joined by `&&` or `||`.
    Join {
        /// By `&&`?
        all: bool,
        /// The joining text, with whatever stands around the operator.
        glue: &'static str,
        /// The parts.
        items: Vec<Expr>,
    },
    /// `left op right`
    Compare {
        /// Left operand.
        left: String,
        /// The operator.
        op: &'static str,
        /// Right operand.
        right: String,
    },
}

impl fmt::Display for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Compare { left, op, right } => write!(f, "{left} {op} {right}"),
            Self::Join { all, glue, items } => {
                for (place, item) in items.iter().enumerate() {
                    if place > 0 {
                        f.write_str(glue)?;
                    }
                    match item {
                        // `&&` binds tighter.
                        Self::Join { all: inner, .. } if *all || !inner => write!(f, "({item})")?,
                        _ => write!(f, "{item}")?,
                    }
                }
                Ok(())
            }
        }
    }
}

impl Expr {
    /// How many comparisons it has.
    pub fn size(&self) -> usize {
        match self {
            Self::Join { items, .. } => items.iter().map(Self::size).sum(),
            Self::Compare { .. } => 1,
        }
    }

    /// What is a step simpler, the simplest first.
    pub fn simpler(&self) -> Vec<Self> {
        match self {
            Self::Join { all, glue, items } => simpler_join(*all, glue, items),
            Self::Compare { left, op, right } => simpler_comparison(left, op, right),
        }
    }
}

fn simpler_join(all: bool, glue: &'static str, items: &[Expr]) -> Vec<Expr> {
    let mut found: Vec<Expr> = items.to_vec();
    let join = |items: Vec<Expr>, glue| Expr::Join { all, glue, items };
    if items.len() > 2 {
        for place in 0..items.len() {
            let mut fewer = items.to_vec();
            fewer.remove(place);
            found.push(join(fewer, glue));
        }
    }
    for (place, item) in items.iter().enumerate() {
        for simpler in item.simpler() {
            let mut changed = items.to_vec();
            if let Some(slot) = changed.get_mut(place) {
                *slot = simpler;
            }
            found.push(join(changed, glue));
        }
    }
    let plain = if all { " && " } else { " || " };
    if glue != plain {
        found.push(join(items.to_vec(), plain));
    }
    found
}

fn simpler_comparison(left: &str, op: &'static str, right: &str) -> Vec<Expr> {
    let compare = |left: &str, op, right: &str| Expr::Compare {
        left: left.to_owned(),
        op,
        right: right.to_owned(),
    };
    let mut found = Vec::new();
    found.extend(
        simpler_operand(left)
            .iter()
            .map(|it| compare(it, op, right)),
    );
    found.extend(
        simpler_operand(right)
            .iter()
            .map(|it| compare(left, op, it)),
    );
    let plain = crate::grammar::OPERATORS
        .iter()
        .find(|it| Some(**it) == op.strip_prefix('?'));
    if let Some(plain) = plain {
        found.push(compare(left, plain, right));
    }
    found
}

/// Shorter paths, no modifier, plainer literals.
fn simpler_operand(operand: &str) -> Vec<String> {
    let is_text = operand.starts_with(['\'', '"']);
    if is_text || operand.starts_with(|c: char| c.is_ascii_digit() || c == '-') {
        let simplest = if is_text { ["''", "'x'"] } else { ["0", "1"] };
        let place = simplest.iter().position(|it| *it == operand);
        let simplest = simplest.iter().take(place.unwrap_or(simplest.len()));
        return simplest.map(|it| (*it).to_owned()).collect();
    }
    if operand.contains('(') || !operand.contains(|c: char| "@.:".contains(c)) {
        return Vec::new();
    }
    let mut found = vec![
        "'x'".to_owned(),
        "1".to_owned(),
        "t".to_owned(),
        "id".to_owned(),
    ];
    if let Some((path, _)) = operand.rsplit_once(':') {
        found.push(path.to_owned());
    }
    let parts: Vec<&str> = operand.split('.').collect();
    for skipped in 0..parts.len() {
        let kept = parts
            .iter()
            .enumerate()
            .filter(|(place, _)| *place != skipped);
        let kept: Vec<&str> = kept.map(|(_, part)| *part).collect();
        if !kept.is_empty() {
            found.push(kept.join("."));
        }
    }
    found
}

/// Cuts a condition down as long as `fails` holds of it, with at most `tries` questions.
pub fn shrink(
    expr: Expr,
    mut tries: usize,
    mut fails: impl FnMut(&Expr) -> anyhow::Result<bool>,
) -> anyhow::Result<Expr> {
    let mut best = expr;
    'again: loop {
        for candidate in best.simpler() {
            if tries == 0 {
                return Ok(best);
            }
            tries -= 1;
            if fails(&candidate)? {
                best = candidate;
                continue 'again;
            }
        }
        return Ok(best);
    }
}
