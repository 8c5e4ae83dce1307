//! The run: starts the servers, brings each row's data into place, measures, checks.

use std::path::Path;

use anyhow::{Context, Result};
use indicatif::{ProgressBar, ProgressStyle};

use crate::check;
use crate::cli::{Options, Side};
use crate::data::{Counts, Data};
use crate::drive::{self, Load, Tally};
use crate::http::{Request, Wire};
use crate::outcome::{Measure, Outcome};
use crate::process;
use crate::rows::{self, Kind, Phase, Row, Work};
use crate::server::Server;
use crate::wires::{Material, Record};

const PEER_SCHEMA: &str = include_str!("../peer_schema.json");
/// How many loading requests at a time: enough to keep a server busy, without a queue.
const LOADERS: usize = 50;
const SMOKE_POSTS: usize = 100;
const SMOKE_REQUESTS: usize = 10;

/// Everything that a run has in hand.
pub struct Bench {
    material: Material,
    servers: Vec<Server>,
    rows: Vec<(Row, bool)>,
    bar: ProgressBar,
}

impl Bench {
    /// Starts the servers below `home`, empty.
    pub async fn start(options: &Options, home: &Path) -> Result<Bench> {
        let data = Data::new(
            options.seed,
            if options.smoke {
                Counts::SMOKE
            } else {
                Counts::FULL
            },
        );
        let posts = options.sizes.iter().map(|&size| {
            let count = if options.smoke {
                SMOKE_POSTS
            } else {
                size.posts
            };
            (Kind::Posts(size), data.posts(count))
        });
        let posts = posts.collect();
        let limit = options.smoke.then_some(SMOKE_REQUESTS);
        let material = Material {
            data,
            posts,
            new_connections: options.new_connections,
            limit,
        };

        let mut servers = Vec::new();
        let programs = [(Side::Peer, &options.peer), (Side::Basalt, &options.server)];
        for (side, program) in programs {
            let Some(program) = program else { continue };
            if options.only.is_none_or(|only| only == side) {
                servers.push(Server::start(side, program, &home.join(side.name())).await?);
            }
        }
        if servers.is_empty() {
            anyhow::bail!("--only names the server whose path is not given");
        }
        if let Some(peer) = servers.iter().find(|server| server.side == Side::Peer) {
            let schema = match &options.peer_schema {
                Some(path) => std::fs::read_to_string(path)
                    .with_context(|| format!("cannot read {}", path.display()))?,
                None => PEER_SCHEMA.to_owned(),
            };
            let schema = serde_json::from_str(&schema).context("the peer's schema is not JSON")?;
            peer.import(&schema).await?;
        }

        let chosen = |row: &Row| {
            options
                .rows
                .as_ref()
                .is_none_or(|pattern| pattern.is_match(&row.full_name()))
        };
        let rows: Vec<(Row, bool)> = rows::all(&options.sizes)
            .into_iter()
            .map(|row| {
                let chosen = chosen(&row);
                (row, chosen)
            })
            .collect();
        if !rows.iter().any(|(_, chosen)| *chosen) {
            anyhow::bail!("--rows matches no row");
        }
        let style = ProgressStyle::with_template("{msg:50!} {wide_bar} {pos}/{len} {elapsed}")?;
        let bar = ProgressBar::new(0).with_style(style);
        Ok(Bench {
            material,
            servers,
            rows,
            bar,
        })
    }

    /// Runs all rows; `report` gets each as it ends.
    pub async fn run(&mut self, mut report: impl FnMut(&Outcome)) -> Result<Vec<Outcome>> {
        let mut outcomes = Vec::new();
        let mut phase = Phase::Create;
        for (row, chosen) in self.rows.clone() {
            if row.phase != phase {
                self.enter(row.phase).await?;
                phase = row.phase;
            }
            if chosen {
                let outcome = self.row(&row, outcomes.len()).await?;
                self.bar.suspend(|| report(&outcome));
                outcomes.push(outcome);
            }
            if let Work::Create { second } = row.work {
                self.settle(&row, second, chosen).await?;
            }
        }
        self.bar.finish_and_clear();
        Ok(outcomes)
    }

    /// Stops the servers in order.
    pub async fn stop(&mut self) -> Result<()> {
        for server in &mut self.servers {
            server.stop().await?;
        }
        Ok(())
    }

    /// The collection of a row in one of the servers.
    fn collection(row: &Row, side: Side) -> String {
        match side {
            Side::Peer => row.kind.collection(),
            Side::Basalt => row.collection.clone(),
        }
    }

    /// Measures a row on both servers; which one is first changes from row to row.
    async fn row(&mut self, row: &Row, number: usize) -> Result<Outcome> {
        let mut outcome = Outcome::new(row);
        let mut order: Vec<&Server> = self.servers.iter().collect();
        if !number.is_multiple_of(2) {
            order.reverse();
        }
        outcome.first = order
            .first()
            .map(|server| server.side.name())
            .unwrap_or_default();
        self.bar.set_message(row.full_name());
        let mut pages = Vec::new();
        for server in order {
            let patch = row.patches.as_ref().filter(|_| server.side == Side::Peer);
            if let Some((before, _)) = patch {
                server.patch(&row.kind.collection(), before).await?;
            }
            let measure = self.measure(row, server).await?;
            outcome.add(server.side, measure);
            if let Work::List { query, .. } = row.work {
                match check::page(server, &Self::collection(row, server.side), query).await {
                    Ok(page) => {
                        if let Some(wrong) = check::judge(&page, row, &self.material) {
                            outcome.fail(server.side, wrong);
                        }
                        pages.push((server.side, page));
                    }
                    Err(error) => outcome.fail(server.side, format!("{error:#}")),
                }
            }
            if let Some((_, after)) = patch {
                server.patch(&row.kind.collection(), after).await?;
            }
        }
        pages.sort_by_key(|(side, _)| *side);
        if let [(_, peer), (_, basalt)] = pages.as_slice()
            && let Some(found) = check::difference(peer, basalt, "page")
        {
            outcome.fail(Side::Basalt, format!("peer and basalt differ: {found}"));
        }
        self.material.updated(row);
        if row.phase == Phase::Delete {
            self.compare_counts(&mut outcome).await?;
        }
        Ok(outcome)
    }

    async fn measure(&self, row: &Row, server: &Server) -> Result<Measure> {
        let collection = Self::collection(row, server.side);
        let load = self.material.load(row, server, &collection);
        let updates = match row.work {
            Work::List {
                updates: count @ 1..,
                ..
            } => Some(self.material.updates(row, server, &collection, count)),
            _ => None,
        };
        let warm_up = self.material.warm_up(row, server, &collection);
        drive::run(server.address, warm_up, || {}).await?;

        let pid = server.pid().context("the server has ended")?;
        process::forget_peak(pid);
        let before = process::cpu_seconds(pid);
        let lists = drive::run(server.address, load, || {});
        let (tally, beside) = match updates {
            None => (lists.await?, Tally::default()),
            Some(updates) => {
                let (lists, updates) =
                    tokio::join!(lists, drive::run(server.address, updates, || {}));
                (lists?, updates?)
            }
        };
        let cpu = before
            .zip(process::cpu_seconds(pid))
            .map(|(before, after)| after - before);
        Ok(Measure::new(tally, beside, cpu, process::peak_memory(pid)))
    }

    /// After a delete: do both hold as many records?
    async fn compare_counts(&self, outcome: &mut Outcome) -> Result<()> {
        let [one, two] = self.servers.as_slice() else {
            return Ok(());
        };
        let posts = self.material.posts.iter().map(|(kind, _)| *kind);
        for kind in posts.chain([Kind::Users, Kind::Organizations]) {
            let name = kind.collection();
            let counts = (
                check::count(one, &name).await?,
                check::count(two, &name).await?,
            );
            if counts.0 != counts.1 {
                let (one, two) = counts;
                outcome.fail(
                    Side::Basalt,
                    format!("{name}: {one} records in the peer, here {two}"),
                );
            }
        }
        Ok(())
    }

    /// After a create row: both servers hold its records in the main collection, whether the row was
    /// measured or not, and the app's collection with the other rule is empty again.
    async fn settle(&mut self, row: &Row, second: bool, measured: bool) -> Result<()> {
        let records = self.material.half(row.kind, second);
        let main = row.kind.collection();
        for server in &self.servers {
            let elsewhere = Self::collection(row, server.side) != main;
            if measured && elsewhere {
                let ids = records.iter().map(|(id, _)| *id);
                self.delete(server, &row.collection, ids).await?;
            }
            if !measured || elsewhere {
                self.create(server, &[(main.as_str(), &records)]).await?;
            }
        }
        if row.kind == Kind::Users && second {
            for server in &mut self.servers {
                server.user = server.log_in("users", "user0@example.com").await?;
            }
        }
        Ok(())
    }

    /// Brings the app's data into the state that a phase needs. (The peer's never changes: there,
    /// the rules do.)
    async fn enter(&mut self, phase: Phase) -> Result<()> {
        let position = self
            .servers
            .iter()
            .position(|server| server.side == Side::Basalt);
        let Some(position) = position else {
            return Ok(());
        };
        match phase {
            Phase::Create | Phase::Base => {}
            Phase::Ruled => {
                let server = self.servers.remove(position).save().await?;
                self.servers.insert(position, server);
                self.load_variants(position).await?;
            }
            Phase::Delete => {
                let server = self.servers.remove(position).go_back().await?;
                self.servers.insert(position, server);
                self.repeat_deletes(position).await?;
            }
        }
        Ok(())
    }

    /// The same posts into each collection with another list rule.
    async fn load_variants(&self, server: usize) -> Result<()> {
        let Some(server) = self.servers.get(server) else {
            return Ok(());
        };
        let mut wanted: Vec<(String, Kind)> = self
            .rows
            .iter()
            .filter(|(row, chosen)| *chosen && row.phase == Phase::Ruled)
            .map(|(row, _)| (row.collection.clone(), row.kind))
            .collect();
        wanted.dedup();
        let records: Vec<(String, Vec<Record<'_>>)> = wanted
            .into_iter()
            .map(|(collection, kind)| (collection, self.material.records(kind)))
            .collect();
        let parts: Vec<(&str, &[Record<'_>])> = records
            .iter()
            .map(|(name, records)| (name.as_str(), records.as_slice()))
            .collect();
        self.create(server, &parts).await
    }

    /// The posts that were deleted under another rule are gone from the peer's only collection: they
    /// must be gone from the app's main one too.
    async fn repeat_deletes(&self, server: usize) -> Result<()> {
        let Some(server) = self.servers.get(server) else {
            return Ok(());
        };
        for (row, chosen) in &self.rows {
            if let (Work::Delete { second: true }, true) = (row.work, *chosen) {
                let ids = self.material.doomed(row, true).into_iter();
                self.delete(server, &row.kind.collection(), ids).await?;
            }
        }
        Ok(())
    }

    async fn create(&self, server: &Server, parts: &[(&str, &[Record<'_>])]) -> Result<()> {
        let mut requests = Vec::new();
        for (collection, records) in parts {
            let path = format!("/api/collections/{collection}/records");
            requests.extend(records.iter().map(|(_, body)| {
                let body = body.to_string();
                let request = Request::new("POST", &path)
                    .token(&server.superuser)
                    .body(&body);
                request.wire(server.address, false)
            }));
        }
        let names = parts
            .iter()
            .map(|(name, _)| *name)
            .collect::<Vec<_>>()
            .join(", ");
        self.bulk(server, &format!("loading {names}"), requests, 200)
            .await
    }

    async fn delete(
        &self,
        server: &Server,
        collection: &str,
        ids: impl Iterator<Item = &str>,
    ) -> Result<()> {
        let path = |id| format!("/api/collections/{collection}/records/{id}");
        let delete = |id| {
            let path = path(id);
            Request::new("DELETE", &path)
                .token(&server.superuser)
                .wire(server.address, false)
        };
        self.bulk(
            server,
            &format!("emptying {collection}"),
            ids.map(delete).collect(),
            204,
        )
        .await
    }

    /// Requests that are not measured, but must succeed.
    async fn bulk(&self, server: &Server, what: &str, wires: Vec<Wire>, status: u16) -> Result<()> {
        self.bar.reset();
        self.bar.set_length(wires.len() as u64);
        self.bar
            .set_message(format!("{}: {what}", server.side.name()));
        let bar = self.bar.clone();
        let load = Load {
            requests: wires,
            concurrency: LOADERS,
            status,
            new_connections: false,
        };
        let tally = drive::run(server.address, load, move || bar.inc(1)).await?;
        match tally.problem {
            None => Ok(()),
            Some(problem) => Err(anyhow::anyhow!("{problem}"))
                .with_context(|| format!("the {}: {what}", server.side.name())),
        }
    }
}
