//! The small language of claims: `view posts.draft`, `list posts where title = 'x' -> draft`.

use std::ops::Range;

/// The verbs, as they are written.
pub(super) const VERBS: &[&str] = &["list", "view", "create", "update", "delete", "auth"];

/// A part of a statement and where it begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Word<'t> {
    pub text: &'t str,
    pub start: usize,
}

impl Word<'_> {
    pub(super) fn range(&self) -> Range<usize> {
        self.start..self.start + self.text.len()
    }
}

/// A statement in its parts.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Statement<'t> {
    pub verb: Word<'t>,
    pub target: Word<'t>,
    pub filter: Option<Word<'t>>,
    /// What stands behind the arrow, if there is one.
    pub listed: Option<Vec<Word<'t>>>,
}

/// What is wrong with a statement, and with which bytes of it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Wrong {
    pub range: Range<usize>,
    pub message: String,
    pub label: &'static str,
}

/// Takes a statement apart; names are not looked up.
pub(super) fn parse(text: &str) -> Result<Statement<'_>, Wrong> {
    let whole = trimmed(Word { text, start: 0 });
    let (verb, rest) = split(whole);
    if verb.text.is_empty() {
        return Err(wrong(whole, "the claim is empty", "says nothing"));
    }
    let (target, rest) = split(rest);
    if target.text.is_empty() {
        let message = format!("`{}` needs a collection or a record", verb.text);
        return Err(wrong(verb, message, "what?"));
    }
    let (before, listed) = match arrow(rest.text) {
        Some(at) => {
            let before = part(rest, 0, at);
            (before, Some(names(part(rest, at + 2, rest.text.len()))))
        }
        None => (rest, None),
    };
    let before = trimmed(before);
    let (word, filter) = split(before);
    let filter = match word.text {
        "" => None,
        "where" if !filter.text.is_empty() => Some(filter),
        "where" => return Err(wrong(word, "`where` needs a filter", "which?")),
        other => {
            let message = format!("unexpected `{other}` behind `{}`", target.text);
            return Err(wrong(word, message, "not expected here"));
        }
    };
    Ok(Statement {
        verb,
        target,
        filter,
        listed,
    })
}

fn wrong(word: Word<'_>, message: impl Into<String>, label: &'static str) -> Wrong {
    Wrong {
        range: word.range(),
        message: message.into(),
        label,
    }
}

fn part<'t>(word: Word<'t>, start: usize, end: usize) -> Word<'t> {
    Word {
        text: word.text.get(start..end).unwrap_or_default(),
        start: word.start + start,
    }
}

fn trimmed(word: Word<'_>) -> Word<'_> {
    let start = word.text.len() - word.text.trim_start().len();
    let text = word.text.trim();
    Word {
        text,
        start: word.start + start,
    }
}

/// The first word, and the rest.
fn split(word: Word<'_>) -> (Word<'_>, Word<'_>) {
    let end = word.text.find(char::is_whitespace);
    let end = end.unwrap_or(word.text.len());
    let rest = part(word, end, word.text.len());
    (part(word, 0, end), trimmed(rest))
}

/// Where the last `->` outside quotes stands.
fn arrow(text: &str) -> Option<usize> {
    let (mut quote, mut escaped, mut found) = (None, false, None);
    for (at, c) in text.char_indices() {
        match quote {
            Some(_) if escaped => escaped = false,
            Some(_) if c == '\\' => escaped = true,
            Some(open) if c == open => quote = None,
            Some(_) => {}
            None if c == '\'' || c == '"' => quote = Some(c),
            None if text.get(at..).is_some_and(|rest| rest.starts_with("->")) => found = Some(at),
            None => {}
        }
    }
    found
}

/// Names between commas; none at all is fine: nothing is listed.
fn names(list: Word<'_>) -> Vec<Word<'_>> {
    let mut words = Vec::new();
    let mut start = 0;
    for piece in list.text.split(',') {
        let word = trimmed(part(list, start, start + piece.len()));
        if !word.text.is_empty() {
            words.push(word);
        }
        start += piece.len() + 1;
    }
    words
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn texts(statement: &str) -> (String, String, Option<String>, Option<Vec<String>>) {
        let parsed = parse(statement).unwrap();
        let listed = parsed.listed.map(|words| {
            let words = words.iter().map(|word| {
                assert_eq!(statement.get(word.range()), Some(word.text));
                word.text.to_owned()
            });
            words.collect()
        });
        let filter = parsed.filter.map(|word| word.text.to_owned());
        let (verb, target) = (parsed.verb.text, parsed.target.text);
        (verb.to_owned(), target.to_owned(), filter, listed)
    }

    #[test]
    fn statements_have_up_to_four_parts() {
        let (list, posts) = ("list".to_owned(), "posts".to_owned());
        assert_eq!(
            texts("  list  posts "),
            (list.clone(), posts.clone(), None, None)
        );
        assert_eq!(
            texts("list posts where a = '->' && b = 1 -> one , two"),
            (
                list.clone(),
                posts.clone(),
                Some("a = '->' && b = 1".to_owned()),
                Some(vec!["one".to_owned(), "two".to_owned()])
            )
        );
        assert_eq!(
            texts("list posts ->"),
            (list, posts, None, Some(Vec::new()))
        );
    }

    #[test]
    fn what_is_wrong_has_a_place() {
        let place = |text: &str| {
            let wrong = parse(text).unwrap_err();
            text.get(wrong.range).unwrap().to_owned()
        };
        assert_eq!(place("view"), "view");
        assert_eq!(place("view posts.a with b"), "with");
        assert_eq!(place("list posts where"), "where");
        assert_eq!(place("list posts where -> a"), "where");
        assert_eq!(place("  "), "");
    }
}
