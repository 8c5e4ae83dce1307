//! All stages in a row.

use std::collections::BTreeSet;

use crate::ast;
use crate::check::check;
use crate::error::{Code, Error};
use crate::join::Joins;
use crate::leaf::{Way, outermost};
use crate::lower::lower;
use crate::odd;
use crate::parser::parse;
use crate::plan::{Class, Plan};
use crate::schema::CollectionId;
use crate::scope::{Caller, Scope};
use crate::span::Span;
use crate::typed::{Expr, Path, Root};

/// A rule or filter, ready to be emitted or run.
#[derive(Debug, Clone, PartialEq)]
pub struct Compiled {
    /// What it means.
    pub plan: Plan,
    /// What it says.
    pub typed: Expr,
    /// What is valid, but odd. Empty for filters.
    pub warnings: Vec<Error>,
    /// What it needs in order to be decided.
    pub class: Class,
    /// The collections, besides the scope's own, whose rows decide it; those that the list rules
    /// of [`Plan::list_rules`] read come on top.
    pub reads: BTreeSet<CollectionId>,
}

/// Compiles a rule or a filter; on failure all errors, in the order of the text.
///
/// The text must not be empty: an empty rule means "anyone", an empty filter "all".
pub fn compile(text: &str, scope: &Scope<'_>) -> Result<Compiled, Vec<Error>> {
    let tree = parse(text).map_err(|error| vec![error])?;
    let errors = match checked(text, &tree, scope) {
        Err(errors) if scope.imported && scope.strict() => errors,
        done => return done,
    };
    // PocketBase reads a rule as it reads a superuser's filter.
    let lenient = Scope {
        caller: Caller::Superuser,
        ..*scope
    };
    let Ok(mut compiled) = checked(text, &tree, &lenient) else {
        return Err(errors);
    };
    let tolerated = |error| Error {
        tolerated: true,
        ..error
    };
    compiled.warnings.extend(errors.into_iter().map(tolerated));
    Ok(compiled)
}

fn checked(text: &str, tree: &ast::Expr, scope: &Scope<'_>) -> Result<Compiled, Vec<Error>> {
    let (typed, mut warnings) = check(text, tree, scope)?;
    let limits = within_limits(&typed);
    let plan = match never_created(&typed).filter(|_| scope.creating) {
        Some(warning) => {
            warnings.push(warning);
            Plan::Never
        }
        // PocketBase keeps such a rule, and answers every request with an error.
        None if limits.is_err() && scope.imported && !scope.strict() => Plan::Never,
        None => {
            limits?;
            lower(&typed).fold()
        }
    };
    let class = plan.class();
    if scope.strict() {
        let told = warnings.iter().any(|it| it.code == Code::NeverHolds);
        if class == Class::Constant && !told {
            return Err(vec![constant_rule(text, &plan)]);
        }
        warnings.extend(odd::find(&typed, scope));
        warnings.sort_by_key(|warning| warning.span.start);
    }
    let reads = plan.reads();
    Ok(Compiled {
        plan,
        typed,
        warnings,
        class,
        reads,
    })
}

/// A back-relation of a record that doesn't exist yet: PocketBase refuses every such request,
/// whatever else the rule says.
fn never_created(expr: &Expr) -> Option<Error> {
    let comparison = match expr {
        Expr::All(items) | Expr::Any(items) => return items.iter().find_map(never_created),
        Expr::Compare(comparison) => comparison,
    };
    let operand = [&comparison.left, &comparison.right]
        .into_iter()
        .find(|operand| operand.node.paths().any(begins_back))?;
    let message = "no record points to one that is about to be created: this rule never holds";
    let error = Error::new(Code::NeverHolds, operand.span, message, "a back-relation");
    Some(error.with_help("begin at `@request.body` or at a relation of the new record"))
}

fn begins_back(path: &Path) -> bool {
    path.root == Root::Row && path.hops.first().is_some_and(|hop| !hop.is_forward())
}

/// The plan of a rule and a filter that hold together: where both look at the same multi-valued
/// path, they look at the same related row. `Plan::all` of the two plans lacks that bond.
pub fn together(rule: &Expr, filter: &Expr) -> Result<Plan, Vec<Error>> {
    let mut items = Vec::new();
    for expr in [rule, filter] {
        match expr {
            Expr::All(inner) => items.extend(inner.iter().cloned()),
            other => items.push(other.clone()),
        }
    }
    let both = Expr::All(items);
    within_limits(&both)?;
    Ok(lower(&both).fold())
}

/// Do a rule and a filter look at the same multi-valued path, so that [`together`] differs from
/// `Plan::all` of their plans?
pub fn shares(rule: &Expr, filter: &Expr) -> bool {
    let (mut of_rule, mut of_filter) = (Vec::new(), Vec::new());
    ways(rule, &mut of_rule);
    ways(filter, &mut of_filter);
    of_filter.iter().any(|way| of_rule.contains(way))
}

fn ways(expr: &Expr, found: &mut Vec<Way>) {
    match expr {
        Expr::All(items) | Expr::Any(items) => items.iter().for_each(|item| ways(item, found)),
        Expr::Compare(comparison) => {
            for operand in [&comparison.left, &comparison.right] {
                found.extend(operand.node.paths().filter_map(outermost));
            }
        }
    }
}

/// The most tables, besides the row's own, that all paths together may lead through.
const MAX_TABLES: usize = 63;

fn within_limits(expr: &Expr) -> Result<(), Vec<Error>> {
    let mut joins = Joins::default();
    match too_many_tables(expr, &mut joins) {
        None => Ok(()),
        Some(span) => {
            let message = format!("all paths together lead through more than {MAX_TABLES} tables");
            let label = "one path too many";
            let error = Error::new(Code::TooComplex, span, message, label);
            Err(vec![error.with_help("a multiple relation counts as two")])
        }
    }
}

/// The comparison that exceeds the limit.
fn too_many_tables(expr: &Expr, joins: &mut Joins) -> Option<Span> {
    match expr {
        Expr::All(items) | Expr::Any(items) => {
            items.iter().find_map(|item| too_many_tables(item, joins))
        }
        Expr::Compare(comparison) => {
            for operand in [&comparison.left, &comparison.right] {
                joins.visit(&operand.node);
            }
            (joins.tables() > MAX_TABLES).then_some(comparison.span)
        }
    }
}

fn constant_rule(text: &str, plan: &Plan) -> Error {
    let start = text.len() - text.trim_start().len();
    let span = Span {
        start,
        end: start + text.trim().len(),
    };
    let always = *plan == Plan::Always;
    let message = format!(
        "this rule is {} true",
        if always { "always" } else { "never" }
    );
    let help = if always {
        "leave the text empty (\"\") to let everyone in"
    } else {
        "leave the rule out to lock everyone but superusers out"
    };
    Error::new(Code::Constant, span, message, "doesn't depend on anything").with_help(help)
}
