//! What can be wrong with a rule, a filter or a sort: codes, severities and texts.

use std::fmt;

use crate::span::Span;

/// One finding in a text.
#[derive(Debug, Clone, PartialEq)]
pub struct Error {
    /// Which kind of mistake.
    pub code: Code,
    /// What happened.
    pub message: String,
    /// The bytes of the text that it is about.
    pub span: Span,
    /// A short remark for the marked bytes.
    pub label: String,
    /// What to do about it.
    pub help: Option<String>,
    /// An error by its code, but only a warning here: the live server accepts the text.
    pub tolerated: bool,
}

impl Error {
    /// A finding without help.
    pub fn new(
        code: Code,
        span: Span,
        message: impl Into<String>,
        label: impl Into<String>,
    ) -> Self {
        Self {
            code,
            message: message.into(),
            span,
            label: label.into(),
            help: None,
            tolerated: false,
        }
    }

    /// Adds what to do about it.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Adds help if there is any.
    #[must_use]
    pub fn with_maybe_help(mut self, help: Option<String>) -> Self {
        self.help = help.or(self.help);
        self
    }

    /// Does it forbid the rule, or is it a remark?
    pub fn severity(&self) -> Severity {
        if self.tolerated {
            Severity::Warning
        } else {
            self.code.severity()
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

/// How grave a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Severity {
    /// The text is refused.
    Error,
    /// The text is valid, but odd.
    Warning,
}

macro_rules! codes {
    ($($(#[doc = $doc:literal])+ $name:ident = $text:literal, $severity:ident;)+) => {
        /// The kind of a finding.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Code { $($(#[doc = $doc])+ $name,)+ }

        impl Code {
            /// Every code, for lists and for tests that want one case of each.
            pub const ALL: &'static [Code] = &[$(Code::$name,)+];

            /// The stable name, e.g. `rule::unknown_field`.
            pub fn as_str(self) -> &'static str {
                match self { $(Code::$name => $text,)+ }
            }

            /// Is it an error or a warning?
            pub fn severity(self) -> Severity {
                match self { $(Code::$name => Severity::$severity,)+ }
            }
        }
    };
}

codes! {
    /// The text doesn't follow the grammar.
    Syntax = "rule::syntax", Error;
    /// Nothing but blanks and comments.
    Blank = "rule::empty", Error;
    /// Too many comparisons, or too many combinations.
    TooComplex = "rule::too_complex", Error;
    /// Too many relations in one path, or parentheses in each other.
    TooDeep = "rule::too_deep", Error;
    /// No such field.
    UnknownField = "rule::unknown_field", Error;
    /// No such collection.
    UnknownCollection = "rule::unknown_collection", Error;
    /// No such modifier.
    UnknownModifier = "rule::unknown_modifier", Error;
    /// No such macro.
    UnknownMacro = "rule::unknown_macro", Error;
    /// No such function.
    UnknownFunction = "rule::unknown_function", Error;
    /// A function with arguments that it can't take.
    Arguments = "rule::arguments", Error;
    /// No such part of `@request`.
    UnknownRequestPart = "rule::unknown_request_part", Error;
    /// A path goes on behind a field that is no relation.
    NotARelation = "rule::not_a_relation", Error;
    /// A relation or back-relation that does not fit its place in the path.
    BadPath = "rule::bad_path", Error;
    /// A modifier that the operand can't have.
    Modifier = "rule::modifier", Error;
    /// An operator that the operand's type can't have.
    Operator = "rule::operator", Error;
    /// A literal that the operand's type can't have.
    Literal = "rule::literal", Error;
    /// Always true or always false.
    Constant = "rule::constant", Error;
    /// The caller may not use this.
    Forbidden = "rule::forbidden", Error;
    /// A sort that can't be.
    Sort = "rule::sort", Error;
    /// The same operand on both sides.
    SameOperand = "rule::same_operand", Warning;
    /// One comparison is always true or always false.
    ConstantPart = "rule::constant_part", Warning;
    /// Several values are compared as the text of a JSON array.
    JsonText = "rule::json_text", Warning;
    /// A literal is compared in a form that may surprise.
    OddLiteral = "rule::odd_literal", Warning;
    /// A part of `@request` that is never there.
    NeverSet = "rule::never_set", Warning;
    /// A rule that the server can't answer for the record it is about: it never holds.
    NeverHolds = "rule::never_holds", Warning;
    /// Two things that are never equal.
    NeverEqual = "rule::never_equal", Warning;
    /// Two conditions that exclude each other.
    Conflict = "rule::conflict", Warning;
    /// A rule that holds for guests by what they lack.
    Guests = "rule::guests", Warning;
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
