//! Dates of schema files in the form that the database holds.

use toml::value::Datetime;

/// `YYYY-MM-DD HH:MM:SS.mmmZ`, from a date or a date with a time in UTC.
pub(super) fn stored(text: &str) -> Option<String> {
    let datetime: Datetime = text.trim().parse().ok()?;
    let date = datetime.date?;
    let utc = match datetime.offset {
        None => true,
        Some(toml::value::Offset::Z) => true,
        Some(toml::value::Offset::Custom { minutes }) => minutes == 0,
    };
    if !utc || date.day > days(date.year, date.month) {
        return None;
    }
    let (hour, minute, second, nanos) = datetime.time.map_or((0, 0, 0, 0), |time| {
        let second = time.second.unwrap_or(0);
        (time.hour, time.minute, second, time.nanosecond.unwrap_or(0))
    });
    Some(format!(
        "{:04}-{:02}-{:02} {hour:02}:{minute:02}:{second:02}.{:03}Z",
        date.year,
        date.month,
        date.day,
        nanos / 1_000_000
    ))
}

fn days(year: u16, month: u8) -> u8 {
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

#[cfg(test)]
mod tests {
    use super::stored;

    #[test]
    fn takes_dates_in_utc() {
        let cases = [
            ("2024-01-31", Some("2024-01-31 00:00:00.000Z")),
            ("2024-01-31 12:30:01Z", Some("2024-01-31 12:30:01.000Z")),
            ("2024-01-31T12:30:01.5Z", Some("2024-01-31 12:30:01.500Z")),
            (
                "2024-01-31T12:30:01+00:00",
                Some("2024-01-31 12:30:01.000Z"),
            ),
            ("2024-01-31T12:30:01+02:00", None),
            ("2023-02-29", None),
            ("12:30:01", None),
            ("soon", None),
        ];
        for (text, expected) in cases {
            assert_eq!(stored(text).as_deref(), expected, "{text}");
        }
    }
}
