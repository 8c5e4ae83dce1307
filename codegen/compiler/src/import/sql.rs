//! The few words of SQL that a `CREATE INDEX` is made of.

/// A piece of SQL.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Token {
    /// A bare word.
    Word(String),
    /// A quoted name: by backticks, double quotes or brackets.
    Name(String),
    /// A name in double quotes, which SQLite takes as a text if there is no such column.
    Double(String),
    /// A text.
    Text(String),
    /// A number, as written.
    Number(String),
    /// Anything else, two characters where SQL has such an operator.
    Sign(String),
}

impl Token {
    /// Is it this keyword?
    pub(super) fn is(&self, keyword: &str) -> bool {
        matches!(self, Token::Word(word) if word.eq_ignore_ascii_case(keyword))
    }

    /// Is it this sign?
    pub(super) fn sign(&self, sign: &str) -> bool {
        matches!(self, Token::Sign(found) if found == sign)
    }

    /// The name that it may be.
    pub(super) fn name(&self) -> Option<&str> {
        match self {
            Token::Word(name) | Token::Name(name) | Token::Double(name) => Some(name),
            _ => None,
        }
    }
}

/// Splits SQL; the error says what can't be read.
pub(super) fn tokens(sql: &str) -> Result<Vec<Token>, String> {
    let mut tokens = Vec::new();
    let mut rest = sql.trim_start();
    while let Some(first) = rest.chars().next() {
        let (token, after) = match first {
            '\'' => quoted(rest, '\'').map(|(text, after)| (Token::Text(text), after))?,
            '"' => quoted(rest, '"').map(|(text, after)| (Token::Double(text), after))?,
            '`' => quoted(rest, '`').map(|(text, after)| (Token::Name(text), after))?,
            '[' => bracketed(rest)?,
            '-' if rest.starts_with("--") => {
                rest = rest.split_once('\n').map_or("", |(_, after)| after);
                rest = rest.trim_start();
                continue;
            }
            '/' if rest.starts_with("/*") => {
                let (_, after) = rest.split_once("*/").ok_or("a comment without an end")?;
                rest = after.trim_start();
                continue;
            }
            c if c.is_ascii_digit() => {
                let (number, after) = take(rest, |c| c.is_ascii_alphanumeric() || c == '.');
                (Token::Number(number.to_owned()), after)
            }
            c if is_word(c) => {
                let (word, after) = take(rest, is_word);
                (Token::Word(word.to_owned()), after)
            }
            c => sign(rest, c),
        };
        tokens.push(token);
        rest = after.trim_start();
    }
    Ok(tokens)
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

fn take(text: &str, wanted: impl Fn(char) -> bool) -> (&str, &str) {
    let end = text.find(|c| !wanted(c)).unwrap_or(text.len());
    text.split_at(end)
}

fn sign(text: &str, first: char) -> (Token, &str) {
    let two = ["<>", "!=", "==", "<=", ">=", "||"];
    let found = two.iter().find(|sign| text.starts_with(**sign));
    let length = found.map_or(first.len_utf8(), |sign| sign.len());
    let (sign, after) = text.split_at(length);
    (Token::Sign(sign.to_owned()), after)
}

/// What stands between quotes, where the quote itself is doubled.
fn quoted(text: &str, quote: char) -> Result<(String, &str), String> {
    let mut value = String::new();
    let mut chars = text.char_indices().skip(1).peekable();
    while let Some((at, c)) = chars.next() {
        if c != quote {
            value.push(c);
        } else if chars.next_if(|(_, next)| *next == quote).is_some() {
            value.push(quote);
        } else {
            return Ok((value, text.get(at + c.len_utf8()..).unwrap_or_default()));
        }
    }
    Err(format!("a {quote} without its partner"))
}

fn bracketed(text: &str) -> Result<(Token, &str), String> {
    let inner = text.get(1..).unwrap_or_default();
    let (name, after) = inner.split_once(']').ok_or("a [ without its partner")?;
    Ok((Token::Name(name.to_owned()), after))
}
