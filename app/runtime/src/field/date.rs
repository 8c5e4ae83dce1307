//! The forms in which dates may be sent.

use time::macros::format_description;
use time::{Date, Month, OffsetDateTime, PrimitiveDateTime, Time, UtcOffset};

use crate::value::DateTime;

/// A date in stored form; `None` for what is none.
pub fn parse(text: &str) -> Option<String> {
    let time = numeric(text).or_else(|| named(text))?;
    let zero = PrimitiveDateTime::new(
        Date::from_calendar_date(1, Month::January, 1).ok()?,
        Time::MIDNIGHT,
    );
    if time == zero.assume_utc() {
        return None;
    }
    let stored = DateTime::from(time);
    (!stored.is_empty()).then(|| stored.as_str().to_owned())
}

/// `YYYY-MM-DD`, with a time after a space or `T`, with a zone after that.
fn numeric(text: &str) -> Option<OffsetDateTime> {
    let date = Date::parse(text.get(..10)?, format_description!("[year]-[month]-[day]")).ok()?;
    let rest = text.get(10..)?;
    if rest.is_empty() {
        return Some(PrimitiveDateTime::new(date, Time::MIDNIGHT).assume_utc());
    }
    let rest = rest.strip_prefix([' ', 'T'])?;
    let end = rest
        .find(|c: char| !(c.is_ascii_digit() || matches!(c, ':' | '.')))
        .unwrap_or(rest.len());
    let (clock, zone) = rest.split_at(end);
    Some(PrimitiveDateTime::new(date, self::clock(clock)?).assume_offset(offset(zone)?))
}

/// `HH:MM:SS` with any number of decimals.
fn clock(text: &str) -> Option<Time> {
    let (whole, decimals) = match text.split_once('.') {
        Some((whole, decimals)) => (whole, Some(decimals)),
        None => (text, None),
    };
    let mut parts = whole.split(':');
    let mut part = |digits: std::ops::RangeInclusive<usize>| {
        let part = parts.next()?;
        digits
            .contains(&part.len())
            .then(|| part.parse::<u8>().ok())
            .flatten()
    };
    let (hour, minute, second) = (part(1..=2)?, part(2..=2)?, part(2..=2)?);
    if parts.next().is_some() {
        return None;
    }
    let nanos = match decimals {
        None => 0,
        Some("") => return None,
        Some(digits) if digits.bytes().all(|digit| digit.is_ascii_digit()) => {
            let padded: String = digits.chars().chain("000000000".chars()).take(9).collect();
            padded.parse().ok()?
        }
        Some(_) => return None,
    };
    Time::from_hms_nano(hour, minute, second, nanos).ok()
}

/// Nothing, `Z`, `±hhmm` or `±hh:mm`; a space may come before, and a zone's name after.
fn offset(text: &str) -> Option<UtcOffset> {
    let text = text.strip_prefix(' ').unwrap_or(text);
    if text.is_empty() || text == "Z" {
        return Some(UtcOffset::UTC);
    }
    let (offset, name) = text.split_once(' ').unwrap_or((text, ""));
    if !name
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-'))
    {
        return None;
    }
    let sign = match offset.as_bytes().first()? {
        b'+' => 1,
        b'-' => -1,
        _ => return None,
    };
    let digits = offset.get(1..)?.replacen(':', "", 1);
    if digits.len() != 4 || !digits.bytes().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    let hours: i8 = digits.get(..2)?.parse().ok()?;
    let minutes: i8 = digits.get(2..)?.parse().ok()?;
    UtcOffset::from_hms(sign * hours, sign * minutes, 0).ok()
}

/// The forms with names of months: those of e-mail and HTTP, of C and Unix, and the bare date.
fn named(text: &str) -> Option<OffsetDateTime> {
    let bare = format_description!("[day] [month repr:short] [year]");
    if let Ok(date) = Date::parse(text, bare) {
        return Some(PrimitiveDateTime::new(date, Time::MIDNIGHT).assume_utc());
    }
    let mail = format_description!(
        "[weekday repr:short], [day] [month repr:short] [year] [hour]:[minute]:[second]"
    );
    if let Some((front, zone)) = text.rsplit_once(' ')
        && let Ok(time) = PrimitiveDateTime::parse(front, mail)
    {
        return Some(time.assume_offset(zone_of(zone)?));
    }
    year_last(text)
}

/// `Mon Jan  2 15:04:05 2006`, with a zone before the year or not.
fn year_last(text: &str) -> Option<OffsetDateTime> {
    let words: Vec<&str> = text.split_ascii_whitespace().collect();
    let (month, day, clock, zone, year) = match words.as_slice() {
        [_, month, day, clock, year] => (month, day, clock, "UTC", year),
        [_, month, day, clock, zone, year] => (month, day, clock, *zone, year),
        _ => return None,
    };
    let text = format!("{day:0>2} {month} {year}");
    let date = Date::parse(
        &text,
        format_description!("[day] [month repr:short] [year]"),
    )
    .ok()?;
    Some(PrimitiveDateTime::new(date, self::clock(clock)?).assume_offset(zone_of(zone)?))
}

/// An offset, or a zone's abbreviation, which says nothing more and counts as UTC.
fn zone_of(text: &str) -> Option<UtcOffset> {
    let abbreviation = matches!(text.len(), 3..=5) && text.bytes().all(|b| b.is_ascii_uppercase());
    if abbreviation {
        Some(UtcOffset::UTC)
    } else {
        offset(text)
    }
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn accepted() {
        for (text, expected) in [
            ("2024-01-02", "2024-01-02 00:00:00.000Z"),
            ("2024-01-02T03:04:05Z", "2024-01-02 03:04:05.000Z"),
            ("2024-01-02 03:04:05.1239", "2024-01-02 03:04:05.123Z"),
            ("2024-01-02 03:04:05+0200", "2024-01-02 01:04:05.000Z"),
            ("2024-01-02 03:04:05 +02:00", "2024-01-02 01:04:05.000Z"),
            ("2024-01-02 3:04:05", "2024-01-02 03:04:05.000Z"),
            ("2024-01-02 03:04:05 +0200 CEST", "2024-01-02 01:04:05.000Z"),
            ("Mon, 02 Jan 2006 15:04:05 MST", "2006-01-02 15:04:05.000Z"),
            (
                "Mon, 02 Jan 2006 15:04:05 -0700",
                "2006-01-02 22:04:05.000Z",
            ),
            ("Mon Jan  2 15:04:05 2006", "2006-01-02 15:04:05.000Z"),
            ("Mon Jan  2 15:04:05 MST 2006", "2006-01-02 15:04:05.000Z"),
            ("Mon Jan 02 15:04:05 -0700 2006", "2006-01-02 22:04:05.000Z"),
            ("02 Jan 2006", "2006-01-02 00:00:00.000Z"),
            ("9999-12-31 23:59:59.999Z", "9999-12-31 23:59:59.999Z"),
            ("0000-01-01", "0000-01-01 00:00:00.000Z"),
        ] {
            assert_eq!(parse(text).as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn refused() {
        for text in [
            "",
            "2024-01-02 03:04",
            "2024-1-2",
            "20240102",
            " 2024-01-02",
            "2024-02-30",
            "5",
            "2024-01-02t03:04:05z",
            "0001-01-01 00:00:00",
            "2024-01-02 25:00:00",
            "é024-01-02",
            "2024-01-02 03:04:05.",
            "2024-01-02 03:04:05 é",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
