//! The run over one size: starts the servers, brings each row's data into place, measures, checks.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Error, Result, bail};
use indicatif::{ProgressBar, ProgressStyle};

use crate::catalogue;
use crate::check;
use crate::cli::{Options, Side};
use crate::data::{Counts, Data};
use crate::drive::Load;
use crate::files;
use crate::outcome::{Lane, Measure, Outcome, Raw, Spent, Used};
use crate::request::Request;
use crate::rounds::{self, Plan};
use crate::rows::{Kind, Phase, Row, Size, Work};
use crate::server::{Place, Server};
use crate::tally::{Arrival, Tally};
use crate::wires::Material;

const PEER_SCHEMA: &str = include_str!("../peer_schema.json");
const SMOKE_POSTS: usize = 100;
const SMOKE_REQUESTS: usize = 10;
/// How often a server is started for the row on that.
const STARTS: usize = 3;
/// With less than this on the disk, writes fail.
const NEARLY_NOTHING: u64 = 4 << 20;

/// The programs that are compared.
#[derive(Debug, Clone)]
pub struct Programs {
    /// Each with its side, the peer first.
    pub all: Vec<(Side, PathBuf)>,
}

/// Everything that a run over one size has in hand.
pub struct Bench {
    /// How many posts.
    pub size: Size,
    /// The records.
    pub material: Material,
    /// One or both, the peer first.
    pub servers: Vec<Server>,
    /// All rows, and whether they are to be measured.
    pub rows: Vec<(Row, bool)>,
    /// What is going on.
    pub bar: ProgressBar,
    smoke: bool,
    limit: Duration,
}

/// How many bytes the disk has left.
pub fn room(home: &Path) -> Result<u64> {
    let disk = rustix::fs::statvfs(home).context("cannot see how full the disk is")?;
    Ok(disk.f_bavail.saturating_mul(disk.f_frsize))
}

/// The rows of a size, and whether `--rows` wants them.
pub fn rows(options: &Options, size: Size, shared: bool) -> Vec<(Row, bool)> {
    let wanted = |row: &Row| {
        let pattern = options.rows.as_ref();
        pattern.is_none_or(|pattern| pattern.is_match(&row.full_name()))
    };
    let rows = catalogue::all(size, true).into_iter();
    rows.map(|row| {
        let chosen = wanted(&row) && (shared || catalogue::depends_on_posts(&row));
        (row, chosen)
    })
    .collect()
}

impl Bench {
    /// Starts the servers below `home`, empty.
    pub fn start(
        options: &Options,
        programs: &Programs,
        home: &Path,
        size: Size,
        shared: bool,
    ) -> Result<Bench> {
        let (counts, posts) = match options.smoke {
            true => (Counts::SMOKE, SMOKE_POSTS),
            false => (Counts::FULL, size.posts),
        };
        let data = Data::new(options.seed, counts);
        let posts = data.posts(posts);
        let limit = options.smoke.then_some(SMOKE_REQUESTS);
        let material = Material {
            data,
            posts,
            new_connections: options.new_connections,
            limit,
        };
        let mut servers = Vec::new();
        for (number, (side, program)) in programs.all.iter().enumerate() {
            let number = u16::try_from(number).unwrap_or_default();
            let port = match options.port {
                0 => 0,
                port => port.saturating_add(number),
            };
            servers.push(Server::start(Place {
                side: *side,
                program: program.clone(),
                home: home.join(side.name()),
                port,
            })?);
        }
        if let Some(peer) = servers.iter().find(|server| server.side == Side::Peer) {
            let schema = match &options.peer_schema {
                Some(path) => std::fs::read_to_string(path)
                    .with_context(|| format!("cannot read {}", path.display()))?,
                None => PEER_SCHEMA.to_owned(),
            };
            let schema = serde_json::from_str(&schema).context("the peer's schema is not JSON")?;
            peer.import(&schema)?;
        }
        let style = ProgressStyle::with_template("{msg:50!} {wide_bar} {pos}/{len} {elapsed}")?;
        Ok(Bench {
            size,
            material,
            servers,
            rows: rows(options, size, shared),
            bar: ProgressBar::new(0).with_style(style),
            smoke: options.smoke,
            limit: Duration::from_secs(options.row_limit),
        })
    }

    /// Runs all rows; `report` gets each as it ends.
    pub fn run(&mut self, mut report: impl FnMut(&Outcome)) -> Result<Vec<Outcome>> {
        let mut outcomes = Vec::new();
        let mut phase = Phase::Create;
        let last = self.rows.iter().rposition(|(_, chosen)| *chosen);
        for (number, (row, chosen)) in self.rows.clone().into_iter().enumerate() {
            if last.is_none_or(|last| number > last) {
                break;
            }
            if row.phase != phase {
                self.enter(row.phase)?;
                phase = row.phase;
            }
            if chosen {
                self.progress(number, &row.full_name());
                let outcome = self.row(&row, outcomes.len())?;
                self.bar.suspend(|| report(&outcome));
                outcomes.push(outcome);
            }
            if let Work::Create { second } = row.work {
                self.settle(&row, second, chosen)?;
            }
        }
        self.bar.finish_and_clear();
        Ok(outcomes)
    }

    /// Which row of how many is on.
    fn progress(&self, number: usize, what: &str) {
        self.bar.set_length(self.rows.len() as u64);
        self.bar.set_position(number as u64);
        self.bar.set_message(what.to_owned());
    }

    /// Stops the servers in order; what each has used.
    pub fn stop(&mut self) -> Result<Vec<(Side, Spent)>> {
        let each = self.servers.iter_mut();
        each.map(|server| Ok((server.side, server.stop()?)))
            .collect()
    }

    /// The collection of a row in one of the servers.
    pub fn collection(row: &Row, side: Side) -> &str {
        match side {
            Side::Peer => row.kind.collection(),
            Side::Basalt => &row.collection,
        }
    }

    /// Measures a row on both servers; which one is first changes from row to row.
    fn row(&mut self, row: &Row, number: usize) -> Result<Outcome> {
        let requests = match row.work {
            Work::Create { second } => self.material.half(row.kind, second).len(),
            _ => self.material.requests(row),
        };
        let mut outcome = Outcome::new(row, self.size.name, requests);
        for server in &mut self.servers {
            server.reset_peak();
        }
        self.patch(row, true)?;
        let measures = match row.work {
            Work::Start => self.starts(row)?,
            _ => self.measure(row, number, &mut outcome)?,
        };
        for (lane, measure) in measures {
            outcome.add(lane, measure);
        }
        self.check(row, &mut outcome);
        self.patch(row, false)?;
        self.material.updated(row);
        if row.phase == Phase::Delete {
            self.compare_counts(&mut outcome)?;
        }
        Ok(outcome)
    }

    /// Gives the peer's collection the row's rule, or takes it away.
    fn patch(&self, row: &Row, before: bool) -> Result<()> {
        let peer = self.servers.iter().find(|server| server.side == Side::Peer);
        let (Some(peer), Some(patches)) = (peer, &row.patches) else {
            return Ok(());
        };
        let change = if before { &patches.0 } else { &patches.1 };
        peer.patch(row.kind.collection(), change)
    }

    /// All sides of a row, by turns.
    fn measure(
        &self,
        row: &Row,
        number: usize,
        outcome: &mut Outcome,
    ) -> Result<Vec<(Lane, Measure)>> {
        let mut lanes: Vec<(Lane, rounds::Lane)> = Vec::new();
        for (place, server) in self.servers.iter().enumerate() {
            let collection = Self::collection(row, server.side);
            let model = self.model(row, server, collection, outcome);
            let mut add = |lane, cold| {
                let mut loads = self.material.loads(row, server, collection, cold);
                if let Some(main) = loads.first_mut() {
                    main.model.clone_from(&model);
                }
                lanes.push((lane, rounds::Lane::new(place, loads)));
            };
            match server.side {
                Side::Peer => add(Lane::Peer, row.work.reads()),
                Side::Basalt if row.work.reads() => {
                    add(Lane::Cold, true);
                    add(Lane::Warm, false);
                    if let Some(floor) = self.floor(row, server, outcome)? {
                        lanes.push((Lane::Floor, rounds::Lane::new(place, vec![floor])));
                    }
                }
                Side::Basalt => add(Lane::Cold, false),
            }
        }
        if !number.is_multiple_of(2) {
            lanes.reverse();
        }
        let (names, mut lanes): (Vec<Lane>, Vec<rounds::Lane>) = lanes.into_iter().unzip();
        outcome.first = names.first().map_or("", |lane| lane.side().name());
        let plan = Plan {
            once: self.smoke || !row.work.repeats(),
            limit: row.work.repeats().then_some(self.limit),
        };
        let warm_up = |lane: &rounds::Lane| {
            let (server, load) = (self.servers.get(lane.server)?, lane.loads.first()?);
            self.material.warm_up(row, server, load)
        };
        rounds::contest(&mut lanes, &self.servers, plan, warm_up, &self.bar)?;
        let measures = lanes.into_iter().map(rounds::Lane::measure);
        Ok(names.into_iter().zip(measures).collect())
    }

    /// Judges the answer to the measured request itself. All measured ones must be the same bytes; only
    /// the peer writes the keys of some answers in another order each time, so there lengths must do.
    fn model(
        &self,
        row: &Row,
        server: &Server,
        collection: &str,
        outcome: &mut Outcome,
    ) -> Option<Arc<[u8]>> {
        let path = self.material.read_path(row, collection)?;
        if row.work.writes() {
            return None;
        }
        match check::model(server, &path, row, &self.material) {
            Ok(model) => model.filter(|_| server.side == Side::Basalt),
            Err(error) => {
                outcome.fail(server.side, format!("{path}: {error:#}"));
                None
            }
        }
    }

    /// The same bytes from memory, if the app offers that. And what a bare count takes.
    fn floor(&self, row: &Row, server: &Server, outcome: &mut Outcome) -> Result<Option<Load>> {
        let collection = Self::collection(row, server.side);
        let Some(path) = self.material.read_path(row, collection) else {
            return Ok(None);
        };
        let counts = matches!(row.work, Work::List { .. }) && !row.query().contains("skipTotal");
        if counts {
            let took = files::index_scan(&server.database(), row.kind.collection(), "author")?;
            outcome.scans_ms.push(took.as_secs_f64() * 1000.0);
        }
        let body = match check::bytes(server, &path) {
            Ok(body) => body,
            Err(error) => {
                outcome.fail(server.side, format!("{path}: {error:#}"));
                return Ok(None);
            }
        };
        let body = String::from_utf8(body).context("an answer that is no text")?;
        let path = format!("/floor/{}", row.collection);
        let put = Request::new("PUT", &path).token(&server.user).body(&body);
        if server.fetch(put)?.status != 204 {
            return Ok(None);
        }
        let loads = self.material.loads(row, server, collection, false);
        let load = loads.into_iter().next().map(|load| {
            let get = Request::new("GET", &path).token(&server.user);
            let wire = get.wire(server.address, load.new_connections);
            Load {
                requests: vec![wire; load.requests.len()],
                model: Some(Arc::from(body.as_bytes())),
                ..load
            }
        });
        Ok(load)
    }

    /// How long each server takes to its first page.
    fn starts(&mut self, row: &Row) -> Result<Vec<(Lane, Measure)>> {
        let mut measures = Vec::new();
        for server in &mut self.servers {
            let path = self.material.read_path(row, row.kind.collection());
            let mut raw = Raw::default();
            for _ in 0..if self.smoke { 1 } else { STARTS } {
                let took = server.restart(&[], path.as_deref(), |_| Ok(()))?;
                let mut tally = Tally {
                    elapsed: took,
                    ..Tally::default()
                };
                let arrival = Arrival {
                    status: 200,
                    length: 0,
                    start: b"",
                    same: true,
                    took,
                };
                tally.arrived(&arrival, 200, false);
                raw.round(tally, Tally::default());
            }
            raw.used = Used {
                peak_kib: Some(server.spent().peak_kib),
                ..Used::default()
            };
            let lane = match server.side {
                Side::Peer => Lane::Peer,
                Side::Basalt => Lane::Cold,
            };
            measures.push((lane, Measure::new(raw)));
        }
        Ok(measures)
    }

    /// Are the answers right, and do both servers give the same ones?
    fn check(&self, row: &Row, outcome: &mut Outcome) {
        let timed_out = outcome.peer_timed_out();
        let mut answers = Vec::new();
        for server in &self.servers {
            if server.side == Side::Peer && timed_out {
                continue;
            }
            let collection = Self::collection(row, server.side);
            match check::answer(server, row, collection, &self.material) {
                Ok(None) => {}
                Ok(Some(answer)) => {
                    if let Some(wrong) = check::judge(&answer, row, &self.material) {
                        outcome.fail(server.side, wrong);
                    }
                    answers.push(answer);
                }
                Err(error) => outcome.fail(server.side, format!("{error:#}")),
            }
        }
        if let [peer, basalt] = answers.as_slice()
            && let Some(found) = check::difference(peer, basalt, "answer")
        {
            outcome.fail(Side::Basalt, format!("peer and basalt differ: {found}"));
        }
        if row.work.reads() && !row.work.writes() {
            same_lengths(outcome);
        }
    }

    /// After a delete: do both hold as many records?
    fn compare_counts(&self, outcome: &mut Outcome) -> Result<()> {
        let [one, two] = self.servers.as_slice() else {
            return Ok(());
        };
        for kind in [Kind::Posts(self.size), Kind::Users, Kind::Organizations] {
            let name = kind.collection();
            let (one, two) = (check::count(one, name)?, check::count(two, name)?);
            if one != two {
                outcome.fail(
                    Side::Basalt,
                    format!("{name}: {one} records in the peer, here {two}"),
                );
            }
        }
        Ok(())
    }

    /// A server that has gone can't be compared with.
    pub fn expect_servers(&mut self) -> Result<()> {
        for server in &mut self.servers {
            if server.has_ended()?.is_some() {
                bail!("nothing is left to measure");
            }
        }
        Ok(())
    }

    /// A server that has gone, or a disk without room, says more than what a request met.
    pub fn explain(&mut self, error: Error, home: &Path) -> Error {
        for server in &mut self.servers {
            if let Ok(Some(words)) = server.has_ended() {
                return error.context(format!("the {} has ended: {words}", server.side.name()));
            }
        }
        match room(home) {
            Ok(free) if free < NEARLY_NOTHING => error.context(format!(
                "the disk is full; set TMPDIR to a directory on another one than {}",
                home.display()
            )),
            _ => error,
        }
    }
}

/// The same request again and again has answers of one length, on each side.
fn same_lengths(outcome: &mut Outcome) {
    let mut wrong = Vec::new();
    for (lane, measure) in &outcome.lanes {
        if let Some((shortest, longest)) = measure.lengths.filter(|(one, two)| one != two) {
            wrong.push((
                lane.side(),
                format!("answers of {shortest} to {longest} bytes to one request"),
            ));
        }
    }
    for (side, what) in wrong {
        outcome.fail(side, what);
    }
}
