//! Regular expressions as schemas write them. In RE2, whose dialect PocketBase speaks, `\w`, `\d`,
//! `\s` and `\b` know ASCII only; [`regex`] would take every alphabet's letters and digits.

use regex::Regex;
use regex_syntax::ast::parse::Parser;
use regex_syntax::ast::{
    AssertionKind, Ast, ClassPerl, ClassPerlKind, ClassSetItem, Span, Visitor, visit,
};

/// The regular expression that a schema means by this text.
///
/// # Errors
/// It is none, or it is too large.
pub fn compile(pattern: &str) -> Result<Regex, regex::Error> {
    Regex::new(&ascii_classes(pattern))
}

/// The same pattern with its classes written out. What doesn't parse is returned as it is.
pub fn ascii_classes(pattern: &str) -> String {
    let Ok(ast) = Parser::new().parse(pattern) else {
        return pattern.to_owned();
    };
    let Ok(found) = visit(&ast, Classes::default());
    let mut text = String::with_capacity(pattern.len());
    let mut end = 0;
    for (span, replacement) in found {
        text.push_str(pattern.get(end..span.start.offset).unwrap_or_default());
        text.push_str(replacement);
        end = span.end.offset;
    }
    text.push_str(pattern.get(end..).unwrap_or_default());
    text
}

/// What has to be replaced, in the order of the text.
#[derive(Default)]
struct Classes(Vec<(Span, &'static str)>);

impl Classes {
    fn class(&mut self, class: &ClassPerl) {
        let replacement = match (&class.kind, class.negated) {
            (ClassPerlKind::Digit, false) => "[0-9]",
            (ClassPerlKind::Digit, true) => "[^0-9]",
            (ClassPerlKind::Space, false) => r"[\t\n\f\r ]",
            (ClassPerlKind::Space, true) => r"[^\t\n\f\r ]",
            (ClassPerlKind::Word, false) => "[0-9A-Za-z_]",
            (ClassPerlKind::Word, true) => "[^0-9A-Za-z_]",
        };
        self.0.push((class.span, replacement));
    }
}

impl Visitor for Classes {
    type Output = Vec<(Span, &'static str)>;
    type Err = std::convert::Infallible;

    fn finish(self) -> Result<Self::Output, Self::Err> {
        Ok(self.0)
    }

    fn visit_pre(&mut self, ast: &Ast) -> Result<(), Self::Err> {
        match ast {
            Ast::ClassPerl(class) => self.class(class),
            Ast::Assertion(assertion) => match assertion.kind {
                AssertionKind::WordBoundary => self.0.push((assertion.span, r"(?-u:\b)")),
                AssertionKind::NotWordBoundary => self.0.push((assertion.span, r"(?-u:\B)")),
                _ => {}
            },
            _ => {}
        }
        Ok(())
    }

    fn visit_class_set_item_pre(&mut self, item: &ClassSetItem) -> Result<(), Self::Err> {
        if let ClassSetItem::Perl(class) = item {
            self.class(class);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn classes_know_ascii_only() {
        let check = |pattern: &str, yes: &[&str], no: &[&str]| {
            let regex = compile(pattern).unwrap();
            for text in yes {
                assert!(regex.is_match(text), "{pattern} {text}");
            }
            for text in no {
                assert!(!regex.is_match(text), "{pattern} {text}");
            }
        };
        check(r"^[\w][\w\.\-]*$", &["a.b-c", "_9"], &["ünï", "aé", ".a"]);
        check(r"^\d+$", &["0189"], &["٣", "५"]);
        check(
            r"^\s$",
            &[" ", "\t", "\n"],
            &["\u{a0}", "\u{0b}", "\u{2003}"],
        );
        check(r"^[^\W\d]+$", &["az_"], &["a1", "é"]);
        check(r"^\W\D\S$", &["éée"], &["aéé", "é1é", "éé "]);
        check(r"^a\b.*$", &["a", "aé", "a b"], &["ab"]);
        check(r"^a\B.*$", &["ab"], &["a", "a b"]);
        check(r"^\\w$", &["\\w"], &["a"]);
        check(r"^\p{L}+$", &["éa"], &["1"]);
        check("^é[ü-ÿ]$", &["éü"], &["eü"]);
    }

    #[test]
    fn no_pattern_is_an_error() {
        for pattern in ["(", "[", r"\", r"\w{1000}{1000}{1000}", "(?P<", "x{2,1}"] {
            assert!(compile(pattern).is_err(), "{pattern}");
        }
    }
}
