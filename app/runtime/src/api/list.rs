//! `GET …/records`: a page of a collection.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use basalt_lang::plan::Plan;
use basalt_lang::{Caller, Compiled, Scope, SortBy, SortKey};
use rocket::tokio::time::sleep;

use super::depends::Depends;
use super::kept::{Keeping, Wish};
use super::reply::View;
use super::{Reply, Shared, check_lock};
use crate::access::sights;
use crate::collection::Record;
use crate::error::ApiError;
use crate::query::expand;
use crate::query::{ListParams, superuser_part};
use crate::registry::{Action, Counted, Entry, PageQuery, Registry, RuleState};
use crate::request::RequestInfo;
use crate::rules::Context;
use crate::sql::Form;
use crate::storage::Snapshot;
use crate::wire::layout::Rows;

/// Answers a list; late, if it looks like one guess of many.
pub async fn list(
    app: &Shared,
    entry: Arc<Entry>,
    info: RequestInfo,
    wish: Wish,
    keeping: Option<Keeping>,
) -> Result<Reply, ApiError> {
    check_lock(&entry, &info, Action::List)?;
    let params = ListParams::parse(&info);
    check_superuser_parts(&info)?;
    let params = params?;
    let view = View::parse(&info)?;
    let listing = Listing::compile(app, &entry, &info, params, wish.anew)?;
    let moment =
        keeping.and_then(|keeping| keeping.begin(app, &listing.depends(app, &entry, &info, &view)));
    let registry = app.registry.clone();
    let (client, collection) = (info.client, entry.meta().name);
    // Who may see only a part of the records could guess at the others by filters.
    let guess = !info.is_superuser()
        && entry.rule_state(Action::List) == RuleState::When
        && !listing.params.filter.is_empty();
    let job =
        move |snapshot: &mut Snapshot<'_>| run(snapshot, &registry, &entry, &info, &listing, &view);
    let (json, count) = app.db.look(job).await?;
    let late = guess && count == 0;
    let reply = match moment {
        Some(moment) => wish.reply(&moment.keep(app, json, late)),
        None => Reply::json(json),
    };
    if late {
        sleep(app.throttle.delay(client, collection)).await;
    }
    Ok(reply)
}

/// A list, checked against its collection.
struct Listing {
    params: ListParams,
    filter: Option<Plan>,
    sort: Vec<SortKey>,
    counted: Option<Counted>,
}

impl Listing {
    /// 400 if the filter or the sort can't be understood.
    fn compile(
        app: &Shared,
        entry: &Entry,
        info: &RequestInfo,
        params: ListParams,
        anew: bool,
    ) -> Result<Self, ApiError> {
        let caller = if info.is_superuser() {
            Caller::Superuser
        } else {
            Caller::Client
        };
        let scope = Scope::new(&app.registry, entry.place, caller);
        let filter = match params.filter.as_str() {
            "" => None,
            text => {
                let compiled = basalt_lang::compile(text, &scope);
                let compiled = compiled.map_err(|_| ApiError::bad_request())?;
                Some(with_rule(app, entry, info, compiled)?)
            }
        };
        let sort = basalt_lang::parse_sort(&params.sort, &scope);
        let sort = sort.map_err(|_| ApiError::bad_request())?;
        let conditions = filter.into_iter().chain(sort.iter().filter_map(visible));
        let filter = match Plan::all(conditions) {
            Plan::Always => None,
            plan => Some(plan.gathered(entry.place, &|place, field| {
                app.registry.is_single(place, field)
            })),
        };
        let counted = (!params.skip_total).then(|| {
            let mut depends = Depends::on(&app.registry);
            depends.rule(entry, Action::List);
            depends.listing(filter.as_ref(), &[]);
            let reads: Vec<&str> = depends.collections().collect();
            Counted {
                totals: app.db.totals().anew(anew),
                marks: app.db.marks(&reads),
                own: app.db.marks(&[entry.meta().name]),
            }
        });
        Ok(Listing {
            filter,
            params,
            sort,
            counted,
        })
    }
}

impl Listing {
    /// What the answer depends on, besides what it is asked.
    fn depends<'a>(
        &self,
        app: &'a Shared,
        entry: &'a Entry,
        info: &RequestInfo,
        view: &View,
    ) -> Depends<'a> {
        let mut depends = Depends::on(&app.registry);
        depends.rule(entry, Action::List);
        depends.text(Some(&self.params.filter));
        depends.listing(self.filter.as_ref(), &self.sort);
        view.depends(&mut depends, entry, info);
        depends
    }
}

/// The filter as it is to be asked beside the list rule: where both look at the same related
/// records, one of those must satisfy both, and so the filter is asked with the rule in it.
fn with_rule(
    app: &Shared,
    entry: &Entry,
    info: &RequestInfo,
    filter: Compiled,
) -> Result<Plan, ApiError> {
    if info.is_superuser() {
        return Ok(filter.plan);
    }
    let rule = entry.list_rule(&app.registry);
    let Some(rule) = rule.map_err(ApiError::internal)? else {
        return Ok(filter.plan);
    };
    if !basalt_lang::shares(rule, &filter.typed) {
        return Ok(filter.plan);
    }
    let both = basalt_lang::together(rule, &filter.typed);
    both.map_err(|_| ApiError::bad_request())
}

/// What tells a filter's text from others.
fn question(filter: &str) -> u64 {
    if filter.is_empty() {
        return 0;
    }
    let mut hasher = DefaultHasher::new();
    filter.hash(&mut hasher);
    hasher.finish()
}

/// What a sort through relations asks of the records that are listed.
fn visible(key: &SortKey) -> Option<Plan> {
    match &key.by {
        SortBy::Path { visible, .. } | SortBy::Joined { visible, .. } => Some(visible.clone()),
        _ => None,
    }
}

/// Only superusers may look into other collections and into the request.
fn check_superuser_parts(info: &RequestInfo) -> Result<(), ApiError> {
    if info.is_superuser() {
        return Ok(());
    }
    let texts = ["filter", "sort"]
        .into_iter()
        .filter_map(|name| info.query.get(name));
    match texts.filter_map(|text| superuser_part(text)).next() {
        Some(part) => Err(ApiError::new(
            403,
            format!("Only superusers can filter by {part}"),
        )),
        None => Ok(()),
    }
}

/// Bytes of a record for which there is room from the start.
const RECORD_BYTES: usize = 1024;

/// The page as JSON text, and how many records are on it.
fn run(
    snapshot: &mut Snapshot<'_>,
    registry: &Registry,
    entry: &Arc<Entry>,
    info: &RequestInfo,
    listing: &Listing,
    view: &View,
) -> Result<(Vec<u8>, usize), ApiError> {
    let params = &listing.params;
    let query = PageQuery {
        registry,
        filter: listing.filter.as_ref(),
        question: question(&params.filter),
        sort: &listing.sort,
        limit: params.per_page,
        offset: params.offset(),
        totals: listing.counted.as_ref(),
    };
    let room = usize::try_from(params.per_page).unwrap_or_default().min(64);
    let mut out = Vec::with_capacity(room * RECORD_BYTES + 128);
    out.extend_from_slice(b"{\"items\":[");
    let layout = view.layout(entry, info);
    let (total, count) = match &layout {
        Some(layout) => {
            let context = Context {
                request: info,
                form: Form::Exists,
            };
            let mut rows = Rows::new(layout, &mut out);
            let page = entry.page(snapshot, &context, &query, Some(&mut rows))?;
            (page.total, rows.count())
        }
        None => write_records(snapshot, entry, info, &query, view, &mut out)?,
    };
    let pages = match total {
        Some(total) => (total + params.per_page - 1) / params.per_page,
        None => -1,
    };
    let total = total.unwrap_or(-1);
    let tail = format!(
        "],\"page\":{},\"perPage\":{},\"totalItems\":{total},\"totalPages\":{pages}}}",
        params.page, params.per_page
    );
    out.extend_from_slice(tail.as_bytes());
    Ok((out, count))
}

/// A page of records that must be looked at one by one before they are written: the total, if it is
/// wanted, and how many there are.
fn write_records(
    snapshot: &mut Snapshot<'_>,
    entry: &Arc<Entry>,
    info: &RequestInfo,
    query: &PageQuery<'_>,
    view: &View,
    out: &mut Vec<u8>,
) -> Result<(Option<i64>, usize), ApiError> {
    let context = Context {
        request: info,
        form: Form::Exists,
    };
    let page = entry.page(snapshot, &context, query, None)?;
    let conn = snapshot.shared().map_err(ApiError::internal)?;
    let records: Vec<&dyn Record> = page.records.iter().map(AsRef::as_ref).collect();
    let expanded = expand::expand(
        conn,
        query.registry,
        info,
        entry,
        &records,
        &view.expand,
        view.picker.as_ref(),
    )
    .map_err(ApiError::internal)?;
    let sights = sights(conn, entry, info, &records, &|name| view.wants(name));
    let sights = sights.map_err(ApiError::internal)?;
    for (place, (record, sight)) in records.iter().zip(sights).enumerate() {
        if place > 0 {
            out.push(b',');
        }
        view.write(out, entry, *record, sight, &expanded);
    }
    expanded.check_whole()?;
    Ok((page.total, records.len()))
}
