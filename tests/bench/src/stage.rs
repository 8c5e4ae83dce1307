//! Sets the stage between rows: loads, empties and goes back, so that both servers hold the records
//! that the next row is about. Nothing of this is measured, but all of it must succeed.

use anyhow::{Context, Result, bail};

use crate::check;
use crate::cli::Side;
use crate::drive::{self, Load};
use crate::request::{Request, Wire};
use crate::rows::{Kind, Phase, Row, Work};
use crate::run::Bench;
use crate::server::Server;
use crate::wires::Record;

/// How many loading requests at a time: enough to keep a server busy, without a queue.
const LOADERS: usize = 50;

impl Bench {
    /// After a create row: both servers hold its records in the main collection, whether the row was
    /// measured or not, and the app's collection with the other rule is empty again.
    pub async fn settle(&mut self, row: &Row, second: bool, measured: bool) -> Result<()> {
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
    pub async fn enter(&mut self, phase: Phase) -> Result<()> {
        if phase == Phase::Base {
            self.expect_all_records().await?;
        }
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

    /// No comparison means anything unless both servers hold the whole data set.
    async fn expect_all_records(&self) -> Result<()> {
        let fixed = [Kind::Organizations, Kind::Permissions, Kind::Users];
        let posts = self.material.posts.iter().map(|(kind, _)| *kind);
        for kind in fixed.into_iter().chain(posts) {
            let (name, due) = (kind.collection(), self.material.records(kind).len() as u64);
            for server in &self.servers {
                let count = check::count(server, &name).await?;
                if count != due {
                    bail!(
                        "the {}: {name} has {count} records, not {due}",
                        server.side.name()
                    );
                }
            }
        }
        Ok(())
    }

    /// The same posts into each collection with another list rule.
    async fn load_variants(&self, server: usize) -> Result<()> {
        let Some(server) = self.servers.get(server) else {
            return Ok(());
        };
        let mut wanted: Vec<(String, Kind)> = Vec::new();
        for (row, chosen) in &self.rows {
            let known = wanted.iter().any(|(name, _)| *name == row.collection);
            if *chosen && row.phase == Phase::Ruled && !known {
                wanted.push((row.collection.clone(), row.kind));
            }
        }
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
        let ready = drive::prepare(server.address, load).await?;
        let tally = ready.run(move || bar.inc(1)).await?;
        match tally.problem {
            None => Ok(()),
            Some(problem) => Err(anyhow::anyhow!("{problem}"))
                .with_context(|| format!("the {}: {what}", server.side.name())),
        }
    }
}
