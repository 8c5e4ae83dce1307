//! Text to tokens, one at a time, so that a huge text costs no more memory than its tree.

use crate::error::{Code, Error};
use crate::plan::Op;
use crate::span::Span;

/// The smallest parts of a rule.
#[derive(Debug, Clone, PartialEq)]
pub enum Token {
    /// `(`
    Open,
    /// `)`
    Close,
    /// `,` (between the arguments of a function)
    Comma,
    /// `&&`
    And,
    /// `||`
    Or,
    /// An operator, and whether it has a `?`.
    Op(Op, bool),
    /// A number.
    Number(f64),
    /// A quoted text, escapes resolved.
    Text(String),
    /// A name.
    Name(String),
    /// A name with `(` right behind it: the `(` is part of the token.
    Function(String),
}

/// Reads tokens from a text.
pub struct Lexer<'a> {
    text: &'a str,
    at: usize,
    /// How many parentheses are open.
    depth: usize,
}

type Found = Result<Option<(Token, Span)>, Error>;

impl<'a> Lexer<'a> {
    /// Starts at the text's first byte.
    pub fn new(text: &'a str) -> Self {
        Self {
            text,
            at: 0,
            depth: 0,
        }
    }

    /// The place behind the last token.
    pub fn here(&self) -> Span {
        Span {
            start: self.at,
            end: self.at,
        }
    }

    /// The next token with its place; `None` at the end of the text.
    ///
    /// A NUL character ends the text where a token could begin. Right behind blanks, a name, a
    /// number or an operator it is a blank, but not inside parentheses.
    pub fn next_token(&mut self) -> Found {
        self.skip_blanks();
        let start = self.at;
        let Some(first) = self.peek() else {
            return Ok(None);
        };
        let token = match first {
            '\0' => return Ok(None),
            '(' => {
                self.depth += 1;
                self.single(Token::Open)
            }
            ')' => {
                self.depth = self.depth.saturating_sub(1);
                self.single(Token::Close)
            }
            ',' => self.single(Token::Comma),
            '\'' | '"' => self.text(first)?,
            '&' | '|' => self.join()?,
            '=' | '?' | '!' | '<' | '>' | '~' => self.operator()?,
            '-' | '0'..='9' => self.number()?,
            'a'..='z' | 'A'..='Z' | '_' | '@' | '#' => self.name()?,
            other => return Err(self.unexpected(other)),
        };
        let end = self.at;
        if !matches!(
            token,
            Token::Open | Token::Close | Token::Comma | Token::Text(_) | Token::Function(_)
        ) {
            self.skip_nul();
        }
        Ok(Some((token, Span { start, end })))
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or("")
    }

    fn single(&mut self, token: Token) -> Token {
        self.at += 1;
        token
    }

    /// The longest run of characters that `accept` takes.
    fn run(&mut self, accept: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let length = rest.find(|c| !accept(c)).unwrap_or(rest.len());
        self.at += length;
        rest.get(..length).unwrap_or("")
    }

    fn skip_nul(&mut self) {
        if self.depth == 0 && self.peek() == Some('\0') {
            self.at += 1;
        }
    }

    fn skip_blanks(&mut self) {
        loop {
            let before = self.at;
            self.run(|c| matches!(c, ' ' | '\t' | '\n'));
            if self.rest().starts_with("//") {
                self.run(|c| !matches!(c, '\n' | '\0'));
            }
            if self.at == before {
                return;
            }
            self.skip_nul();
        }
    }

    fn join(&mut self) -> Result<Token, Error> {
        let start = self.at;
        match self.run(|c| matches!(c, '&' | '|')) {
            "&&" => Ok(Token::And),
            "||" => Ok(Token::Or),
            other => Err(self
                .since(start, format!("`{other}` joins nothing"), "no such join")
                .with_help("join comparisons with `&&` (and) or `||` (or)")),
        }
    }

    fn operator(&mut self) -> Result<Token, Error> {
        let start = self.at;
        let run = self.run(|c| matches!(c, '=' | '?' | '!' | '<' | '>' | '~'));
        let (plain, any) = match run.strip_prefix('?') {
            Some(plain) => (plain, true),
            None => (run, false),
        };
        let op = match plain {
            "=" => Op::Equal,
            "!=" => Op::NotEqual,
            ">" => Op::Greater,
            ">=" => Op::GreaterOrEqual,
            "<" => Op::Less,
            "<=" => Op::LessOrEqual,
            "~" => Op::Like,
            "!~" => Op::NotLike,
            _ => {
                let help = match run {
                    "==" => "did you mean `=`?",
                    "<>" => "did you mean `!=`?",
                    "=>" => "did you mean `>=`?",
                    "=<" => "did you mean `<=`?",
                    "=~" => "did you mean `~`?",
                    _ => "the operators are = != > >= < <= ~ !~, each also with `?` in front",
                };
                let message = format!("unknown operator `{run}`");
                return Err(self
                    .since(start, message, "no such operator")
                    .with_help(help));
            }
        };
        Ok(Token::Op(op, any))
    }

    fn number(&mut self) -> Result<Token, Error> {
        let start = self.at;
        if self.peek() == Some('-') {
            self.at += 1;
        }
        let digits = self.run(|c| c.is_ascii_digit());
        if digits.is_empty() {
            return Err(self.since(start, "unexpected character `-`", "no number follows"));
        }
        if self.peek() == Some('.') {
            self.at += 1;
            if self.run(|c| c.is_ascii_digit()).is_empty() {
                return Err(self.since(
                    start,
                    "a number can't end in `.`",
                    "digits are missing behind the point",
                ));
            }
        }
        let text = self.text.get(start..self.at).unwrap_or("");
        if self
            .peek()
            .is_some_and(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | ':'))
        {
            let message = format!("`{text}` is followed directly by other characters");
            return Err(self
                .since(start, message, "a number ends here")
                .with_help("names start with a letter; numbers have no exponent"));
        }
        match text.parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(Token::Number(number)),
            _ => Err(self.since(start, "number out of range", "doesn't fit 64 bits")),
        }
    }

    fn text(&mut self, quote: char) -> Result<Token, Error> {
        let start = self.at;
        self.at += 1;
        let mut value = String::new();
        let mut chars = self.rest().char_indices();
        while let Some((offset, c)) = chars.next() {
            if c == quote {
                self.at += offset + 1;
                return Ok(Token::Text(value));
            }
            if c == '\0' {
                break;
            }
            if c != '\\' {
                value.push(c);
                continue;
            }
            match chars.next().map(|(_, c)| c) {
                Some(c @ ('\\' | '\'' | '"')) => value.push(c),
                Some('n') => value.push('\n'),
                Some('r') => value.push('\r'),
                Some('t') => value.push('\t'),
                Some('\0') | None => break,
                Some(other) => value.extend(['\\', other]),
            }
        }
        let span = Span {
            start,
            end: start + 1,
        };
        Err(Error::new(
            Code::Syntax,
            span,
            "text without a closing quote",
            "opened here",
        ))
    }

    fn name(&mut self) -> Result<Token, Error> {
        let start = self.at;
        self.at += 1;
        self.run(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | ':'));
        let name = self.text.get(start..self.at).unwrap_or("");
        if name.ends_with(['.', ':']) || matches!(name, "@" | "#") {
            let message = format!("the name `{name}` is incomplete");
            return Err(self.since(start, message, "something must follow"));
        }
        let name = name.to_owned();
        if self.peek() == Some('(') {
            self.at += 1;
            self.depth += 1;
            return Ok(Token::Function(name));
        }
        Ok(Token::Name(name))
    }

    fn since(&self, start: usize, message: impl Into<String>, label: &str) -> Error {
        Error::new(
            Code::Syntax,
            Span {
                start,
                end: self.at,
            },
            message,
            label,
        )
    }

    fn unexpected(&self, found: char) -> Error {
        let span = Span {
            start: self.at,
            end: self.at + found.len_utf8(),
        };
        let shown = if found.is_control() {
            found.escape_default().to_string()
        } else {
            found.into()
        };
        let error = Error::new(
            Code::Syntax,
            span,
            format!("unexpected character `{shown}`"),
            "not part of the language",
        );
        match found {
            '\r' => error.with_help("end lines with a line feed only"),
            '`' => error.with_help("quote text with ' or \""),
            '+' => error.with_help("numbers have no plus sign, and there is no arithmetic"),
            '[' | ']' => error.with_help("write an index as `.0`"),
            _ => error,
        }
    }
}
