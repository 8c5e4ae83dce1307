//! Sets the stage between rows: loads, empties and goes back, so that both servers hold the records
//! that the next row is about. Nothing of this is measured, but all of it must succeed.

use anyhow::{Context, Result, bail};

use crate::check;
use crate::cli::Side;
use crate::drive::{self, Load};
use crate::files::Files;
use crate::pool::Pool;
use crate::request::{Request, Wire};
use crate::rows::{Kind, Phase, Row, Work};
use crate::run::Bench;
use crate::server::Server;
use crate::wires::Record;

/// How many loading requests at a time: enough to keep a server busy, without a queue.
const LOADERS: usize = 50;
/// The peer's side of what an application adds.
const PEER_HOOKS: &str = include_str!("peer_hooks.js");

impl Bench {
    /// After a create row: both servers hold its records in the main collection, whether the row was
    /// measured or not, and the app's collection with the other rule is empty again.
    pub fn settle(&mut self, row: &Row, second: bool, measured: bool) -> Result<()> {
        self.expect_servers()?;
        let main = row.kind.collection();
        for number in 0..self.servers.len() {
            let Some(server) = self.servers.get(number) else {
                continue;
            };
            let elsewhere = Self::collection(row, server.side) != main;
            if !measured {
                let records = self.material.half(row.kind, second);
                self.create(server, main, &records)?;
            } else if elsewhere && let Some(server) = self.servers.get_mut(number) {
                server.restart(&[], None, |server| {
                    let mut files = Files::open(&server.database())?;
                    files.copy(&row.collection, main)?;
                    files.empty(&row.collection)
                })?;
            }
        }
        if row.kind == Kind::Users && second {
            for server in &mut self.servers {
                server.user = server.log_in("users", "user0@example.com")?;
            }
        }
        Ok(())
    }

    /// Brings the data into the state that a phase needs. In the peer it never changes, there the
    /// rules do; but its own code is only there where rows are about that.
    pub fn enter(&mut self, phase: Phase) -> Result<()> {
        self.expect_servers()?;
        self.bar.set_message("making ready");
        let variants = self.variants();
        match phase {
            Phase::Create => {}
            Phase::Base => self.expect_all_records()?,
            Phase::Ruled => {
                for server in self.of(Side::Basalt) {
                    server.restart(&[], None, |server| {
                        let mut files = Files::open(&server.database())?;
                        let mut each = variants.iter();
                        each.try_for_each(|(main, variant)| files.copy(main, variant))
                    })?;
                }
            }
            Phase::Custom => {
                for server in self.of(Side::Peer) {
                    let hooks = server.home().join("hooks");
                    let text = PEER_HOOKS.replace("COLLECTION", crate::rows::POSTS);
                    let flag = format!("--hooksDir={}", hooks.display());
                    server.restart(&[&flag], None, |_| {
                        std::fs::create_dir_all(&hooks)?;
                        std::fs::write(hooks.join("bench.pb.js"), text)
                            .context("cannot write the peer's hooks")
                    })?;
                }
            }
            Phase::Delete => {
                self.repeat_deletes()?;
                for server in self.of(Side::Peer) {
                    server.restart(&[], None, |_| Ok(()))?;
                }
                for server in self.of(Side::Basalt) {
                    server.restart(&[], None, |server| {
                        let mut files = Files::open(&server.database())?;
                        let mut each = variants.iter();
                        each.try_for_each(|(_, variant)| files.empty(variant))
                    })?;
                }
            }
        }
        Ok(())
    }

    fn of(&mut self, side: Side) -> impl Iterator<Item = &mut Server> {
        let servers = self.servers.iter_mut();
        servers.filter(move |server| server.side == side)
    }

    /// The collections that must hold the same records under another rule, each after the main one.
    fn variants(&self) -> Vec<(&'static str, String)> {
        let mut wanted: Vec<(&'static str, String)> = Vec::new();
        for (row, chosen) in &self.rows {
            let main = row.kind.collection();
            let late = row.phase > Phase::Base && row.collection != main;
            let known = wanted.iter().any(|(_, name)| *name == row.collection);
            if *chosen && late && !known {
                wanted.push((main, row.collection.clone()));
            }
        }
        wanted
    }

    /// No comparison means anything unless both servers hold the whole data set.
    fn expect_all_records(&self) -> Result<()> {
        let posts = Kind::Posts(self.size);
        for kind in [Kind::Organizations, Kind::Permissions, Kind::Users, posts] {
            let (name, due) = (kind.collection(), self.material.records(kind).len() as u64);
            for server in &self.servers {
                let count = check::count(server, name)?;
                if count != due {
                    let side = server.side.name();
                    bail!("the {side}: {name} has {count} records, not {due}");
                }
            }
        }
        Ok(())
    }

    /// The posts that were deleted under another rule are gone from the peer's only collection: they
    /// must be gone from the app's main one too.
    fn repeat_deletes(&self) -> Result<()> {
        let ours = self
            .servers
            .iter()
            .find(|server| server.side == Side::Basalt);
        let Some(server) = ours else { return Ok(()) };
        for (row, chosen) in &self.rows {
            if let (Work::Delete { second: true }, true) = (row.work, *chosen) {
                let ids = self.material.doomed(row, true).into_iter();
                self.delete(server, row.kind.collection(), ids)?;
            }
        }
        Ok(())
    }

    fn create(&self, server: &Server, collection: &str, records: &[Record<'_>]) -> Result<()> {
        let path = format!("/api/collections/{collection}/records");
        let create = |(_, body): &Record<'_>| {
            let body = body.to_string();
            let request = Request::new("POST", &path).token(&server.superuser);
            request.body(&body).wire(server.address, false)
        };
        let requests = records.iter().map(create).collect();
        self.bulk(server, &format!("loading {collection}"), requests, 200)
    }

    fn delete<'a>(
        &self,
        server: &Server,
        collection: &str,
        ids: impl Iterator<Item = &'a str>,
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
    }

    /// Requests that are not measured, but must succeed.
    fn bulk(&self, server: &Server, what: &str, wires: Vec<Wire>, status: u16) -> Result<()> {
        self.bar.set_position(0);
        self.bar.set_length(wires.len() as u64);
        self.bar
            .set_message(format!("{}: {what}", server.side.name()));
        let bar = self.bar.clone();
        let load = Load {
            requests: wires,
            concurrency: LOADERS,
            status,
            new_connections: false,
            pace: None,
            may_give_up: false,
            model: None,
        };
        let mut pool = Pool::new(server.address);
        let tallies = drive::run(&mut pool, &[&load], None, &mut || bar.inc(1))?;
        let problem = tallies.into_iter().find_map(|tally| tally.problem);
        match problem {
            None => Ok(()),
            Some(problem) => Err(anyhow::anyhow!("{problem}"))
                .with_context(|| format!("the {}: {what}", server.side.name())),
        }
    }
}
