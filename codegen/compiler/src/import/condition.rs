//! The condition of a partial index, from SQL to the rule language. Only what means the same in both
//! is taken.

use super::sql::Token;

/// A field: its name and its type.
pub(super) type Field<'f> = (&'f str, &'f str);

/// Deeper nesting than this is refused.
const DEEPEST: usize = 50;

/// A condition in the rule language; nothing if it always holds.
type Said = Result<Option<String>, String>;

/// Reads what stands behind `WHERE`.
pub(super) fn read(tokens: &[Token], fields: &[Field<'_>]) -> Said {
    let mut parser = Parser {
        rest: tokens,
        fields,
    };
    let said = parser.any(0)?;
    match parser.rest.first() {
        None => Ok(said),
        Some(_) => Err(unsaid()),
    }
}

fn unsaid() -> String {
    "its condition is more than comparisons of fields with literals".to_owned()
}

struct Parser<'t> {
    rest: &'t [Token],
    fields: &'t [Field<'t>],
}

enum Operand<'f> {
    Field(Field<'f>),
    /// As a rule says it.
    Literal(String),
}

impl<'t> Parser<'t> {
    fn next(&mut self) -> Option<&'t Token> {
        let (first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(first)
    }

    fn skip(&mut self, wanted: impl Fn(&Token) -> bool) -> bool {
        let found = self.rest.first().is_some_and(wanted);
        if found {
            self.next();
        }
        found
    }

    fn any(&mut self, depth: usize) -> Said {
        let mut parts = vec![self.all(depth)?];
        while self.skip(|token| token.is("OR")) {
            parts.push(self.all(depth)?);
        }
        let parts: Option<Vec<String>> = parts.into_iter().collect();
        Ok(parts.map(|parts| parts.join(" || ")))
    }

    fn all(&mut self, depth: usize) -> Said {
        let mut parts = vec![self.one(depth)?];
        while self.skip(|token| token.is("AND")) {
            parts.push(self.one(depth)?);
        }
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        Ok((!parts.is_empty()).then(|| parts.join(" && ")))
    }

    fn one(&mut self, depth: usize) -> Said {
        if depth > DEEPEST {
            return Err(unsaid());
        }
        if self.skip(|token| token.sign("(")) {
            let inner = self.any(depth + 1)?;
            if !self.skip(|token| token.sign(")")) {
                return Err(unsaid());
            }
            return Ok(inner.map(|inner| format!("({inner})")));
        }
        let left = self.operand()?;
        match (&left, self.rest.first()) {
            (Operand::Field(field), Some(token)) if token.is("IS") => {
                self.next();
                self.null(*field)
            }
            (Operand::Field(field), Some(token)) if token.is("IN") => {
                self.next();
                self.within(*field).map(Some)
            }
            (_, Some(token)) if operator(token).is_some() => {
                let operator = operator(token).unwrap_or_default();
                self.next();
                let right = self.operand()?;
                Ok(Some(compare(&left, operator, &right)))
            }
            (Operand::Field(field), _) if field.1 == "bool" => {
                Ok(Some(format!("{} = true", field.0)))
            }
            _ => Err(unsaid()),
        }
    }

    /// All columns but those of json fields are never null.
    fn null(&mut self, (name, kind): Field<'_>) -> Said {
        let not = self.skip(|token| token.is("NOT"));
        if !self.skip(|token| token.is("NULL")) {
            return Err(unsaid());
        }
        match (kind == "json", not) {
            (true, true) => Ok(Some(format!("{name} != null"))),
            (true, false) => Ok(Some(format!("{name} = null"))),
            (false, true) => Ok(None),
            (false, false) => Err("its condition never holds: the field is never null".to_owned()),
        }
    }

    fn within(&mut self, field: Field<'_>) -> Result<String, String> {
        if !self.skip(|token| token.sign("(")) {
            return Err(unsaid());
        }
        let left = Operand::Field(field);
        let mut parts = Vec::new();
        loop {
            match self.operand()? {
                Operand::Field(_) => return Err(unsaid()),
                literal => parts.push(compare(&left, "=", &literal)),
            }
            if self.skip(|token| token.sign(")")) {
                return Ok(format!("({})", parts.join(" || ")));
            }
            if !self.skip(|token| token.sign(",")) {
                return Err(unsaid());
            }
        }
    }

    fn operand(&mut self) -> Result<Operand<'t>, String> {
        let negative = self.skip(|token| token.sign("-"));
        let token = self.next().ok_or_else(unsaid)?;
        if let Token::Number(number) = token {
            let good = number.parse::<f64>().is_ok_and(f64::is_finite);
            let sign = if negative { "-" } else { "" };
            return match good {
                true => Ok(Operand::Literal(format!("{sign}{number}"))),
                false => Err(unsaid()),
            };
        }
        if negative {
            return Err(unsaid());
        }
        let field = token.name().and_then(|name| {
            let mut fields = self.fields.iter();
            fields.find(|field| field.0.eq_ignore_ascii_case(name))
        });
        match (token, field) {
            (Token::Text(text), _) | (Token::Double(text), None) => {
                Ok(Operand::Literal(literal(text)))
            }
            (_, Some(field)) => Ok(Operand::Field(*field)),
            (Token::Word(word), None) if ["true", "false"].contains(&lower(word).as_str()) => {
                Ok(Operand::Literal(lower(word)))
            }
            _ => Err(unsaid()),
        }
    }
}

fn lower(word: &str) -> String {
    word.to_ascii_lowercase()
}

fn operator(token: &Token) -> Option<&'static str> {
    let Token::Sign(sign) = token else {
        return None;
    };
    Some(match sign.as_str() {
        "=" | "==" => "=",
        "!=" | "<>" => "!=",
        "<" => "<",
        "<=" => "<=",
        ">" => ">",
        ">=" => ">=",
        _ => return None,
    })
}

fn compare(left: &Operand<'_>, operator: &str, right: &Operand<'_>) -> String {
    let with_bool = |one: &Operand<'_>| matches!(one, Operand::Field(f) if f.1 == "bool");
    let is_bool = with_bool(left) || with_bool(right);
    let shown = |one: &Operand<'_>| match one {
        Operand::Field(field) => field.0.to_owned(),
        Operand::Literal(text) if is_bool && text == "1" => "true".to_owned(),
        Operand::Literal(text) if is_bool && text == "0" => "false".to_owned(),
        Operand::Literal(text) => text.clone(),
    };
    format!("{} {operator} {}", shown(left), shown(right))
}

/// A text as a rule quotes it.
fn literal(text: &str) -> String {
    let escaped = text.replace('\\', "\\\\").replace('\'', "\\'");
    format!("'{escaped}'")
}
