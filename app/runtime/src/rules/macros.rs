//! `@now` and its kin: all of one request speak of one instant, in UTC.

use basalt_lang::plan::Macro;
use time::{Duration, OffsetDateTime, UtcOffset};

use super::Given;

/// What a macro stands for at this instant.
pub(crate) fn value(name: Macro, now: OffsetDateTime) -> Given {
    let now = now.to_offset(UtcOffset::UTC);
    let year = now.year();
    let month = u8::from(now.month());
    let last = now.month().length(year);
    let start = |month, day| Given::text(stamp(year, month, day, (0, 0, 0, 0)));
    let end = |month, day| Given::text(stamp(year, month, day, (23, 59, 59, 999)));
    match name {
        Macro::Now => instant(now),
        Macro::Yesterday => instant(now.checked_sub(Duration::DAY).unwrap_or(now)),
        Macro::Tomorrow => instant(now.checked_add(Duration::DAY).unwrap_or(now)),
        Macro::TodayStart => start(month, now.day()),
        Macro::TodayEnd => end(month, now.day()),
        Macro::MonthStart => start(month, 1),
        Macro::MonthEnd => end(month, last),
        Macro::YearStart => start(1, 1),
        Macro::YearEnd => end(12, 31),
        Macro::Second => Given::integer(now.second().into()),
        Macro::Minute => Given::integer(now.minute().into()),
        Macro::Hour => Given::integer(now.hour().into()),
        Macro::Day => Given::integer(now.day().into()),
        Macro::Month => Given::integer(month.into()),
        Macro::Weekday => Given::integer(now.weekday().number_days_from_sunday().into()),
        Macro::Year => Given::integer(year.into()),
    }
}

fn instant(at: OffsetDateTime) -> Given {
    let clock = (at.hour(), at.minute(), at.second(), at.millisecond());
    Given::text(stamp(at.year(), u8::from(at.month()), at.day(), clock))
}

/// The stored form of dates.
fn stamp(year: i32, month: u8, day: u8, clock: (u8, u8, u8, u16)) -> String {
    let (hour, minute, second, milli) = clock;
    format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}.{milli:03}Z")
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(name: Macro, expected: impl Into<Given>) {
        // Thursday, 29 February 2024, 23:05:07.089 UTC, given with an offset.
        let now = OffsetDateTime::from_unix_timestamp(1_709_247_907).unwrap()
            + Duration::milliseconds(89);
        let now = now.to_offset(UtcOffset::from_hms(5, 30, 0).unwrap());
        assert_eq!(value(name, now), expected.into(), "{name:?}");
    }

    #[test]
    fn texts() {
        check(Macro::Now, "2024-02-29 23:05:07.089Z");
        check(Macro::Yesterday, "2024-02-28 23:05:07.089Z");
        check(Macro::Tomorrow, "2024-03-01 23:05:07.089Z");
        check(Macro::TodayStart, "2024-02-29 00:00:00.000Z");
        check(Macro::TodayEnd, "2024-02-29 23:59:59.999Z");
        check(Macro::MonthStart, "2024-02-01 00:00:00.000Z");
        check(Macro::MonthEnd, "2024-02-29 23:59:59.999Z");
        check(Macro::YearStart, "2024-01-01 00:00:00.000Z");
        check(Macro::YearEnd, "2024-12-31 23:59:59.999Z");
    }

    #[test]
    fn integers() {
        for (name, expected) in [
            (Macro::Second, 7),
            (Macro::Minute, 5),
            (Macro::Hour, 23),
            (Macro::Day, 29),
            (Macro::Month, 2),
            (Macro::Weekday, 4),
            (Macro::Year, 2024),
        ] {
            check(name, Given::integer(expected));
        }
    }
}
