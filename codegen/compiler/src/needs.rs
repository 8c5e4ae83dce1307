//! Which indexes the conditions of rules call for. `docs/indexes.md` gives the measurements that
//! these decisions rest on.

mod joined;

use basalt_lang::plan::{Column, Op, Truth, Value};

use crate::ir::{self, CollectionId, FieldId, FieldKind, Plan};

/// What the reason of an index begins with that was made for rules.
pub const FOR_RULES: &str = "for ";

/// A column by which a condition looks rows up, and what becomes of that.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Need {
    /// Whose column.
    pub collection: CollectionId,
    /// The column.
    pub field: FieldId,
    /// Is an index made for it?
    pub verdict: Verdict,
}

/// What becomes of a column that conditions look at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// It gets an index.
    Wanted,
    /// A bool or a select: so many rows share each value that an index would lead astray from
    /// better ones.
    FewValues,
    /// A value of the rule's text: all callers look the same rows up, and so most likely many, as
    /// with a select. An index would lead filters of clients astray.
    FixedValue,
    /// A comparison by order, `<` and the like.
    Range,
    /// A comparison with a column of another row, which is made so that NULL and the empty text
    /// are the same: not as the index orders them.
    OtherColumn,
}

impl Verdict {
    /// Why no index is made, as the end of a sentence; empty for [`Verdict::Wanted`].
    pub fn reason(self) -> &'static str {
        match self {
            Verdict::Wanted => "",
            Verdict::FewValues => "many rows share each of its few values",
            Verdict::FixedValue => {
                "the value is the same for every caller, so many rows may have it"
            }
            Verdict::OtherColumn => "it is compared with another column, for each pair of records",
            Verdict::Range => "it is compared by order, and an index would slow down other filters",
        }
    }
}

/// How the server uses a condition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Use {
    /// It says which records there are: a list rule, a client's filter.
    Finds,
    /// It is asked of records that were found otherwise, in one statement with them: a view rule,
    /// and who may read a field that a filter looks at.
    Narrows,
    /// It is asked of one record at a time: the other rules.
    Judges,
}

impl Use {
    /// The use of the rule with this name: `list`, `title.read` ….
    pub fn of_rule(name: &str) -> Self {
        match name {
            "list" => Use::Finds,
            "view" => Use::Narrows,
            _ if name.ends_with(".read") => Use::Narrows,
            _ => Use::Judges,
        }
    }
}

/// The columns that the condition looks rows up by and that no index begins with. `plan` is about
/// rows of `collection`. Each column once.
pub fn needs(schema: &ir::Schema, collection: CollectionId, plan: &Plan, usage: Use) -> Vec<Need> {
    let mut needs = Needs {
        schema,
        usage,
        found: Vec::new(),
    };
    match needs.list(plan, collection) {
        Some(need) => needs.found.extend(need),
        None => needs.condition(plan, Row::of(collection), usage == Use::Finds),
    }
    needs.found
}

/// The most lists that a multiple select may have for its conditions to be decided once for each
/// list that occurs, and not for each row.
const FEW_LISTS: u64 = 1024;

/// The list that alone decides the plan, if few lists occur in the column and an index tells which.
pub fn dictionary(collection: &ir::Collection, plan: &Plan) -> Option<FieldId> {
    let list = few_lists(collection, plan)?;
    is_indexed(collection, list).then_some(list)
}

/// Does a multiple select have few lists, and an index that tells which of them occur?
pub fn has_dictionary(collection: &ir::Collection, field: FieldId) -> bool {
    let few = collection.fields.get(field.0).is_some_and(has_few_lists);
    few && is_indexed(collection, field)
}

fn few_lists(collection: &ir::Collection, plan: &Plan) -> Option<FieldId> {
    let list = plan.only_list()?;
    has_few_lists(collection.fields.get(list.0)?).then_some(list)
}

/// A multiple select, with the number of lists without repetition that its values make.
fn has_few_lists(field: &ir::Field) -> bool {
    let FieldKind::Select { values, max_select } = &field.kind else {
        return false;
    };
    if field.nullable || !field.kind.is_many() {
        return false;
    }
    let values = values.len() as u64;
    let (mut lists, mut longest) = (1_u64, 1_u64);
    for taken in 0..values.min(*max_select) {
        longest = longest.saturating_mul(values - taken);
        lists = lists.saturating_add(longest);
    }
    lists <= FEW_LISTS
}

/// Does some index begin with the column, for all rows and in the order of `=`?
pub fn is_indexed(collection: &ir::Collection, field: FieldId) -> bool {
    let serves = |index: &ir::Index| {
        index.filter.is_none() && !index.nocase && index.columns.first() == Some(&field)
    };
    field == FieldId(0) || collection.indexes.iter().any(serves)
}

/// Whose columns a condition compares.
#[derive(Clone, Copy)]
struct Row {
    collection: CollectionId,
    /// The join of an enclosing [`Plan::Joined`] that binds the row.
    join: Option<usize>,
}

impl Row {
    fn of(collection: CollectionId) -> Self {
        Row {
            collection,
            join: None,
        }
    }

    /// The field of this row that is compared as it is stored.
    fn field(self, column: &Column) -> Option<FieldId> {
        match (self.join, column) {
            (None, Column::Field(field)) => Some(*field),
            (Some(join), Column::Of(row, column)) if *row == join => match **column {
                Column::Field(field) => Some(field),
                _ => None,
            },
            _ => None,
        }
    }
}

struct Needs<'a> {
    schema: &'a ir::Schema,
    usage: Use,
    found: Vec<Need>,
}

impl Needs<'_> {
    /// What finds the rows by a list that alone decides the rule; `None` if none does.
    fn list(&self, plan: &Plan, collection: CollectionId) -> Option<Option<Need>> {
        let owner = self.schema.collections.get(collection.0)?;
        let field = few_lists(owner, plan).filter(|_| self.usage == Use::Finds)?;
        let need = Need {
            collection,
            field,
            verdict: Verdict::Wanted,
        };
        Some((!is_indexed(owner, field)).then_some(need))
    }

    /// `finds`: are the rows found by this condition, or are they there already?
    fn condition(&mut self, plan: &Plan, row: Row, finds: bool) {
        if finds {
            match self.served(plan, row) {
                Some(needs) => needs.into_iter().for_each(|need| self.push(need)),
                None => self.refused(plan, row),
            }
        }
        self.nested(plan);
    }

    fn push(&mut self, need: Need) {
        let same = |known: &Need| (known.collection, known.field) == (need.collection, need.field);
        match self.found.iter_mut().find(|known| same(known)) {
            Some(known) => known.verdict = known.verdict.min(need.verdict),
            None => self.found.push(need),
        }
    }

    /// Sub-selects are run by themselves, whatever finds the rows around them.
    fn nested(&mut self, plan: &Plan) {
        match plan {
            Plan::All(parts) | Plan::Any(parts) => {
                parts.iter().for_each(|part| self.nested(part));
            }
            Plan::Via { target, inner, .. } => {
                // Of one record, what it points to is looked up by id.
                let finds = self.usage != Use::Judges;
                self.condition(inner, Row::of(*target), finds);
            }
            Plan::Joined { joins, inner, .. } => self.joined(joins, inner),
            _ => {}
        }
    }

    /// The indexes that are missing to find the rows without looking at all of them; `None` if
    /// that can't be done.
    fn served(&self, plan: &Plan, row: Row) -> Option<Vec<Need>> {
        match plan {
            Plan::All(parts) => {
                let ways = parts.iter().filter_map(|part| self.served(part, row));
                ways.min_by_key(Vec::len)
            }
            Plan::Any(parts) => {
                // What the request decides is settled before: what then is left must be served.
                let open = parts.iter().filter(|part| !is_request_only(part));
                let ways: Option<Vec<_>> = open.map(|part| self.served(part, row)).collect();
                Some(ways.filter(|ways| !ways.is_empty())?.concat())
            }
            // By the relation's own index, or by the join table.
            Plan::Via { holds: true, .. } if row.join.is_none() => Some(Vec::new()),
            Plan::Empty { field, holds: true } if row.join.is_none() => {
                let kind = &self.field(row.collection, *field)?.kind;
                is_link(kind).then(Vec::new)
            }
            Plan::Test {
                column,
                op: Op::Equal,
                value,
                when: Truth::True,
            } => {
                let need = self.compared(row, column, value)?;
                self.way(need)
            }
            _ => None,
        }
    }

    /// Nothing is missing if there is an index; a column that gets none is no way.
    fn way(&self, need: Need) -> Option<Vec<Need>> {
        let collection = self.schema.collections.get(need.collection.0)?;
        if is_indexed(collection, need.field) {
            return Some(Vec::new());
        }
        (need.verdict == Verdict::Wanted).then(|| vec![need])
    }

    /// The column that is compared, if SQLite could look it up at all.
    fn compared(&self, row: Row, column: &Column, value: &Value) -> Option<Need> {
        let field = row.field(column)?;
        let verdict = match self.field(row.collection, field)?.kind {
            FieldKind::Bool | FieldKind::Select { .. } => Verdict::FewValues,
            FieldKind::Json { .. } | FieldKind::GeoPoint | FieldKind::Editor { .. } => return None,
            ref kind if kind.is_many() => return None,
            // The empty value of a relation has its place in the index like any other.
            ref kind if is_link(kind) || !is_fixed(value) => Verdict::Wanted,
            _ => Verdict::FixedValue,
        };
        Some(Need {
            collection: row.collection,
            field,
            verdict,
        })
    }

    /// Notes the columns of a condition that no index serves, each with its reason.
    fn refused(&mut self, plan: &Plan, row: Row) {
        match plan {
            Plan::All(parts) | Plan::Any(parts) => {
                parts.iter().for_each(|part| self.refused(part, row));
            }
            Plan::Test {
                column,
                op,
                value,
                when,
            } => {
                let Some(need) = self.compared(row, column, value) else {
                    return;
                };
                let verdict = match op {
                    Op::Equal if *when == Truth::True => need.verdict,
                    Op::Greater | Op::GreaterOrEqual | Op::Less | Op::LessOrEqual => Verdict::Range,
                    _ => return,
                };
                let indexed = self.way(need).is_some_and(|missing| missing.is_empty());
                if !indexed && verdict != Verdict::Wanted {
                    self.push(Need { verdict, ..need });
                }
            }
            Plan::Columns {
                left,
                op: Op::Equal,
                right,
                when: Truth::True,
            } if row.join.is_some() => {
                if let (Some(field), None) | (None, Some(field)) =
                    (row.field(left), row.field(right))
                {
                    self.push(Need {
                        collection: row.collection,
                        field,
                        verdict: Verdict::OtherColumn,
                    });
                }
            }
            _ => {}
        }
    }

    fn field(&self, collection: CollectionId, field: FieldId) -> Option<&ir::Field> {
        let collection = self.schema.collections.get(collection.0)?;
        collection.fields.get(field.0)
    }
}

/// Is it decided before any query?
fn is_request_only(plan: &Plan) -> bool {
    match plan {
        Plan::Request { .. } => true,
        Plan::All(parts) | Plan::Any(parts) => parts.iter().all(is_request_only),
        _ => false,
    }
}

/// A relation to one record, whose column always has an index.
fn is_link(kind: &FieldKind) -> bool {
    matches!(kind, FieldKind::Relation { .. }) && !kind.is_many()
}

/// The same for every caller?
fn is_fixed(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Text(_) | Value::Macro(_) => true,
        Value::Lower(inner) | Value::Numeric(inner) => is_fixed(inner),
        _ => false,
    }
}
