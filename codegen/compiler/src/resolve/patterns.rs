//! Regular expressions: those that values must match, and those by which values are made.

use basalt_lang::pattern;
use regex_syntax::hir::{Class, Hir, HirKind};

use super::Context;
use crate::diagnostic::{Code, Diagnostic};
use crate::ir::Generate;
use crate::load::{Entries, Text};

/// How many samples a generating pattern is tried with.
const SAMPLES: u64 = 20;

/// How often an unbounded repetition is taken at most when values are made.
const MOST_REPEATED: u32 = 10;

/// More characters than this no sample needs, nor should it cost.
const LONGEST_SAMPLE: usize = 10_000;

/// Repetitions of repetitions of nothing must end some time.
const MOST_STEPS: u32 = 100_000;

/// What else a generated text must satisfy.
pub(super) struct TextLimits<'a> {
    /// Least number of characters.
    pub min: u64,
    /// Greatest number of characters.
    pub max: u64,
    /// The pattern to match, or empty.
    pub pattern: &'a str,
}

/// Is the pattern a regular expression?
///
/// # Errors
/// The finding, with its place inside of the pattern.
pub(super) fn check(pattern: &Text, cx: &Context<'_>) -> Result<(), Box<Diagnostic>> {
    parse(pattern, Code::BadPattern, cx)?;
    // It parses, but may still be too large to run.
    match pattern::compile(&pattern.value) {
        Ok(_) => Ok(()),
        Err(_) => {
            let message = "this regular expression is too large";
            let label = "too large";
            let found = Diagnostic::new(Code::BadPattern, pattern.span, message, label);
            Err(Box::new(found.with_help("ask for fewer repetitions")))
        }
    }
}

fn parse(pattern: &Text, code: Code, cx: &Context<'_>) -> Result<Hir, Box<Diagnostic>> {
    let invalid = |span: &regex_syntax::ast::Span, reason: String| {
        let place = cx.inside(pattern, span.start.offset, span.end.offset);
        let message = format!("invalid regular expression: {reason}");
        let help = Code::BadPattern.help();
        Diagnostic::new(code, place, message, "here").with_help(help)
    };
    let parsed = regex_syntax::parse(&pattern.value).map_err(|error| {
        Box::new(match error {
            regex_syntax::Error::Parse(error) => invalid(error.span(), error.kind().to_string()),
            regex_syntax::Error::Translate(error) => {
                invalid(error.span(), error.kind().to_string())
            }
            _ => Diagnostic::new(code, pattern.span, "invalid regular expression", "here"),
        })
    })?;
    // Only the text as it was written has places to show, but its meaning is another.
    Ok(regex_syntax::parse(&pattern::ascii_classes(&pattern.value)).unwrap_or(parsed))
}

/// Does what is generated satisfy the field's other options?
///
/// # Errors
/// The finding: a pattern that can't be, or one with a value that the field would refuse.
pub(super) fn check_generator(
    options: &Entries,
    generate: &Generate,
    limits: &TextLimits<'_>,
    cx: &Context<'_>,
) -> Result<(), Box<Diagnostic>> {
    let (key, samples) = match generate {
        Generate::Nothing => return Ok(()),
        Generate::UuidV7 => {
            let sample = "01890a5d-ac96-774b-bcce-b302099a8057".to_owned();
            ("generate", vec![sample])
        }
        Generate::Pattern(_) => match options.text("autogenerate") {
            Some(pattern) => ("autogenerate", samples(&pattern, cx)?),
            None => return Ok(()),
        },
    };
    for sample in samples {
        if let Some(reason) = refused(&sample, limits) {
            let span = options.span_of(key);
            let message = format!("what is generated would be refused: {reason}");
            let label = format!("makes e.g. `{}`", shorten(&sample));
            let found = Diagnostic::new(Code::BadGenerator, span, message, label);
            return Err(Box::new(found));
        }
    }
    Ok(())
}

fn samples(pattern: &Text, cx: &Context<'_>) -> Result<Vec<String>, Box<Diagnostic>> {
    let hir = parse(pattern, Code::BadGenerator, cx)?;
    let samples = (0..SAMPLES).map(|seed| sample(&hir, seed));
    samples.collect::<Option<Vec<String>>>().ok_or_else(|| {
        let message = "no value can be made by this pattern";
        let label = "can't be generated";
        let help = "use literals, classes such as `[a-z0-9]`, groups, alternatives and counts";
        let found = Diagnostic::new(Code::BadGenerator, pattern.span, message, label);
        Box::new(found.with_help(help))
    })
}

fn refused(sample: &str, limits: &TextLimits<'_>) -> Option<String> {
    let length = sample.chars().count() as u64;
    if length < limits.min {
        return Some(format!("it can be shorter than `min = {}`", limits.min));
    }
    if length > limits.max {
        return Some(format!("it can be longer than {} characters", limits.max));
    }
    match pattern::compile(limits.pattern) {
        Ok(regex) if !regex.is_match(sample) => Some(format!(
            "it need not match the pattern `{}`",
            limits.pattern
        )),
        _ => None,
    }
}

fn shorten(sample: &str) -> String {
    if sample.chars().count() <= 40 {
        return sample.to_owned();
    }
    sample.chars().take(39).chain(['…']).collect()
}

/// One text that the pattern can make: the shortest for seed 0, the longest for 1, then others.
fn sample(hir: &Hir, seed: u64) -> Option<String> {
    let mut dice = Dice {
        seed,
        state: seed,
        steps: MOST_STEPS,
    };
    let mut text = String::new();
    dice.write(hir, &mut text)?;
    Some(text)
}

/// Chance that is the same each time: the same schema gives the same report.
struct Dice {
    seed: u64,
    state: u64,
    steps: u32,
}

impl Dice {
    /// A number from 0 to `most`.
    fn roll(&mut self, most: u64) -> u64 {
        if self.seed < 2 {
            return self.seed * most;
        }
        self.state = self
            .state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.state >> 33) % (most + 1)
    }

    fn write(&mut self, hir: &Hir, text: &mut String) -> Option<()> {
        self.steps = self.steps.checked_sub(1)?;
        if text.len() > LONGEST_SAMPLE {
            return Some(());
        }
        match hir.kind() {
            HirKind::Empty => {}
            HirKind::Literal(literal) => text.push_str(std::str::from_utf8(&literal.0).ok()?),
            HirKind::Class(class) => text.push(self.pick(class)?),
            // Anchors hold of a whole text; boundaries inside of one can't be promised.
            HirKind::Look(look) => {
                use regex_syntax::hir::Look;
                if !matches!(look, Look::Start | Look::End) {
                    return None;
                }
            }
            HirKind::Repetition(repetition) => {
                let min = repetition.min;
                let most = repetition.max.unwrap_or(min.max(MOST_REPEATED));
                let extra = self.roll(u64::from(most - min.min(most)));
                for _ in 0..u64::from(min) + extra {
                    if text.len() > LONGEST_SAMPLE {
                        break;
                    }
                    self.write(&repetition.sub, text)?;
                }
            }
            HirKind::Capture(capture) => self.write(&capture.sub, text)?,
            HirKind::Concat(parts) => {
                for part in parts {
                    self.write(part, text)?;
                }
            }
            HirKind::Alternation(parts) => {
                let last = (parts.len() as u64).checked_sub(1)?;
                let at = usize::try_from(self.roll(last)).ok()?;
                self.write(parts.get(at)?, text)?;
            }
        }
        Some(())
    }

    fn pick(&mut self, class: &Class) -> Option<char> {
        let Class::Unicode(class) = class else {
            return None;
        };
        let ranges = class.ranges();
        let last = (ranges.len() as u64).checked_sub(1)?;
        let at = usize::try_from(self.roll(last)).ok()?;
        let range = ranges.get(at)?;
        let (start, end) = (u32::from(range.start()), u32::from(range.end()));
        let code = start + u32::try_from(self.roll(u64::from(end - start))).ok()?;
        // The gap of surrogates lies inside of some ranges.
        char::from_u32(code).or(Some(range.start()))
    }
}
