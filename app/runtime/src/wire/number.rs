//! The peer's number format: shortest digits, exponents only for the very large and very small.

/// Appends a number; NaN and infinities, which JSON lacks, become null.
pub fn write(out: &mut Vec<u8>, number: f64) {
    out.extend_from_slice(text(number).as_bytes());
}

/// A number as JSON text.
pub fn text(number: f64) -> String {
    if !number.is_finite() {
        return "null".to_owned();
    }
    let size = number.abs();
    if size != 0.0 && !(1e-6..1e21).contains(&size) {
        // Rust writes 1e21 and 1e-7, the peer 1e+21 and 1e-7.
        let text = format!("{number:e}");
        return match text.split_once('e') {
            Some((digits, exponent)) if !exponent.starts_with('-') => {
                format!("{digits}e+{exponent}")
            }
            _ => text,
        };
    }
    if number == 0.0 && number.is_sign_negative() {
        return "-0".to_owned();
    }
    format!("{number}")
}

/// A number as plain decimal text without an exponent, as text fields take it.
pub fn decimal(number: f64) -> String {
    if number == 0.0 {
        "0".to_owned()
    } else {
        format!("{number}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers() {
        let cases = [
            (0.0, "0"),
            (-0.0, "-0"),
            (5.0, "5"),
            (-1.5, "-1.5"),
            (0.1, "0.1"),
            (1e20, "100000000000000000000"),
            (1e21, "1e+21"),
            (-1.5e300, "-1.5e+300"),
            (1e-6, "0.000001"),
            (1e-7, "1e-7"),
            (9007199254740993.0, "9007199254740992"),
            (f64::NAN, "null"),
        ];
        for (number, expected) in cases {
            assert_eq!(text(number), expected);
        }
        assert_eq!(decimal(1e21), "1000000000000000000000");
    }
}
