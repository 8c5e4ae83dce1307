//! Sends the requests of a row at its concurrency and keeps what came of each.
//!
//! One thread that waits for all connections at once, one buffer for whatever arrives: this tool
//! shares the machine with the servers, and each cycle that it saves is one that doesn't blur the
//! comparison.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow};
use rustix::buffer::spare_capacity;
use rustix::event::Timespec;
use rustix::event::epoll::{self, CreateFlags, Event, EventData, EventFlags};
use rustix::fd::OwnedFd;

use crate::answer::Reader;
use crate::http::{PATIENCE, waits};
use crate::pool::{self, Pool};
use crate::request::Wire;
use crate::stop;
use crate::tally::{Arrival, Tally};

/// How much of an unexpected answer is quoted.
const QUOTED: usize = 300;
/// Enough for any page: one read takes a whole answer.
const BUFFER: usize = 128 << 10;
const EVENTS: usize = 256;
/// How long a wait may be without a look at the clock.
const LOOK: Duration = Duration::from_millis(250);

/// Requests, and how to send them.
#[derive(Clone)]
pub struct Load {
    /// In the order in which they are sent.
    pub requests: Vec<Wire>,
    /// How many at a time.
    pub concurrency: usize,
    /// The status that each should get.
    pub status: u16,
    /// Open a connection for each request, inside the measured time?
    pub new_connections: bool,
    /// One each time that so much has passed, over and over while the other loads last. A request
    /// that no connection was free for counts from when it was due.
    pub pace: Option<Duration>,
    /// Is a 400 after thirty seconds the server's way to say that it takes too long?
    pub may_give_up: bool,
    /// The body that each answer must have, to the byte.
    pub model: Option<Arc<[u8]>>,
}

/// Sends all loads at once; their tallies in the same order. After the deadline nothing more is sent.
/// `tick` is called after each answer.
pub fn run(
    pool: &mut Pool,
    loads: &[&Load],
    deadline: Option<Instant>,
    tick: &mut dyn FnMut(),
) -> Result<Vec<Tally>> {
    let mut driver = Driver::new(pool, loads, deadline)?;
    driver.run(tick)?;
    let Driver { slots, flows, .. } = driver;
    pool.give_back(slots.into_iter().filter_map(|slot| slot.stream));
    Ok(flows.into_iter().map(|flow| flow.tally).collect())
}

/// A load under way.
struct Flow<'a> {
    load: &'a Load,
    next: usize,
    busy: usize,
    due: Instant,
    tally: Tally,
}

impl Flow<'_> {
    /// The next request, by its place.
    fn next(&mut self) -> Option<usize> {
        let count = self.load.requests.len();
        let next = self.next;
        if self.load.pace.is_none() && next >= count {
            return None;
        }
        self.next += 1;
        self.busy += 1;
        next.checked_rem(count)
    }

    fn is_main(&self) -> bool {
        self.load.pace.is_none()
    }
}

/// A connection and the request that it has.
struct Slot {
    stream: Option<TcpStream>,
    reader: Reader,
    flow: usize,
    request: usize,
    written: usize,
    since: Instant,
    busy: bool,
    start: Vec<u8>,
    /// How much of the model the body has met so far; `None` once it is another one.
    met: Option<usize>,
}

struct Driver<'a> {
    address: SocketAddr,
    epoll: OwnedFd,
    slots: Vec<Slot>,
    flows: Vec<Flow<'a>>,
    buffer: Vec<u8>,
    deadline: Option<Instant>,
    started: Instant,
}

impl<'a> Driver<'a> {
    fn new(pool: &mut Pool, loads: &[&'a Load], deadline: Option<Instant>) -> Result<Driver<'a>> {
        let now = Instant::now();
        let flow = |load: &&'a Load| Flow {
            load,
            next: 0,
            busy: 0,
            due: now,
            tally: Tally::default(),
        };
        let mut driver = Driver {
            address: pool.address,
            epoll: epoll::create(CreateFlags::CLOEXEC)?,
            slots: Vec::new(),
            flows: loads.iter().map(flow).collect(),
            buffer: vec![0; BUFFER],
            deadline,
            started: now,
        };
        let wanted = |load: &&Load| match load.pace {
            None => load.concurrency.min(load.requests.len()),
            Some(_) => load.concurrency,
        };
        // By turns, so that loads that start together don't queue up behind each other.
        let workers: Vec<usize> = loads.iter().map(wanted).collect();
        let most = workers.iter().copied().max().unwrap_or_default();
        let turns = (0..most).flat_map(|turn| {
            let loads = workers.iter().enumerate();
            loads.filter_map(move |(load, &count)| (turn < count).then_some(load))
        });
        for flow in turns.collect::<Vec<_>>() {
            let own = loads.get(flow).is_some_and(|load| load.new_connections);
            let stream = match own {
                true => None,
                false => pool.take(1)?.pop(),
            };
            if let Some(stream) = &stream {
                driver.watch(stream, driver.slots.len())?;
            }
            driver.slots.push(Slot {
                stream,
                reader: Reader::new(),
                flow,
                request: 0,
                written: 0,
                since: now,
                busy: false,
                start: Vec::with_capacity(QUOTED),
                met: Some(0),
            });
        }
        Ok(driver)
    }

    /// Each change of the connection is told once; so it is read until nothing is left.
    fn watch(&self, stream: &TcpStream, slot: usize) -> Result<()> {
        let flags = EventFlags::IN | EventFlags::OUT | EventFlags::RDHUP | EventFlags::ET;
        epoll::add(&self.epoll, stream, EventData::new_u64(slot as u64), flags)
            .context("cannot wait for a connection")
    }

    fn run(&mut self, tick: &mut dyn FnMut()) -> Result<()> {
        self.started = Instant::now();
        for flow in &mut self.flows {
            flow.due = self.started;
        }
        for slot in 0..self.slots.len() {
            let paced = self
                .slots
                .get(slot)
                .and_then(|slot| self.flows.get(slot.flow));
            if paced.is_some_and(Flow::is_main) {
                self.send(slot, Instant::now());
            }
        }
        let mut events: Vec<Event> = Vec::with_capacity(EVENTS);
        let mut looked = self.started;
        while self.is_open() {
            stop::check()?;
            let pause = self.keep_pace();
            match epoll::wait(
                &self.epoll,
                spare_capacity(&mut events),
                Some(&timespec(pause)),
            ) {
                Ok(_) | Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(error).context("cannot wait for answers"),
            }
            for event in events.drain(..) {
                let slot = usize::try_from(event.data.u64()).unwrap_or(usize::MAX);
                if self.event(slot) {
                    tick();
                }
            }
            if looked.elapsed() > LOOK {
                looked = Instant::now();
                self.give_up(looked);
            }
        }
        Ok(())
    }

    fn late(&self, now: Instant) -> bool {
        self.deadline.is_some_and(|deadline| now > deadline)
    }

    /// Is an answer due, or a request left?
    fn is_open(&self) -> bool {
        self.flows.iter().any(|flow| flow.busy > 0) || self.mains_open()
    }

    fn mains_open(&self) -> bool {
        let late = self.late(Instant::now());
        let left = |flow: &Flow<'_>| !late && flow.next < flow.load.requests.len();
        let mut mains = self.flows.iter().filter(|flow| flow.is_main());
        mains.any(|flow| flow.busy > 0 || left(flow))
    }

    /// Sends what is due of paced loads; how long until the next one.
    fn keep_pace(&mut self) -> Duration {
        let mut pause = LOOK;
        for number in 0..self.flows.len() {
            let Some(pace) = self.flows.get(number).and_then(|flow| flow.load.pace) else {
                continue;
            };
            loop {
                let now = Instant::now();
                let due = self.flows.get(number).map_or(now, |flow| flow.due);
                let free = |slot: &Slot| slot.flow == number && !slot.busy;
                let Some(slot) = self.slots.iter().position(free) else {
                    break;
                };
                if due > now || !self.mains_open() {
                    pause = pause.min(due.saturating_duration_since(now));
                    break;
                }
                self.send(slot, due);
                if let Some(flow) = self.flows.get_mut(number) {
                    flow.due = due + pace;
                }
            }
        }
        pause
    }

    /// Sends the next request of the slot's load, if there is one.
    fn send(&mut self, number: usize, since: Instant) {
        let late = self.late(since);
        loop {
            let Some(slot) = self.slots.get_mut(number) else {
                return;
            };
            let Some(flow) = self.flows.get_mut(slot.flow) else {
                return;
            };
            slot.busy = false;
            if late {
                return;
            }
            let Some(request) = flow.next() else { return };
            slot.begin(request, since);
            match self.dispatch(number) {
                Ok(()) => return,
                Err(error) => self.fail(number, &error),
            }
        }
    }

    fn dispatch(&mut self, number: usize) -> Result<()> {
        let open = self
            .slots
            .get(number)
            .is_some_and(|slot| slot.stream.is_some());
        if !open {
            let stream = pool::open(self.address)?;
            self.watch(&stream, number)?;
            if let Some(slot) = self.slots.get_mut(number) {
                slot.stream = Some(stream);
            }
        }
        let Some(slot) = self.slots.get_mut(number) else {
            return Ok(());
        };
        let Some(flow) = self.flows.get(slot.flow) else {
            return Ok(());
        };
        slot.write(&flow.load.requests)
    }

    /// Something happened on a connection. Was it the end of an answer?
    fn event(&mut self, number: usize) -> bool {
        let Some(slot) = self.slots.get_mut(number) else {
            return false;
        };
        let Some(flow) = self.flows.get_mut(slot.flow) else {
            return false;
        };
        if !slot.busy {
            if slot.is_closed() {
                slot.stream = None;
            }
            return false;
        }
        match slot.pump(flow.load, &mut self.buffer) {
            Ok(false) => return false,
            Ok(true) => {
                let now = Instant::now();
                flow.busy -= 1;
                flow.tally.elapsed = now - self.started;
                let arrival = Arrival {
                    status: slot.reader.status(),
                    length: slot.reader.length(),
                    start: &slot.start,
                    same: slot.is_same(flow.load),
                    took: now - slot.since,
                };
                flow.tally
                    .arrived(&arrival, flow.load.status, flow.load.may_give_up);
                if flow.load.new_connections || !slot.reader.keeps_open() {
                    slot.stream = None;
                }
                slot.busy = false;
                if flow.is_main() {
                    self.send(number, now);
                }
            }
            Err(error) => {
                let main = flow.is_main();
                self.fail(number, &error);
                if main {
                    self.send(number, Instant::now());
                }
            }
        }
        true
    }

    fn fail(&mut self, number: usize, error: &anyhow::Error) {
        let Some(slot) = self.slots.get_mut(number) else {
            return;
        };
        slot.stream = None;
        slot.busy = false;
        if let Some(flow) = self.flows.get_mut(slot.flow) {
            flow.busy -= 1;
            flow.tally.elapsed = self.started.elapsed();
            flow.tally.failed(error);
        }
    }

    /// Ends requests that wait for too long. A server that is stuck gets nothing more.
    fn give_up(&mut self, now: Instant) {
        for number in 0..self.slots.len() {
            let Some(slot) = self.slots.get(number) else {
                return;
            };
            if slot.busy && now.saturating_duration_since(slot.since) > PATIENCE {
                self.fail(
                    number,
                    &anyhow!("no answer within {} seconds", PATIENCE.as_secs()),
                );
                self.deadline = Some(now);
            }
        }
    }
}

impl Slot {
    fn begin(&mut self, request: usize, since: Instant) {
        self.reader.reset();
        self.start.clear();
        self.met = Some(0);
        (self.request, self.written, self.since, self.busy) = (request, 0, since, true);
    }

    /// Writes as much of the request as the connection takes.
    fn write(&mut self, requests: &[Wire]) -> Result<()> {
        let wire = requests.get(self.request).map(AsRef::as_ref);
        let Some(stream) = &mut self.stream else {
            return Ok(());
        };
        while let Some(rest @ [_, ..]) = wire.and_then(|wire: &[u8]| wire.get(self.written..)) {
            match stream.write(rest) {
                Ok(length) => self.written += length,
                Err(error) if waits(&error) => return Ok(()),
                Err(error) => return Err(error).context("cannot send"),
            }
        }
        Ok(())
    }

    /// Goes on with the request, then with the answer. Is that complete?
    fn pump(&mut self, load: &Load, buffer: &mut [u8]) -> Result<bool> {
        self.write(&load.requests)?;
        let Some(stream) = &mut self.stream else {
            return Ok(false);
        };
        loop {
            let length = match stream.read(buffer) {
                Ok(length) => length,
                Err(error) if waits(&error) => return Ok(false),
                Err(error) => return Err(error).context("cannot read"),
            };
            let Some(piece @ [_, ..]) = buffer.get(..length) else {
                self.reader.end()?;
                return Ok(true);
            };
            let (start, met) = (&mut self.start, &mut self.met);
            let keep = |part: &[u8]| {
                if let Some(model) = &load.model {
                    *met = met.and_then(|met| {
                        let due = model.get(met..)?;
                        due.starts_with(part).then_some(met + part.len())
                    });
                }
                let room = QUOTED.saturating_sub(start.len()).min(part.len());
                start.extend_from_slice(part.get(..room).unwrap_or_default());
            };
            if self.reader.take(piece, keep)? {
                return Ok(true);
            }
        }
    }

    /// Was the body what it should be?
    fn is_same(&self, load: &Load) -> bool {
        let model = load.model.as_ref();
        model.is_none_or(|model| self.met == Some(model.len()))
    }

    /// Has the server hung up meanwhile?
    fn is_closed(&mut self) -> bool {
        let Some(stream) = &mut self.stream else {
            return true;
        };
        // Nothing was asked: a byte would be as wrong as the end.
        match stream.peek(&mut [0]) {
            Ok(0..) => true,
            Err(error) => !waits(&error),
        }
    }
}

fn timespec(time: Duration) -> Timespec {
    Timespec {
        tv_sec: i64::try_from(time.as_secs()).unwrap_or_default(),
        tv_nsec: time.subsec_nanos().into(),
    }
}

#[cfg(test)]
mod tests;
