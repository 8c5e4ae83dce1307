//! Numbers as text, text as numbers, and LIKE: the way SQLite does each.

/// The pattern that `~` binds for a value: one with a `%` of its own is used as it is (then `_`
/// is a wildcard too), any other is escaped and means "contains".
pub fn like_pattern(value: &str) -> String {
    if has_wildcard(value) {
        return value.to_owned();
    }
    // From behind: a special character that already has a `\` before it is left alone.
    let mut reversed = String::with_capacity(value.len() + 4);
    reversed.push('%');
    let mut rest = value.chars().rev().peekable();
    while let Some(c) = rest.next() {
        reversed.push(c);
        if matches!(c, '\\' | '%' | '_') {
            if rest.peek() == Some(&'\\') {
                rest.next();
            }
            reversed.push('\\');
        }
    }
    reversed.push('%');
    reversed.chars().rev().collect()
}

/// Is there a `%` without a `\` before it?
fn has_wildcard(value: &str) -> bool {
    let mut escaped = false;
    for c in value.chars() {
        if c == '%' && !escaped {
            return true;
        }
        escaped = c == '\\' && !escaped;
    }
    false
}

/// One element of a pattern.
#[derive(Clone, Copy, PartialEq)]
enum Piece {
    Any,
    One,
    Char(char),
    /// An escape with nothing behind it matches nothing.
    Nothing,
}

fn piece(pattern: &str, at: usize) -> Option<(Piece, usize)> {
    let mut chars = pattern.get(at..)?.chars();
    let first = chars.next()?;
    let next = at + first.len_utf8();
    Some(match first {
        '%' => (Piece::Any, next),
        '_' => (Piece::One, next),
        '\\' => match chars.next() {
            Some(c) => (Piece::Char(c), next + c.len_utf8()),
            None => (Piece::Nothing, next),
        },
        c => (Piece::Char(c), next),
    })
}

/// `text LIKE pattern ESCAPE '\'`: folds the case of ASCII letters only. Goes back only to the
/// last `%`, so the time is at most the product of the lengths.
pub fn like(text: &str, pattern: &str) -> bool {
    let (mut at, mut place) = (0, 0);
    let mut retry: Option<(usize, usize)> = None;
    loop {
        let current = text.get(at..).and_then(|rest| rest.chars().next());
        let found = piece(pattern, place);
        let step = match (found, current) {
            (Some((Piece::Any, next)), _) => {
                retry = Some((at, next));
                place = next;
                continue;
            }
            (Some((Piece::One, next)), Some(c)) => Some((next, c)),
            (Some((Piece::Char(want), next)), Some(c)) if want.eq_ignore_ascii_case(&c) => {
                Some((next, c))
            }
            (None, None) => return true,
            _ => None,
        };
        if let Some((next, c)) = step {
            place = next;
            at += c.len_utf8();
            continue;
        }
        // Let the last `%` swallow one character more.
        let Some((from, behind)) = retry else {
            return false;
        };
        let Some(c) = text.get(from..).and_then(|rest| rest.chars().next()) else {
            return false;
        };
        at = from + c.len_utf8();
        place = behind;
        retry = Some((at, behind));
    }
}

/// A number as `~` sees it when it stands in the rule: `5`, `5.5`, never with an exponent.
pub fn number_text(number: f64) -> String {
    if number == 0.0 {
        "0".to_owned()
    } else {
        number.to_string()
    }
}

/// A REAL as SQLite turns it into text: 15 significant digits, always with a point.
pub fn sqlite_number_text(number: f64) -> String {
    if number == 0.0 || number.is_nan() {
        return "0.0".to_owned();
    }
    if number.is_infinite() {
        return if number > 0.0 { "Inf" } else { "-Inf" }.to_owned();
    }
    let scientific = format!("{number:.14e}");
    let Some((mantissa, exponent)) = scientific.split_once('e') else {
        return scientific;
    };
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..15).contains(&exponent) {
        // 15 digits in all: those before the point take from those behind it.
        let decimals = usize::try_from(14 - exponent).unwrap_or(0);
        return with_point(&format!("{number:.decimals$}"));
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{}e{sign}{:02}", with_point(mantissa), exponent.abs())
}

/// Drops the zeros at the end, but leaves one digit behind the point.
fn with_point(digits: &str) -> String {
    if !digits.contains('.') {
        return format!("{digits}.0");
    }
    let short = digits.trim_end_matches('0');
    if short.ends_with('.') {
        format!("{short}0")
    } else {
        short.to_owned()
    }
}

/// The number that a numeric column makes of a text: all of it must be a decimal number, blanks
/// around it aside.
pub fn text_to_number(text: &str) -> Option<f64> {
    let blank = |c| matches!(c, ' ' | '\t' | '\n' | '\u{b}' | '\u{c}' | '\r');
    let text = text.trim_matches(blank);
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (unsigned, None),
    };
    let digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let has_digit = !whole.is_empty() || !fraction.is_empty();
    if !has_digit || !digits(whole) || !digits(fraction) {
        return None;
    }
    if let Some(exponent) = exponent {
        let unsigned = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        if unsigned.is_empty() || !digits(unsigned) {
            return None;
        }
    }
    text.parse().ok()
}
