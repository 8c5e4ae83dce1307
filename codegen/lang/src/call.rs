//! The functions: `geoDistance` and `strftime`.

use crate::ast::{Operand, OperandKind};
use crate::error::{Code, Error};
use crate::plan::Value;
use crate::scope::{did_you_mean, nearest};
use crate::span::Span;
use crate::typed::{Call, Node, Type};

/// A function that exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Function {
    Distance,
    Time,
}

impl Function {
    const NAMES: [(&'static str, Self); 2] =
        [("geoDistance", Self::Distance), ("strftime", Self::Time)];

    /// By its exact name.
    pub(crate) fn find(name: &str, span: Span) -> Result<Self, Error> {
        let known = Self::NAMES.iter().find(|(known, _)| *known == name);
        known.map(|(_, function)| *function).ok_or_else(|| {
            let message = format!("unknown function `{name}`");
            let near = nearest(name, Self::NAMES.iter().map(|(name, _)| *name));
            Error::new(Code::UnknownFunction, span, message, "no such function")
                .with_help("the functions are `geoDistance` and `strftime`")
                .with_maybe_help(did_you_mean(near))
        })
    }

    /// What it gives.
    pub(crate) fn ty(self) -> Type {
        match self {
            Self::Distance => Type::Number,
            Self::Time => Type::Text,
        }
    }

    /// Is the number of arguments right, and each of a kind that may stand in its place?
    pub(crate) fn check(self, args: &[Operand], span: Span) -> Result<(), Error> {
        let problem = match self {
            Self::Distance => geo_distance(args),
            Self::Time => strftime(args),
        };
        let example = match self {
            Self::Distance => "for example `geoDistance(place.lon, place.lat, 14.4, 50.1) < 5`",
            Self::Time => "for example `strftime('%Y-%m', created) = '2024-05'`",
        };
        problem.map_or(Ok(()), |problem| {
            Err(Error::new(Code::Arguments, span, problem, "in this call").with_help(example))
        })
    }

    /// Which of the arguments are looked up; the others are texts that shape the call.
    pub(crate) fn looked_up(self, args: &[Operand]) -> &[Operand] {
        match self {
            Self::Distance => args,
            Self::Time => args.get(1..2).unwrap_or(&[]),
        }
    }

    /// The call, with the arguments that were looked up. `None` if they are not as many as
    /// [`Function::check`] wants.
    pub(crate) fn call(self, args: &[Operand], found: Vec<Node>) -> Option<Call> {
        match self {
            Self::Distance => {
                let nodes: Box<[Node; 4]> = found.into_boxed_slice().try_into().ok()?;
                Some(Call::Distance(nodes))
            }
            Self::Time => {
                let mut texts = args.iter().filter_map(text);
                let format = texts.next()?.to_owned();
                let modifiers = args.iter().skip(2).filter_map(text).map(str::to_owned);
                Some(Call::Time {
                    format,
                    time: found
                        .into_iter()
                        .next()
                        .filter(|it| !is_now(it))
                        .map(Box::new),
                    modifiers: modifiers.collect(),
                })
            }
        }
    }
}

/// Several values at once can't be an argument.
pub(crate) fn one_value(node: &Node, span: Span) -> Result<(), Error> {
    if matches!(node, Node::Value(Value::Each(..))) {
        let message = "`:each` of the request can't be an argument";
        return Err(Error::new(Code::Arguments, span, message, "several values"));
    }
    Ok(())
}

/// SQLite's word for its own time; a request has one of its own.
fn is_now(node: &Node) -> bool {
    matches!(node, Node::Value(Value::Text(text)) if text.eq_ignore_ascii_case("now"))
}

fn text(arg: &Operand) -> Option<&str> {
    match &arg.kind {
        OperandKind::Text(text) => Some(text),
        _ => None,
    }
}

fn geo_distance(args: &[Operand]) -> Option<String> {
    let fits = |arg: &Operand| matches!(arg.kind, OperandKind::Name(_) | OperandKind::Number(_));
    if args.len() != 4 {
        return Some(format!(
            "`geoDistance` takes 4 arguments, not {}",
            args.len()
        ));
    }
    (!args.iter().all(fits)).then(|| "`geoDistance` takes names and numbers only".to_owned())
}

fn strftime(args: &[Operand]) -> Option<String> {
    let is_text = |arg: &Operand| text(arg).is_some();
    let is_time = |arg: &Operand| {
        matches!(
            arg.kind,
            OperandKind::Text(_) | OperandKind::Name(_) | OperandKind::Number(_)
        )
    };
    match args {
        [] => Some("`strftime` needs a format".to_owned()),
        [format, ..] if !is_text(format) => Some("the format of `strftime` must be a text".into()),
        [_, time, ..] if !is_time(time) => {
            Some("the time of `strftime` must be a name, a text or a number".to_owned())
        }
        [_, _, modifiers @ ..] if !modifiers.iter().all(is_text) => {
            Some("the modifiers of `strftime` must be texts".to_owned())
        }
        _ if args.len() > 10 => Some("`strftime` takes at most 10 arguments".to_owned()),
        _ => None,
    }
}
