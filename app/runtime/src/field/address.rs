//! What counts as an e-mail address and as a URL.

/// Is this an e-mail address: a dotted name before the `@`, a domain with a dot after it?
pub fn is_email(text: &str) -> bool {
    let Some((local, domain)) = text.rsplit_once('@') else {
        return false;
    };
    let allowed =
        |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-/=?^_`{|}~.".contains(c) || c >= '\u{a0}';
    !local.is_empty()
        && local.chars().all(allowed)
        && local.split('.').all(|part| !part.is_empty())
        && domain.contains('.')
        && is_domain(domain)
}

/// The part after the last `@`.
pub fn email_domain(text: &str) -> &str {
    text.rsplit_once('@').map_or("", |(_, domain)| domain)
}

/// Labels of letters, digits and inner hyphens, of which the last begins with a letter.
fn is_domain(text: &str) -> bool {
    let inside = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_' || c >= '\u{a0}';
    let is_label = |label: &str| {
        !label.is_empty()
            && label.len() <= 63
            && label.chars().all(inside)
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    let last = text.rsplit('.').next().unwrap_or_default();
    text.split('.').all(is_label)
        && last.starts_with(|c: char| c.is_ascii_alphabetic() || c >= '\u{a0}')
}

const SCHEMES: [&str; 7] = [
    "http://", "https://", "ftp://", "tcp://", "udp://", "ws://", "wss://",
];

/// Is this a URL, with a scheme or, if it has a dot, without one?
pub fn is_url(text: &str) -> bool {
    if !(3..2083).contains(&text.len()) || text.chars().any(|c| c.is_whitespace() || c.is_control())
    {
        return false;
    }
    let stripped = SCHEMES.iter().find_map(|scheme| text.strip_prefix(scheme));
    let rest = stripped.unwrap_or(text);
    let host = authority(rest);
    let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
    let (name, port) = split_port(host);
    if port.is_some_and(|port| port.parse::<u16>().is_err()) {
        return false;
    }
    let dotted = name.contains('.');
    (stripped.is_some() || dotted) && (is_ip(name) || is_domain(name))
}

/// The host with its port; "" for a URL without a scheme.
pub fn url_host(text: &str) -> &str {
    let Some((_, rest)) = text.split_once("://") else {
        return "";
    };
    let host = authority(rest);
    host.rsplit_once('@').map_or(host, |(_, host)| host)
}

fn authority(text: &str) -> &str {
    text.split(['/', '?', '#']).next().unwrap_or_default()
}

fn split_port(host: &str) -> (&str, Option<&str>) {
    match host.rsplit_once(':') {
        Some((name, port)) if !port.ends_with(']') => (name, Some(port)),
        _ => (host, None),
    }
}

fn is_ip(host: &str) -> bool {
    let v6 = host
        .strip_prefix('[')
        .and_then(|host| host.strip_suffix(']'));
    host.parse::<std::net::Ipv4Addr>().is_ok()
        || v6.is_some_and(|host| host.parse::<std::net::Ipv6Addr>().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn emails() {
        for good in ["a@b.co", "A.b+c@x-y.example.com", "é@b.co", "a@b.c.de"] {
            assert!(is_email(good), "{good}");
        }
        assert!(is_email(&format!("{}@b.co", "x".repeat(300))), "long");
        for bad in [
            "",
            "a",
            "a@localhost",
            "\"a\"@b.co",
            "a b@c.de",
            " a@b.co",
            "a..b@c.de",
            "@b.co",
            "a@b..co",
            "a@b.co.",
        ] {
            assert!(!is_email(bad), "{bad}");
        }
    }

    #[test]
    fn urls() {
        for good in [
            "http://a.co",
            "https://a.co:80/x?y#z",
            "ftp://a.co",
            "http://localhost",
            "http://a",
            "http://127.0.0.1:8090",
            "http://[::1]/",
            "a.co",
            "mailto:a@b.co",
            "http://u:p@a.co",
        ] {
            assert!(is_url(good), "{good}");
        }
        for bad in [
            "//a.co",
            "/rel",
            "abc",
            "localhost",
            "HTTP://a.co",
            "http://a b",
            "javascript:alert(1)",
            "http://",
            "http://a.co:x",
            "",
        ] {
            assert!(!is_url(bad), "{bad}");
        }
        assert_eq!(url_host("https://u@a.co:80/x"), "a.co:80");
        assert_eq!(url_host("a.co"), "");
    }
}
