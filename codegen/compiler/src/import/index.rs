//! The text of a `CREATE INDEX` as an index of a schema file.

use super::condition;
use super::condition::Field;
use super::sql::{Token, tokens};

/// An index that a schema file can say.
#[derive(Debug, PartialEq)]
pub(super) struct Index {
    pub name: String,
    pub unique: bool,
    pub columns: Vec<String>,
    pub nocase: bool,
    /// In the rule language.
    pub filter: Option<String>,
    /// Some columns descend and others don't, which a schema file can't say.
    pub mixed_order: bool,
}

/// An index that a schema file can't say.
#[derive(Debug, PartialEq)]
pub(super) struct Refused {
    pub unique: bool,
    pub reason: String,
}

struct Parser<'t> {
    tokens: &'t [Token],
    unique: bool,
}

/// Reads the text of an index of a collection with these fields.
pub(super) fn read(sql: &str, fields: &[Field<'_>]) -> Result<Index, Refused> {
    let all = tokens(sql.trim().trim_end_matches(';')).map_err(|reason| Refused {
        // What can't be read may be anything.
        unique: true,
        reason: format!("it has {reason}"),
    })?;
    let mut parser = Parser {
        tokens: &all,
        unique: false,
    };
    parser.index(fields).map_err(|reason| Refused {
        unique: parser.unique,
        reason,
    })
}

impl Parser<'_> {
    fn next(&mut self) -> Option<&Token> {
        let (first, rest) = self.tokens.split_first()?;
        self.tokens = rest;
        Some(first)
    }

    fn skip(&mut self, keyword: &str) -> bool {
        let found = self.tokens.first().is_some_and(|token| token.is(keyword));
        if found {
            self.next();
        }
        found
    }

    fn expect(&mut self, keyword: &str) -> Result<(), String> {
        if self.skip(keyword) {
            return Ok(());
        }
        Err(format!("it is no `CREATE INDEX`: `{keyword}` is missing"))
    }

    fn name(&mut self, what: &str) -> Result<String, String> {
        let name = self.next().and_then(Token::name).map(str::to_owned);
        name.ok_or_else(|| format!("it is no `CREATE INDEX`: {what} is missing"))
    }

    fn index(&mut self, fields: &[Field<'_>]) -> Result<Index, String> {
        self.expect("CREATE")?;
        self.unique = self.skip("UNIQUE");
        self.expect("INDEX")?;
        if self.skip("IF") {
            self.expect("NOT")?;
            self.expect("EXISTS")?;
        }
        let mut name = self.name("its name")?;
        if self.tokens.first().is_some_and(|token| token.sign(".")) {
            self.next();
            name = self.name("its name")?;
        }
        self.expect("ON")?;
        // The collection's, whatever it says.
        self.name("the table")?;
        let columns = self.columns(fields)?;
        let filter = match self.tokens.first() {
            None => None,
            Some(token) if token.is("WHERE") => {
                self.next();
                condition::read(self.tokens, fields)?
            }
            Some(_) => return Err("there is more behind its columns than a `WHERE`".to_owned()),
        };
        let nocase = columns.iter().filter(|column| column.nocase).count();
        if nocase != 0 && nocase != columns.len() {
            return Err("only some of its columns are `COLLATE NOCASE`".to_owned());
        }
        let descending = columns.iter().filter(|column| column.descends).count();
        Ok(Index {
            name,
            unique: self.unique,
            nocase: nocase != 0,
            filter,
            mixed_order: descending != 0 && descending != columns.len(),
            columns: columns.into_iter().map(|column| column.name).collect(),
        })
    }

    fn columns(&mut self, fields: &[Field<'_>]) -> Result<Vec<Column>, String> {
        let missing = "it is no `CREATE INDEX`: the columns are missing";
        if !self.next().is_some_and(|token| token.sign("(")) {
            return Err(missing.to_owned());
        }
        let mut columns = Vec::new();
        loop {
            columns.push(self.column(fields)?);
            match self.next() {
                Some(token) if token.sign(",") => {}
                Some(token) if token.sign(")") => return Ok(columns),
                Some(_) => return Err("it is about an expression, not only fields".to_owned()),
                None => return Err("it is no `CREATE INDEX`: a `)` is missing".to_owned()),
            }
        }
    }

    fn column(&mut self, fields: &[Field<'_>]) -> Result<Column, String> {
        let expression = || "it is about an expression, not only fields".to_owned();
        let Some(token) = self.next() else {
            return Err("it is no `CREATE INDEX`: a `)` is missing".to_owned());
        };
        let given = token.name().ok_or_else(expression)?.to_owned();
        if self.tokens.first().is_some_and(|token| token.sign("(")) {
            return Err(expression());
        }
        let same = |field: &&Field<'_>| field.0.eq_ignore_ascii_case(&given);
        let Some(field) = fields.iter().find(same) else {
            return Err(format!("there is no field `{given}`"));
        };
        let mut column = Column {
            name: field.0.to_owned(),
            nocase: false,
            descends: false,
        };
        if self.skip("COLLATE") {
            let collation = self.name("the collation")?;
            match collation.to_ascii_uppercase().as_str() {
                "BINARY" => {}
                "NOCASE" => column.nocase = true,
                _ => return Err(format!("there is no collation `{collation}`")),
            }
        }
        if !self.skip("ASC") {
            column.descends = self.skip("DESC");
        }
        Ok(column)
    }
}

struct Column {
    name: String,
    nocase: bool,
    descends: bool,
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const FIELDS: &[Field<'static>] = &[
        ("id", "text"),
        ("Title", "text"),
        ("count", "number"),
        ("active", "bool"),
        ("data", "json"),
        ("group", "text"),
    ];

    fn read_one(sql: &str) -> Result<Index, Refused> {
        read(sql, FIELDS)
    }

    #[test]
    fn names_and_columns_are_read_however_they_are_quoted() {
        let texts = [
            "CREATE UNIQUE INDEX `my_idx` ON `t` (`Title`, `count`)",
            "create unique index if not exists main.\"my_idx\" on t(title,[COUNT] ASC);",
            "CREATE UNIQUE INDEX my_idx /* a */ ON t -- b\n(\n  \"Title\" COLLATE BINARY,\n  count\n)",
        ];
        for text in texts {
            let index = read_one(text).unwrap();
            assert_eq!(index.name, "my_idx", "{text}");
            assert_eq!(index.columns, ["Title", "count"], "{text}");
            assert!(
                index.unique && !index.nocase && !index.mixed_order,
                "{text}"
            );
        }
    }

    #[test]
    fn collations_and_orders_are_those_of_the_whole_index() {
        let index = read_one("CREATE INDEX i ON t (Title COLLATE nocase DESC)").unwrap();
        assert!(index.nocase && !index.mixed_order);
        let index = read_one("CREATE INDEX i ON t (Title DESC, count)").unwrap();
        assert!(index.mixed_order);
        let reason = read_one("CREATE INDEX i ON t (Title COLLATE NOCASE, `group`)").unwrap_err();
        assert_eq!(
            reason.reason,
            "only some of its columns are `COLLATE NOCASE`"
        );
        let reason = read_one("CREATE UNIQUE INDEX i ON t (Title COLLATE rtrim)").unwrap_err();
        assert!(reason.unique && reason.reason.contains("`rtrim`"));
    }

    #[test]
    fn conditions_become_rules() {
        let cases = [
            ("Title != ''", Some("Title != ''")),
            (
                "title <> \"\" AND 3 < count",
                Some("Title != '' && 3 < count"),
            ),
            (
                "(active = 1 OR active = FALSE)",
                Some("(active = true || active = false)"),
            ),
            (
                "Title IN ('it''s', 'b\\')",
                Some("(Title = 'it\\'s' || Title = 'b\\\\')"),
            ),
            ("Title IS NOT NULL", None),
            (
                "active AND count >= -1.5",
                Some("active = true && count >= -1.5"),
            ),
            ("data IS NULL", Some("data = null")),
        ];
        for (sql, rule) in cases {
            let text = format!("CREATE INDEX i ON t (count) WHERE {sql}");
            let index = read_one(&text).unwrap();
            assert_eq!(index.filter.as_deref(), rule, "{sql}");
        }
    }

    #[test]
    fn what_cannot_be_said_is_refused_with_its_reason() {
        let cases = [
            ("CREATE INDEX i ON t (lower(Title))", "an expression"),
            ("CREATE INDEX i ON t (Title || 'a')", "an expression"),
            ("CREATE INDEX i ON t (1)", "an expression"),
            (
                "CREATE INDEX i ON t (nothing)",
                "there is no field `nothing`",
            ),
            ("CREATE INDEX i ON t", "columns are missing"),
            ("CREATE INDEX i ON t (Title", "a `)` is missing"),
            ("CREATE INDEX i ON t (", "a `)` is missing"),
            ("CREATE TABLE t (a)", "`INDEX` is missing"),
            ("", "`CREATE` is missing"),
            ("CREATE INDEX `i ON t (Title)", "without its partner"),
            (
                "CREATE INDEX i ON t (Title) WITH x",
                "more behind its columns",
            ),
            ("CREATE INDEX i ON t (Title) WHERE", "its condition"),
            (
                "CREATE INDEX i ON t (Title) WHERE lower(Title) = 'a'",
                "its condition",
            ),
            (
                "CREATE INDEX i ON t (Title) WHERE Title IS NULL",
                "its condition",
            ),
            (
                "CREATE INDEX i ON t (Title) WHERE Title = NULL",
                "its condition",
            ),
            (
                "CREATE INDEX i ON t (Title) WHERE Title LIKE 'a%'",
                "its condition",
            ),
            (
                "CREATE INDEX i ON t (Title) WHERE NOT active",
                "its condition",
            ),
            (
                "CREATE INDEX i ON t (Title) WHERE Title = 'a' )",
                "its condition",
            ),
        ];
        for (sql, reason) in cases {
            let refused = read_one(sql).unwrap_err();
            assert!(refused.reason.contains(reason), "{sql}: {}", refused.reason);
        }
        let deep = format!("CREATE INDEX i ON t (Title) WHERE {}", "(".repeat(100_000));
        assert!(read_one(&deep).is_err());
    }
}
