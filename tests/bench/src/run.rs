//! The run: starts the servers, brings each row's data into place, measures, checks.

use std::path::Path;

use anyhow::{Context, Result};
use indicatif::{ProgressBar, ProgressStyle};

use crate::catalogue;
use crate::check;
use crate::cli::{Options, Side};
use crate::data::{Counts, Data};
use crate::drive::{self, Tally};
use crate::outcome::{Measure, Outcome};
use crate::process;
use crate::rows::{Kind, Phase, Row, Work};
use crate::server::Server;
use crate::wires::Material;

const PEER_SCHEMA: &str = include_str!("../peer_schema.json");
const SMOKE_POSTS: usize = 100;
const SMOKE_REQUESTS: usize = 10;

/// Everything that a run has in hand.
pub struct Bench {
    /// The records.
    pub material: Material,
    /// One or both, the peer first.
    pub servers: Vec<Server>,
    /// All rows, and whether they are to be measured.
    pub rows: Vec<(Row, bool)>,
    /// What is going on.
    pub bar: ProgressBar,
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
        let rows: Vec<(Row, bool)> = catalogue::all(&options.sizes)
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
    pub fn collection(row: &Row, side: Side) -> String {
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
        let mut answers = Vec::new();
        for server in order {
            let patch = row.patches.as_ref().filter(|_| server.side == Side::Peer);
            if let Some((before, _)) = patch {
                server.patch(&row.kind.collection(), before).await?;
            }
            let measure = self.measure(row, server).await?;
            outcome.add(server.side, measure);
            let collection = Self::collection(row, server.side);
            match check::answer(server, row, &collection, &self.material).await {
                Ok(None) => {}
                Ok(Some(answer)) => {
                    if let Some(wrong) = check::judge(&answer, row, &self.material) {
                        outcome.fail(server.side, wrong);
                    }
                    answers.push((server.side, answer));
                }
                Err(error) => outcome.fail(server.side, format!("{error:#}")),
            }
            if let Some((_, after)) = patch {
                server.patch(&row.kind.collection(), after).await?;
            }
        }
        answers.sort_by_key(|(side, _)| *side);
        if let [(_, peer), (_, basalt)] = answers.as_slice()
            && let Some(found) = check::difference(peer, basalt, "answer")
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
        let address = server.address;
        let warm_up = self.material.warm_up(row, server, &collection);
        drive::prepare(address, warm_up).await?.run(|| {}).await?;

        let pid = server.pid().context("the server has ended")?;
        let lists = drive::prepare(address, load).await?;
        let updates = match updates {
            Some(updates) => Some(drive::prepare(address, updates).await?),
            None => None,
        };
        let clock = process::Clock::start(pid);
        let (tally, beside) = match updates {
            None => (lists.run(|| {}).await?, Tally::default()),
            Some(updates) => {
                let (lists, updates) = tokio::join!(lists.run(|| {}), updates.run(|| {}));
                (lists?, updates?)
            }
        };
        Ok(Measure::new(tally, beside, clock.stop()))
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
}
