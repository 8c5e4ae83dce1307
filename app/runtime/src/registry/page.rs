//! A page of a list, and its total: in which form each is asked, and in which order.

use std::time::Instant;

use basalt_lang::SortKey;
use basalt_lang::schema::CollectionId;

use super::count::count_parts;
use super::of::boxed;
use super::share::{Outlook, Shares};
use super::{Counted, Page, PageQuery, Registry};
use crate::access::fields::{self, Readable};
use crate::access::{Permit, Scope};
use crate::collection::{Collection, Record};
use crate::error::ApiError;
use crate::rules::{Context, Filter};
use crate::sql::predicate::Predicate;
use crate::sql::{Form, Order, filter, sort};
use crate::storage::{self, Snapshot};
use crate::wire::layout::Rows;

/// A page, written into `rows` if there are any.
pub(super) fn page<C: Collection>(
    shares: &Shares,
    snapshot: &mut Snapshot<'_>,
    context: &Context<'_>,
    query: &PageQuery<'_>,
    mut rows: Option<&mut Rows<'_>>,
) -> Result<Page, ApiError> {
    let mut outlook = shares.outlook::<C>(context, query);
    let mut total = None;
    let mut open = None;
    if let Some(known) = query.totals {
        match Total::<C>::of(context, query, known, &outlook)? {
            Total::Known(count) => total = Some(count),
            // All of the list may be on its first page, and then nothing has to be counted.
            Total::Unknown(count) if query.offset == 0 && !outlook.varies() => {
                open = Some((count, known));
            }
            Total::Unknown(count) => total = Some(count.run(snapshot, known, &outlook)?),
        }
        if total.is_some_and(|total| query.offset >= total) {
            return Ok(Page {
                records: Vec::new(),
                total,
            });
        }
        if let Some(count) = total.filter(|_| outlook.varies()) {
            let all = count_all::<C>(snapshot, known)?;
            shares.learn(&mut outlook, count, all);
        }
    }
    if open.is_some() {
        snapshot.shared().map_err(ApiError::internal)?;
    }
    let began = Instant::now();
    let records = read::<C>(snapshot, context, query, &outlook, rows.as_deref_mut())?;
    if query.totals.is_none() && outlook.is_doubtful(began.elapsed()) {
        look_again::<C>(shares, snapshot, context, query, &mut outlook)?;
    }
    if let Some((count, known)) = open {
        let here = rows.map_or(records.len(), |rows| rows.count());
        let here = i64::try_from(here).unwrap_or(i64::MAX);
        total = Some(if here < query.limit {
            known.totals.keep(count.key, known.marks.clone(), here);
            here
        } else {
            count.run(snapshot, known, &outlook)?
        });
    }
    Ok(Page { records, total })
}

/// The records of the page, unless they are written.
fn read<C: Collection>(
    snapshot: &mut Snapshot<'_>,
    context: &Context<'_>,
    query: &PageQuery<'_>,
    outlook: &Outlook,
    rows: Option<&mut Rows<'_>>,
) -> Result<Vec<Box<dyn Record>>, ApiError> {
    let order = ordered::<C>(context, query.sort, query.registry);
    let order = order.ok_or_else(ApiError::bad_request)?;
    let scope = listed::<C>(context, outlook.of_page(), query)?;
    let (limit, offset) = (Some(query.limit), query.offset);
    let records = match rows {
        Some(rows) => {
            let (conn, part, layout) = (snapshot.last(), (limit, offset), rows.layout());
            let read = scope.rows(conn, order, part, layout, &mut |row| rows.add(row));
            read.map(|()| Vec::new())
        }
        None => snapshot
            .shared()
            .and_then(|conn| scope.page(conn, order, limit, offset))
            .map(boxed),
    };
    records.map_err(ApiError::database)
}

/// Finds out which share of the records matches, after a page that took long.
fn look_again<C: Collection>(
    shares: &Shares,
    snapshot: &mut Snapshot<'_>,
    context: &Context<'_>,
    query: &PageQuery<'_>,
    outlook: &mut Outlook,
) -> Result<(), ApiError> {
    let conn = snapshot.last();
    let trial = listed::<C>(context, outlook.of_trial(), query)?;
    let count = trial.count(conn).map_err(ApiError::internal)?;
    let all = C::count(Permit::grant(conn), None).map_err(ApiError::internal)?;
    shares.learn(outlook, count, all);
    Ok(())
}

/// What the list rule shows, narrowed by a client's filter, in the given form.
fn listed<C: Collection>(
    context: &Context<'_>,
    form: Form,
    query: &PageQuery<'_>,
) -> Result<Scope<C>, ApiError> {
    let context = Context {
        request: context.request,
        form,
    };
    let scope = Scope::<C>::for_list(&context)?;
    Ok(match query.filter {
        Some(plan) => scope.matching(filter::dynamic::<C>(&Filter {
            plan,
            context: &context,
            registry: Some(query.registry),
        })),
        None => scope,
    })
}

/// The order of a list; `None` if it doesn't fit the collections.
fn ordered<C: Collection>(
    context: &Context<'_>,
    keys: &[SortKey],
    registry: &Registry,
) -> Option<Vec<Order<C::Table>>> {
    let readable = |place: CollectionId, field| match registry.entries().get(place.0) {
        Some(entry) => entry.orderable_ids(context, field),
        None => Readable::Never,
    };
    let ways = sort::Ways {
        collections: &|place| registry.meta(place),
        readable: &readable,
        guarded: &|place, field| fields::guarded(registry, context, place, field),
    };
    let mut orders = sort::orders::<C>(keys, context, ways)?;
    // Records that are equal by the sort may come in the order of whatever index was used, and so
    // in that of a field which the caller may not read.
    if orders.is_empty() || !C::rules().fields.is_empty() {
        orders.push(C::rowid(false));
    }
    Some(orders)
}

/// A total that isn't known yet: in the form that counts fastest.
struct Count<C: Collection> {
    key: String,
    condition: Predicate<C::Table>,
    form: Form,
}

/// The total of a list, if it is known.
enum Total<C: Collection> {
    Known(i64),
    Unknown(Count<C>),
}

impl<C: Collection> Total<C> {
    fn of(
        context: &Context<'_>,
        query: &PageQuery<'_>,
        known: &Counted,
        outlook: &Outlook,
    ) -> Result<Self, ApiError> {
        let form = outlook.of_total();
        let condition = listed::<C>(context, form, query)?.into_predicate();
        let mut key = match &condition {
            Predicate::Never if form == Form::In => return Ok(Total::Known(0)),
            Predicate::When(condition) => storage::key(C::META.name, Some(condition)),
            Predicate::Always => storage::key::<C::Table>(C::META.name, None),
            Predicate::Never => Ok(format!("{} -", C::META.name)),
        }
        .map_err(ApiError::internal)?;
        if form != Form::In {
            // The condition lacks what is counted beside it.
            key.push_str(&format!(" {form:?} {:?}", outlook.split));
        }
        Ok(match known.totals.known(&key, &known.marks) {
            Some(total) => Total::Known(total),
            None => Total::Unknown(Count {
                key,
                condition,
                form,
            }),
        })
    }
}

impl<C: Collection> Count<C> {
    fn run(
        self,
        snapshot: &mut Snapshot<'_>,
        known: &Counted,
        outlook: &Outlook,
    ) -> Result<i64, ApiError> {
        let conn = snapshot.shared().map_err(ApiError::internal)?;
        let total = count_parts::<C>(conn, self.condition, self.form, outlook.split);
        let total = total.map_err(ApiError::database)?;
        known.totals.keep(self.key, known.marks.clone(), total);
        Ok(total)
    }
}

/// How many records there are, if a hint needs it.
fn count_all<C: Collection>(snapshot: &mut Snapshot<'_>, known: &Counted) -> Result<i64, ApiError> {
    let key = storage::key::<C::Table>(C::META.name, None).map_err(ApiError::internal)?;
    let count = || C::count(Permit::grant(snapshot.shared()?), None);
    let all = known.totals.total(key, known.own.clone(), count);
    all.map_err(ApiError::internal)
}
