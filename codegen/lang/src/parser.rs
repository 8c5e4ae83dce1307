//! Tokens to a tree, with a stack of its own: parentheses never nest on the thread's stack.

use crate::ast::{Comparison, Expr, Operand, OperandKind};
use crate::error::{Code, Error};
use crate::lexer::{Lexer, Token};
use crate::span::Span;

/// The most comparisons in one text.
pub const MAX_COMPARISONS: usize = 200;
/// The most parentheses in each other. They cost no thread stack; this only bounds memory.
pub const MAX_NESTING: usize = 10_000;
/// The most functions in each other.
pub const MAX_CALLS: usize = 3;
/// Most arguments of a function that are read; each function takes far fewer.
pub const MAX_ARGUMENTS: usize = 100;

/// Parses a whole rule or filter.
pub fn parse(text: &str) -> Result<Expr, Error> {
    Parser {
        lexer: Lexer::new(text),
        ahead: None,
        comparisons: 0,
    }
    .expression()
}

struct Parser<'a> {
    lexer: Lexer<'a>,
    ahead: Option<(Token, Span)>,
    comparisons: usize,
}

/// An open group: the finished alternatives, and the `&&` chain that grows.
#[derive(Default)]
struct Group {
    open: Span,
    any: Vec<Expr>,
    all: Vec<Expr>,
}

impl Group {
    fn next_alternative(&mut self) {
        let chain = std::mem::take(&mut self.all);
        push_flat(&mut self.any, join(chain, Expr::All), false);
    }

    fn finish(mut self) -> Expr {
        self.next_alternative();
        join(self.any, Expr::Any)
    }
}

/// One item stands for itself.
fn join(mut items: Vec<Expr>, make: fn(Vec<Expr>) -> Expr) -> Expr {
    match (items.pop(), items.is_empty()) {
        (Some(only), true) => only,
        (Some(last), false) => {
            items.push(last);
            make(items)
        }
        (None, _) => make(items),
    }
}

fn push_flat(items: &mut Vec<Expr>, item: Expr, all: bool) {
    match item {
        Expr::All(inner) if all => items.extend(inner),
        Expr::Any(inner) if !all => items.extend(inner),
        other => items.push(other),
    }
}

impl Parser<'_> {
    fn next(&mut self) -> Result<Option<(Token, Span)>, Error> {
        match self.ahead.take() {
            Some(found) => Ok(Some(found)),
            None => self.lexer.next_token(),
        }
    }

    fn expression(&mut self) -> Result<Expr, Error> {
        let mut outer: Vec<Group> = Vec::new();
        let mut group = Group::default();
        loop {
            // An item: any number of opening parentheses, then a comparison.
            let Some((token, span)) = self.next()? else {
                return Err(self.item_missing(&outer, &group));
            };
            if token == Token::Open {
                if outer.len() >= MAX_NESTING {
                    let message = format!("more than {MAX_NESTING} parentheses in each other");
                    return Err(Error::new(Code::TooDeep, span, message, "one too many"));
                }
                outer.push(std::mem::replace(
                    &mut group,
                    Group {
                        open: span,
                        ..Group::default()
                    },
                ));
                continue;
            }
            group.all.push(self.comparison(token, span)?);
            // Behind an item: closing parentheses, then a join or the end.
            loop {
                match self.next()? {
                    Some((Token::Close, span)) => {
                        let Some(enclosing) = outer.pop() else {
                            return Err(syntax(span, "`)` without `(`", "closes nothing"));
                        };
                        let closed = std::mem::replace(&mut group, enclosing).finish();
                        push_flat(&mut group.all, closed, true);
                    }
                    Some((Token::And, _)) => break,
                    Some((Token::Or, _)) => {
                        group.next_alternative();
                        break;
                    }
                    Some((Token::Open, span)) => return Err(follows(span, "a group")),
                    Some((_, span)) => return Err(follows(span, "this")),
                    None if outer.is_empty() => return Ok(group.finish()),
                    None => {
                        return Err(syntax(group.open, "`(` without `)`", "never closed"));
                    }
                }
            }
        }
    }

    fn item_missing(&self, outer: &[Group], group: &Group) -> Error {
        let here = self.lexer.here();
        if outer.is_empty() && group.all.is_empty() && group.any.is_empty() {
            return Error::new(Code::Blank, here, "the expression is empty", "nothing here")
                .with_help("write a comparison such as `public = true`");
        }
        syntax(
            here,
            "the expression ends too early",
            "a comparison is missing here",
        )
    }

    fn comparison(&mut self, token: Token, span: Span) -> Result<Expr, Error> {
        let left = self.operand(token, span)?;
        self.comparisons += 1;
        if self.comparisons > MAX_COMPARISONS {
            let message = format!("more than {MAX_COMPARISONS} comparisons");
            return Err(Error::new(
                Code::TooComplex,
                left.span,
                message,
                "one too many",
            ));
        }
        let (op, any, op_span) = match self.next()? {
            Some((Token::Op(op, any), span)) => (op, any, span),
            Some((Token::Open, span)) => return Err(follows(span, "a group")),
            Some((_, found)) => {
                return Err(
                    syntax(found, "an operator is missing", "expected an operator here")
                        .with_help("compare with = != > >= < <= ~ !~, for example `active = true`"),
                );
            }
            None => {
                return Err(syntax(
                    left.span,
                    "a comparison is incomplete",
                    "no operator follows",
                )
                .with_help("compare it with something, for example `active = true`"));
            }
        };
        let right = match self.next()? {
            Some((Token::Open, span)) => return Err(follows(span, "a group")),
            Some((token, span)) => self.operand(token, span)?,
            None => {
                return Err(syntax(
                    op_span,
                    "a comparison is incomplete",
                    "no operand follows",
                ));
            }
        };
        Ok(Expr::Compare(Box::new(Comparison {
            left,
            op,
            any,
            op_span,
            right,
        })))
    }

    fn operand(&mut self, token: Token, span: Span) -> Result<Operand, Error> {
        match token {
            Token::Function(name) => self.call(name, span),
            other => simple(other, span),
        }
    }

    /// The arguments of a function, up to its `)`; the depth is limited, so a stack of open
    /// calls suffices.
    fn call(&mut self, name: String, span: Span) -> Result<Operand, Error> {
        let mut open = vec![(name, span, Vec::new())];
        let mut comma_allowed = false;
        loop {
            let Some((token, span)) = self.next()? else {
                let at = open.last().map_or(span, |(_, span, _)| *span);
                return Err(syntax(at, "a function is not closed", "`)` is missing"));
            };
            match token {
                Token::Close => {
                    let Some((name, start, args)) = open.pop() else {
                        return Err(follows(span, "this"));
                    };
                    let whole = Span {
                        start: start.start,
                        end: span.end,
                    };
                    let call = Operand {
                        kind: OperandKind::Call(name, args),
                        span: whole,
                    };
                    match open.last_mut() {
                        Some((_, _, args)) => args.push(call),
                        None => return Ok(call),
                    }
                    comma_allowed = true;
                }
                Token::Comma if comma_allowed => comma_allowed = false,
                Token::Comma => {
                    return Err(syntax(span, "unexpected `,`", "an argument is missing"));
                }
                _ if comma_allowed => {
                    return Err(syntax(
                        span,
                        "arguments are separated by `,`",
                        "expected `,` or `)`",
                    ));
                }
                Token::Function(name) => {
                    if open.len() >= MAX_CALLS {
                        let message = format!("more than {MAX_CALLS} functions in each other");
                        return Err(Error::new(Code::TooDeep, span, message, "one too many"));
                    }
                    open.push((name, span, Vec::new()));
                }
                other => {
                    let argument = simple(other, span)?;
                    if let Some((_, _, args)) = open.last_mut() {
                        if args.len() >= MAX_ARGUMENTS {
                            let message = format!("more than {MAX_ARGUMENTS} arguments");
                            return Err(Error::new(Code::Arguments, span, message, "one too many"));
                        }
                        args.push(argument);
                    }
                    comma_allowed = true;
                }
            }
        }
    }
}

fn simple(token: Token, span: Span) -> Result<Operand, Error> {
    let kind = match token {
        Token::Number(number) => OperandKind::Number(number),
        Token::Text(text) => OperandKind::Text(text),
        Token::Name(name) if name.eq_ignore_ascii_case("null") => OperandKind::Null,
        Token::Name(name) if name.eq_ignore_ascii_case("true") => OperandKind::Bool(true),
        Token::Name(name) if name.eq_ignore_ascii_case("false") => OperandKind::Bool(false),
        Token::Name(name) => OperandKind::Name(name),
        Token::Close => return Err(syntax(span, "unexpected `)`", "an operand is missing")),
        _ => {
            return Err(syntax(
                span,
                "an operand is missing",
                "expected a name or a value here",
            ));
        }
    };
    Ok(Operand { kind, span })
}

fn syntax(span: Span, message: &str, label: &str) -> Error {
    Error::new(Code::Syntax, span, message, label)
}

fn follows(span: Span, what: &str) -> Error {
    syntax(
        span,
        &format!("{what} follows without a join"),
        "expected `&&` or `||` before this",
    )
}
