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

/// A number as `~` sees it when it stands in the rule: `5`, `5.5`, `-0`, never with an exponent.
pub fn number_text(number: f64) -> String {
    number.to_string()
}

/// A REAL as SQLite (since 3.53) turns it into text: 17 significant digits, or fewer where they
/// are enough, and always a point.
pub fn sqlite_number_text(number: f64) -> String {
    if number == 0.0 || number.is_nan() {
        return "0.0".to_owned();
    }
    let sign = if number < 0.0 { "-" } else { "" };
    if number.is_infinite() {
        return format!("{sign}Inf");
    }
    let (digits, point) = decimal(number.abs());
    if !(-3..=17).contains(&point) {
        let (first, rest) = digits.split_at(1);
        let rest = if rest.is_empty() { "0" } else { rest };
        let (direction, exponent) = (if point < 1 { '-' } else { '+' }, (point - 1).abs());
        return format!("{sign}{first}.{rest}e{direction}{exponent:02}");
    }
    let Ok(whole) = usize::try_from(point) else {
        let zeros = "0".repeat(point.unsigned_abs() as usize);
        return format!("{sign}0.{zeros}{digits}");
    };
    match digits.get(whole..) {
        Some(rest) if whole == 0 => format!("{sign}0.{rest}"),
        Some(rest) if !rest.is_empty() => {
            format!("{sign}{}.{rest}", digits.get(..whole).unwrap_or_default())
        }
        _ => format!("{sign}{digits:0<whole$}.0"),
    }
}

/// The significant digits without zeros at the end, and how many of them are before the point.
fn decimal(number: f64) -> (String, i32) {
    // SQLite computes 18 or 19 digits, by a guess at the magnitude from the binary exponent, and
    // rounds those to 17. Rounding twice shows in the last digit, so it is done twice here too.
    let guess = (binary_exponent(number) * 78_913) >> 18;
    let (_, exponent) = scientific(number, 25);
    let count = usize::try_from(18 + exponent - guess).unwrap_or(18);
    let (mut digits, exponent) = scientific(number, count);
    let mut point = exponent + 1;
    let keep = shorter(number, &digits, point).unwrap_or(17);
    let up = digits.get(keep).is_some_and(|digit| *digit >= b'5');
    digits.truncate(keep);
    if up && !increment(&mut digits) {
        digits.insert(0, b'1');
        point += 1;
    }
    while digits.last() == Some(&b'0') {
        digits.pop();
    }
    (String::from_utf8(digits).unwrap_or_default(), point)
}

/// `number` to this many digits, and the exponent of the first.
fn scientific(number: f64, count: usize) -> (Vec<u8>, i32) {
    let text = format!("{number:.*e}", count.saturating_sub(1));
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let digits = mantissa.bytes().filter(u8::is_ascii_digit).collect();
    (digits, exponent.parse().unwrap_or(0))
}

/// The exponent of the highest bit.
fn binary_exponent(number: f64) -> i32 {
    let bits = number.to_bits();
    match i32::try_from((bits >> 52) & 0x7ff).unwrap_or(0) {
        0 => -1011 - i32::try_from(bits.leading_zeros()).unwrap_or(0),
        biased => biased - 1023,
    }
}

/// One more than the number of digits that are enough: when many nines or zeros end the digits,
/// and those before them, rounded, read back as the same number.
fn shorter(number: f64, digits: &[u8], point: i32) -> Option<usize> {
    let tail = digits.get(13..16)?;
    let nines = tail.ends_with(b"99");
    let zeros = tail == b"000" || usize::try_from(point).is_ok_and(|point| point >= digits.len());
    if !nines && !zeros {
        return None;
    }
    let (from, digit) = if nines { (14, b'9') } else { (13, b'0') };
    let head = digits.get(..from)?;
    let length = head
        .iter()
        .rposition(|other| *other != digit)
        .map_or(0, |at| at + 1);
    let mut head = head.get(..length)?.to_vec();
    if nines && !increment(&mut head) {
        head.insert(0, b'1');
    }
    let exponent = point - i32::try_from(length).unwrap_or(0);
    let text = format!("{}e{exponent}", String::from_utf8(head).ok()?);
    (text.parse() == Ok(number)).then_some(length + 1)
}

/// Adds one in the last place; false if all digits were nines and are zeros now.
fn increment(digits: &mut [u8]) -> bool {
    for digit in digits.iter_mut().rev() {
        if *digit < b'9' {
            *digit += 1;
            return true;
        }
        *digit = b'0';
    }
    false
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
