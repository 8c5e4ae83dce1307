//! A dotted name, cut into parts and its modifier.

use crate::error::{Code, Error};
use crate::scope::nearest;
use crate::span::Span;

/// One part of a dotted name.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Part<'t> {
    pub text: &'t str,
    pub span: Span,
}

/// A dotted name, cut up.
#[derive(Debug)]
pub(crate) struct Name<'t> {
    pub parts: Vec<Part<'t>>,
    /// What stands behind `:`, as it is written. Inside json it is a part of the key.
    pub suffix: Option<Part<'t>>,
}

impl Name<'_> {
    /// Its modifier.
    pub(crate) fn modifier(&self) -> Result<Option<(Modifier, Span)>, Error> {
        Modifier::find(self.suffix)
    }

    /// Where its last part is.
    pub(crate) fn end(&self) -> Span {
        self.parts.last().map(|part| part.span).unwrap_or_default()
    }
}

/// What may stand behind `:`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Modifier {
    Lower,
    Length,
    Each,
    IsSet,
    Changed,
}

impl Modifier {
    const NAMES: [(&'static str, Self); 5] = [
        ("lower", Self::Lower),
        ("length", Self::Length),
        ("each", Self::Each),
        ("isset", Self::IsSet),
        ("changed", Self::Changed),
    ];

    /// The one that `suffix` names.
    pub(crate) fn find(suffix: Option<Part<'_>>) -> Result<Option<(Self, Span)>, Error> {
        suffix.map(Self::named).transpose()
    }

    fn named(part: Part<'_>) -> Result<(Self, Span), Error> {
        if part.text.contains(':') {
            let message = "a name takes one modifier";
            let label = "more than one";
            return Err(Error::new(Code::Modifier, part.span, message, label));
        }
        let known = Self::NAMES.iter().find(|(name, _)| *name == part.text);
        let known = known.map(|(_, modifier)| (*modifier, part.span));
        known.ok_or_else(|| {
            let near = nearest(part.text, Self::NAMES.iter().map(|(name, _)| *name));
            let message = format!("unknown modifier `:{}`", part.text);
            Error::new(
                Code::UnknownModifier,
                part.span,
                message,
                "no such modifier",
            )
            .with_help("the modifiers are `:lower`, `:length`, `:each`, `:isset`, `:changed`")
            .with_maybe_help(near.map(|near| format!("did you mean `:{near}`?")))
        })
    }

    pub(crate) fn as_str(self) -> &'static str {
        Self::NAMES
            .iter()
            .find(|(_, it)| *it == self)
            .map_or("", |(name, _)| name)
    }
}

/// Cuts at dots; only the last part may have a modifier.
pub(crate) fn split(text: &str, span: Span) -> Result<Name<'_>, Error> {
    let mut parts = Vec::new();
    let mut at = span.start;
    for text in text.split('.') {
        let span = Span {
            start: at,
            end: at + text.len(),
        };
        at = span.end + 1;
        if text.is_empty() {
            return Err(Error::new(
                Code::Syntax,
                span,
                "two dots in a row",
                "a name is missing",
            ));
        }
        parts.push(Part { text, span });
    }
    let mut suffix = None;
    if let Some(last) = parts.last_mut()
        && let Some((name, text)) = last.text.split_once(':')
    {
        let behind = last.span.start + name.len() + 1;
        let span = Span {
            start: behind,
            end: last.span.end,
        };
        suffix = Some(Part { text, span });
        *last = Part {
            text: name,
            span: Span {
                start: last.span.start,
                end: behind - 1,
            },
        };
    }
    if let Some(part) = parts
        .iter()
        .find(|part| part.text.contains(':') || part.text.is_empty())
    {
        let message = "a modifier can stand only at the end of a name";
        return Err(Error::new(
            Code::Modifier,
            part.span,
            message,
            "not the last part",
        ));
    }
    Ok(Name { parts, suffix })
}
