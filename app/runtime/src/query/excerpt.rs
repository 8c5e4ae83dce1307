//! Plain text from HTML, cut to a length, for the `excerpt` modifier of the `fields` parameter.

/// Elements whose content is no text.
const DROPPED: &[&str] = &[
    "head", "style", "script", "iframe", "embed", "applet", "object", "svg", "img", "picture",
    "dialog", "template", "button", "form", "textarea", "input", "select", "option",
];
/// Elements that stand in the flow of the text; all others are set off by a space.
const INLINE: &[&str] = &[
    "a", "abbr", "acronym", "b", "bdo", "big", "br", "button", "cite", "code", "em", "i", "label",
    "q", "small", "span", "strong", "strike", "sub", "sup", "time",
];
/// Dropped elements that never have an end tag.
const VOID: &[&str] = &["embed", "img", "input"];
/// Dropped elements whose content ends at their own end tag only, whatever stands in it.
const RAW: &[&str] = &["iframe", "script", "style", "textarea"];

/// The first `max` code points of the text, trimmed; `...` tells of more, if wanted.
pub fn excerpt(html: &str, max: usize, ellipsis: bool) -> String {
    let text = plain_text(html);
    let text = text.trim();
    let Some((end, _)) = text.char_indices().nth(max) else {
        return text.to_owned();
    };
    let mut cut = text.get(..end).unwrap_or_default().trim().to_owned();
    if ellipsis {
        cut.push_str("...");
    }
    cut
}

/// The text of HTML: runs of white space as one space, without markup and dropped elements.
fn plain_text(html: &str) -> String {
    let mut text = Text::default();
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        let (before, tag) = rest.split_at(at);
        text.push(before);
        rest = match parse_tag(tag) {
            Tag::None => {
                text.push("<");
                tag.get(1..).unwrap_or_default()
            }
            Tag::Comment { rest } => rest,
            Tag::Close { name, rest } => {
                text.element(&name);
                rest
            }
            Tag::Open { name, rest } if DROPPED.contains(&name.as_str()) => skip(&name, rest),
            Tag::Open { name, rest } => {
                text.element(&name);
                rest
            }
        };
    }
    text.push(rest);
    text.out
}

#[derive(Default)]
struct Text {
    out: String,
}

impl Text {
    fn element(&mut self, name: &str) {
        if !INLINE.contains(&name) {
            self.space();
        }
    }

    fn space(&mut self) {
        if !self.out.is_empty() && !self.out.ends_with(' ') {
            self.out.push(' ');
        }
    }

    fn push(&mut self, markup: &str) {
        for character in unescape(markup).chars() {
            if character.is_whitespace() {
                self.space();
            } else {
                self.out.push(character);
            }
        }
    }
}

enum Tag<'a> {
    /// A plain `<`.
    None,
    Comment {
        rest: &'a str,
    },
    Open {
        name: String,
        rest: &'a str,
    },
    Close {
        name: String,
        rest: &'a str,
    },
}

/// Reads the markup at the start of `text`, which is a `<`.
fn parse_tag(text: &str) -> Tag<'_> {
    let after = text.get(1..).unwrap_or_default();
    if let Some(comment) = after.strip_prefix("!--") {
        let rest = comment.split_once("-->").map_or("", |(_, rest)| rest);
        return Tag::Comment { rest };
    }
    if after.starts_with(['!', '?']) {
        let rest = after.split_once('>').map_or("", |(_, rest)| rest);
        return Tag::Comment { rest };
    }
    let (close, name) = match after.strip_prefix('/') {
        Some(name) => (true, name),
        None => (false, after),
    };
    if !name.starts_with(|first: char| first.is_ascii_alphabetic()) {
        return Tag::None;
    }
    let ends = |character: char| character.is_whitespace() || matches!(character, '>' | '/');
    let (name, attributes) = name.split_at(name.find(ends).unwrap_or(name.len()));
    let rest = after_attributes(attributes);
    let name = name.to_ascii_lowercase();
    if close {
        Tag::Close { name, rest }
    } else {
        Tag::Open { name, rest }
    }
}

/// What follows the `>` that ends a tag; one inside quotes doesn't.
fn after_attributes(text: &str) -> &str {
    let mut quote = None;
    for (at, character) in text.char_indices() {
        match (quote, character) {
            (None, '>') => return text.get(at + 1..).unwrap_or_default(),
            (None, '"' | '\'') => quote = Some(character),
            (Some(open), character) if open == character => quote = None,
            _ => {}
        }
    }
    ""
}

/// What follows a dropped element.
fn skip<'a>(name: &str, text: &'a str) -> &'a str {
    if VOID.contains(&name) {
        return text;
    }
    if RAW.contains(&name) {
        return after_end_tag(name, text);
    }
    let (mut depth, mut rest) = (1_usize, text);
    while let Some(at) = rest.find('<') {
        let tag = rest.get(at..).unwrap_or_default();
        rest = match parse_tag(tag) {
            Tag::Close { name: closed, rest } => {
                if closed == name {
                    depth -= 1;
                    if depth == 0 {
                        return rest;
                    }
                }
                rest
            }
            Tag::Open { name: opened, rest } => {
                depth += usize::from(opened == name);
                rest
            }
            Tag::Comment { rest } => rest,
            Tag::None => tag.get(1..).unwrap_or_default(),
        };
    }
    ""
}

/// What follows the end tag of an element, whatever stands before it; nothing if there is none.
fn after_end_tag<'a>(name: &str, text: &'a str) -> &'a str {
    let mut rest = text;
    while let Some((_, tag)) = rest.split_once("</") {
        let (found, after) = tag.split_at_checked(name.len()).unwrap_or_default();
        if found.eq_ignore_ascii_case(name)
            && after.starts_with(|next: char| next.is_whitespace() || matches!(next, '>' | '/'))
        {
            return after_attributes(after);
        }
        rest = tag;
    }
    ""
}

/// The characters that references such as `&amp;` and `&#65;` stand for.
fn unescape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        let (before, reference) = rest.split_at(at);
        out.push_str(before);
        let body = reference.get(1..).unwrap_or_default();
        let end = body.find(|c: char| !(c.is_ascii_alphanumeric() || c == '#'));
        let (name, after) = body.split_at(end.unwrap_or(body.len()));
        match character(name) {
            Some(character) => {
                out.push(character);
                rest = after.strip_prefix(';').unwrap_or(after);
            }
            None => {
                out.push('&');
                rest = body;
            }
        }
    }
    out.push_str(rest);
    out
}

fn character(name: &str) -> Option<char> {
    if let Some(number) = name.strip_prefix('#') {
        let code = match number.strip_prefix(['x', 'X']) {
            Some(hex) => u32::from_str_radix(hex, 16).ok()?,
            None => number.parse().ok()?,
        };
        return char::from_u32(code);
    }
    let named = [
        ("amp", '&'),
        ("lt", '<'),
        ("gt", '>'),
        ("quot", '"'),
        ("apos", '\''),
        ("nbsp", '\u{a0}'),
        ("copy", '©'),
        ("reg", '®'),
        ("trade", '™'),
        ("hellip", '…'),
        ("ndash", '–'),
        ("mdash", '—'),
        ("lsquo", '‘'),
        ("rsquo", '’'),
        ("ldquo", '“'),
        ("rdquo", '”'),
        ("laquo", '«'),
        ("raquo", '»'),
        ("bull", '•'),
        ("middot", '·'),
        ("sect", '§'),
        ("deg", '°'),
        ("plusmn", '±'),
        ("times", '×'),
        ("divide", '÷'),
        ("euro", '€'),
        ("pound", '£'),
        ("yen", '¥'),
        ("cent", '¢'),
        ("auml", 'ä'),
        ("ouml", 'ö'),
        ("uuml", 'ü'),
        ("Auml", 'Ä'),
        ("Ouml", 'Ö'),
        ("Uuml", 'Ü'),
        ("szlig", 'ß'),
        ("eacute", 'é'),
        ("egrave", 'è'),
        ("agrave", 'à'),
        ("ccedil", 'ç'),
        ("ntilde", 'ñ'),
    ];
    named
        .iter()
        .find(|(known, _)| *known == name)
        .map(|(_, character)| *character)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts() {
        let cases = [
            ("<p>a</p><p>b</p>", "a b"),
            ("a<br>b", "ab"),
            ("a <script>x</script>b", "a b"),
            ("a&amp;b &lt;", "a&b <"),
            ("<div>x<span>y</span> z</div>", "xy z"),
            ("<ul><li>1</li><li>2</li></ul>", "1 2"),
            ("a<!--c-->b", "ab"),
            ("<h1>T</h1>text<img alt=x>", "T text"),
            ("a  \n b", "a b"),
            ("<a href='>'>l</a>t<button>no</button>", "lt"),
            ("a<", "a<"),
            ("x<y>z", "x z"),
            ("a</p>b", "a b"),
            ("x &nope; &#65; &copy y", "x &nope; A © y"),
            ("<textarea><p></textarea>r <hr> s", "r s"),
            ("<select><select></select>a</select>b", "b"),
            ("<script>", ""),
        ];
        for (html, expected) in cases {
            assert_eq!(excerpt(html, 100, true), expected, "{html}");
        }
    }

    #[test]
    fn raw_elements_end_at_their_own_end_tag() {
        for (html, expected) in [
            ("<script>if (a < b) '</p>' </SCRIPT >x", "x"),
            ("<style></styles></style/>x", "x"),
            ("<script><!-- </script>x", "x"),
            ("<script></é</script>x", "x"),
            ("<textarea></textarea", ""),
        ] {
            assert_eq!(excerpt(html, 100, true), expected, "{html}");
        }
    }

    #[test]
    fn unclosed_markup_is_read_once() {
        let start = std::time::Instant::now();
        for (open, again) in [
            ("<script>", "<a "),
            ("<script>", "</a "),
            ("<script>", "</script"),
            ("<form>", "<a "),
            ("<form>", "</form "),
            ("", "<a '"),
            ("", "<!--"),
            ("", "&a"),
        ] {
            let html = format!("{open}{}", again.repeat(1_000_000 / again.len()));
            assert!(excerpt(&html, 5, false).len() <= 5, "{open}{again}");
        }
        // Were the rest read for each tag, this would take hours.
        assert!(start.elapsed() < std::time::Duration::from_secs(60));
    }

    #[test]
    fn cuts_at_code_points_and_trims() {
        assert_eq!(excerpt("ééééé", 3, true), "ééé...");
        assert_eq!(excerpt("ab cd", 3, false), "ab");
        assert_eq!(excerpt("ab", 2, true), "ab");
    }
}
