//! JSON strings.

/// Bytes that are looked at in one go.
const STRETCH: usize = 32;

/// Appends a JSON string. Most texts hold hardly anything that must be escaped, so they are copied
/// in stretches as long as possible.
pub fn write(out: &mut Vec<u8>, text: &str) {
    out.reserve(text.len() + 2);
    out.push(b'"');
    let mut rest = text.as_bytes();
    loop {
        let (plain, special) = rest.split_at(plain(rest));
        out.extend_from_slice(plain);
        let Some((byte, after)) = special.split_first() else {
            break;
        };
        escape(out, *byte);
        rest = after;
    }
    out.push(b'"');
}

/// How many bytes at the beginning can stay as they are. The last stretch, or word, begins among
/// those that were looked at before, since one look at many costs less than a look at each.
fn plain(bytes: &[u8]) -> usize {
    let Some(last) = bytes.last_chunk() else {
        return short(bytes);
    };
    let (stretches, rest) = bytes.as_chunks();
    for (number, stretch) in stretches.iter().enumerate() {
        if has_special(stretch) {
            return number * STRETCH + place(stretch);
        }
    }
    if rest.is_empty() || !has_special(last) {
        return bytes.len();
    }
    bytes.len() - rest.len() + place(rest)
}

/// The same for bytes that are too few for a stretch.
fn short(bytes: &[u8]) -> usize {
    let Some(last) = bytes.last_chunk() else {
        return place(bytes);
    };
    let (words, _) = bytes.as_chunks();
    if words.iter().chain([last]).all(|word| !is_special_in(*word)) {
        return bytes.len();
    }
    place(bytes)
}

/// Is there a special byte? Without an early end, so that the compiler compares many bytes by one
/// instruction.
fn has_special(stretch: &[u8; STRETCH]) -> bool {
    stretch
        .iter()
        .fold(false, |any, byte| any | is_special(*byte))
}

/// The same for eight bytes, by arithmetic on all of them: a byte that is less than what is taken
/// from it borrows, which its highest bit tells unless that was set before.
fn is_special_in(word: [u8; 8]) -> bool {
    const EACH: u64 = 0x0101_0101_0101_0101;
    let word = u64::from_le_bytes(word);
    let less = |word: u64, than: u64| word.wrapping_sub(EACH * than) & !word;
    let equal = |byte: u8| less(word ^ (EACH * u64::from(byte)), 1);
    (less(word, 0x20) | equal(b'"') | equal(b'\\')) & (EACH * 0x80) != 0
}

/// Where the first special byte is, or the end.
fn place(bytes: &[u8]) -> usize {
    let found = bytes.iter().position(|byte| is_special(*byte));
    found.unwrap_or(bytes.len())
}

fn is_special(byte: u8) -> bool {
    (byte < 0x20) | (byte == b'"') | (byte == b'\\')
}

fn escape(out: &mut Vec<u8>, byte: u8) {
    let short = match byte {
        b'"' => b'"',
        b'\\' => b'\\',
        b'\n' => b'n',
        b'\r' => b'r',
        b'\t' => b't',
        0x08 => b'b',
        0x0c => b'f',
        _ => {
            let digit = |half: u8| {
                if half < 10 {
                    b'0' + half
                } else {
                    b'a' + half - 10
                }
            };
            let digits = [digit(byte >> 4), digit(byte & 15)];
            out.extend_from_slice(b"\\u00");
            return out.extend_from_slice(&digits);
        }
    };
    out.extend_from_slice(&[b'\\', short]);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every byte that a text can hold, at every place of a stretch.
    #[test]
    fn texts_are_written_as_serde_does() {
        for character in (0..=0x7f_u8).map(char::from).chain(['ä', '\u{2028}', '😀']) {
            for before in 0..STRETCH + 2 {
                for after in [0, 1, STRETCH - 1, 2 * STRETCH] {
                    let (before, after) = ("x".repeat(before), "y".repeat(after));
                    let text = format!("{before}{character}{after}{character}");
                    let mut out = Vec::new();
                    write(&mut out, &text);
                    let expected = serde_json::to_string(&text).unwrap_or_default();
                    assert_eq!(String::from_utf8_lossy(&out), expected);
                }
            }
        }
    }
}
