//! Texts to trees: every rule of the grammar, and each way to break it.

use crate::ast::{Expr, Operand, OperandKind};
use crate::parser::{MAX_COMPARISONS, MAX_NESTING, parse};

/// The tree, fully parenthesised.
fn shown(expr: &Expr) -> String {
    let joined = |items: &[Expr], join: &str| {
        let items: Vec<String> = items.iter().map(shown).collect();
        format!("({})", items.join(join))
    };
    match expr {
        Expr::All(items) => joined(items, " & "),
        Expr::Any(items) => joined(items, " | "),
        Expr::Compare(it) => {
            let any = if it.any { "?" } else { "" };
            format!(
                "{}{any}{}{}",
                operand(&it.left),
                it.op.as_str(),
                operand(&it.right)
            )
        }
    }
}

fn operand(operand_: &Operand) -> String {
    match &operand_.kind {
        OperandKind::Null => "NULL".to_owned(),
        OperandKind::Bool(bool) => bool.to_string().to_uppercase(),
        OperandKind::Number(number) => format!("{number:?}"),
        OperandKind::Text(text) => format!("{text:?}"),
        OperandKind::Name(name) => name.clone(),
        OperandKind::Call(name, args) => {
            let args: Vec<String> = args.iter().map(operand).collect();
            format!("{name}({})", args.join(","))
        }
    }
}

fn check(text: &str, expected: &str) {
    match parse(text) {
        Ok(tree) => assert_eq!(shown(&tree), expected, "{text}"),
        Err(error) => panic!("{text}: {error} at {:?}", error.span),
    }
}

/// The message and the marked part.
fn check_error(text: &str, message: &str, marked: &str) {
    let error = parse(text).expect_err(text);
    let found = text
        .get(error.span.start..error.span.end)
        .expect("a span inside the text");
    assert_eq!((error.message.as_str(), found), (message, marked), "{text}");
}

#[test]
fn operators() {
    for op in ["=", "!=", ">", ">=", "<", "<=", "~", "!~"] {
        check(&format!("a{op}1"), &format!("a{op}1.0"));
        check(&format!("a ?{op} 1"), &format!("a?{op}1.0"));
    }
    check("a='x'&&b=1", "(a=\"x\" & b=1.0)");
    for bad in ["==", "=!", "?", "!", "=>", "??=", "<>"] {
        check_error(
            &format!("n {bad} 5"),
            &format!("unknown operator `{bad}`"),
            bad,
        );
    }
    check_error("n ? = 5", "unknown operator `?`", "?");
    check_error("a=1 & b=1", "`&` joins nothing", "&");
    check_error("a=1 &&| b=1", "`&&|` joins nothing", "&&|");
}

#[test]
fn precedence_and_groups() {
    check("a=1 && b=1 || c=1", "((a=1.0 & b=1.0) | c=1.0)");
    check("a=1 || b=1 && c=1", "(a=1.0 | (b=1.0 & c=1.0))");
    check("(a=1 || b=1) && c=1", "((a=1.0 | b=1.0) & c=1.0)");
    check("((a=1))", "a=1.0");
    check("a=1 && (b=1 && (c=1))", "(a=1.0 & b=1.0 & c=1.0)");
    check("(a=1 || b=1) || c=1", "(a=1.0 | b=1.0 | c=1.0)");
    check_error("()", "unexpected `)`", ")");
    check_error("(a=1", "`(` without `)`", "(");
    check_error("a=1)", "`)` without `(`", ")");
    check_error("(a=1)(b=2)", "a group follows without a join", "(");
    check_error("t = (n=10)", "a group follows without a join", "(");
    check_error("t (n=10)", "a group follows without a join", "(");
    check_error("(a=1) b=2", "this follows without a join", "b");
}

#[test]
fn incomplete_expressions() {
    check_error("", "the expression is empty", "");
    check_error(" // only a remark", "the expression is empty", "");
    check_error("active", "a comparison is incomplete", "active");
    check_error("active =", "a comparison is incomplete", "=");
    check_error("active && b=1", "an operator is missing", "&&");
    check_error("a=1 &&", "the expression ends too early", "");
    check_error("= 1", "an operand is missing", "=");
    check_error("a = = 1", "an operand is missing", "=");
    check_error("a = 1 = 2", "this follows without a join", "=");
}

#[test]
fn blanks_and_remarks() {
    check("\t a\n=\n1 // why\n&& b=2//", "(a=1.0 & b=2.0)");
    check("f(1, // why\n2) = 1", "f(1.0,2.0)=1.0");
    // A NUL ends the text where a token could begin, and is a blank elsewhere.
    check("a='1'\0 && (", "a=\"1\"");
    check("(a=1)\0 && (", "a=1.0");
    check("a=1 \0", "a=1.0");
    check("a\0=1\0 && b=2", "(a=1.0 & b=2.0)");
    check_error("a=1\0b", "this follows without a join", "b");
    check_error("(a=1\0)", "`(` without `)`", "(");
    check_error("\0a=1", "the expression is empty", "");
    check_error("a=1\r\n&& b=1", "unexpected character `\\r`", "\r");
    check_error("a=1 /* no */", "unexpected character `/`", "/");
    check_error("a\u{a0}=1", "unexpected character `\u{a0}`", "\u{a0}");
}

#[test]
fn numbers() {
    check("a=-5", "a=-5.0");
    check("a=007.50", "a=7.5");
    check_error("a=+5", "unexpected character `+`", "+");
    check_error("a=.5", "unexpected character `.`", ".");
    check_error("a=5.", "a number can't end in `.`", "5.");
    check_error("a=- 5", "unexpected character `-`", "-");
    check_error("a=1e5", "`1` is followed directly by other characters", "1");
    check_error(
        "a=1.5.2",
        "`1.5` is followed directly by other characters",
        "1.5",
    );
    let huge = "9".repeat(400);
    check_error(&format!("a={huge}"), "number out of range", &huge);
}

#[test]
fn texts() {
    check(r#"a='it\'s'"#, r#"a="it's""#);
    check(r#"a="say \"hi\"""#, r#"a="say \"hi\"""#);
    check(r"a='x\n\t\\'", r#"a="x\n\t\\""#);
    check(r"a='50\%\_\u00e9'", r#"a="50\\%\\_\\u00e9""#);
    check("a='two\nlines'", r#"a="two\nlines""#);
    check("a='(b=1) && // no'", r#"a="(b=1) && // no""#);
    check_error("a='1", "text without a closing quote", "'");
    check_error(r"a='1\'", "text without a closing quote", "'");
    check_error("a=`1`", "unexpected character `\u{60}`", "`");
}

#[test]
fn names_and_literals() {
    check("a.b_c.0:lower=1", "a.b_c.0:lower=1.0");
    check("@request.auth.id=#x", "@request.auth.id=#x");
    check("NULL=True", "NULL=TRUE");
    check("'a'=nullable", "\"a\"=nullable");
    check_error("a.=1", "the name `a.` is incomplete", "a.");
    check_error("a:=1", "the name `a:` is incomplete", "a:");
    check_error("é=1", "unexpected character `é`", "é");
    check_error("a[0]=1", "unexpected character `[`", "[");
}

#[test]
fn functions() {
    check(
        "f(a.b, 'x', 1.5, g(h(1)), )=1",
        "f(a.b,\"x\",1.5,g(h(1.0)))=1.0",
    );
    check("f()=g()", "f()=g()");
    check_error(
        "f(g(h(i(1))))=1",
        "more than 3 functions in each other",
        "i(",
    );
    check_error("f(,)=1", "unexpected `,`", ",");
    check_error("f(1 2)=1", "arguments are separated by `,`", "2");
    check_error("f(1", "a function is not closed", "f(");
    check_error("f((1))=1", "an operand is missing", "(");
    check_error("f(1=1)=1", "arguments are separated by `,`", "=");
    check_error("a,b=1", "an operator is missing", ",");
}

#[test]
fn limits() {
    let many = |count: usize| vec!["a=1"; count].join("&&");
    assert!(parse(&many(MAX_COMPARISONS)).is_ok());
    let error = parse(&many(MAX_COMPARISONS + 1)).unwrap_err();
    assert_eq!(error.message, "more than 200 comparisons");
    let nested = |depth: usize| format!("{}a=1{}", "(".repeat(depth), ")".repeat(depth));
    check(&nested(MAX_NESTING), "a=1.0");
    let error = parse(&nested(MAX_NESTING + 1)).unwrap_err();
    assert_eq!(error.message, "more than 10000 parentheses in each other");
}
