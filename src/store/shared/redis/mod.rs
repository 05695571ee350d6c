//! Sessions on a Redis server, shared by any number of machines.
//!
//! A session's jobs are done here, on a document that was read with its version, and committed by one atomic script that
//! takes nothing where the version has moved: the jobs are done again then, on what is there now. The time is the
//! server's. Jobs of one session that have come together are committed together.

mod answers;
mod keys;
mod link;

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::thread;
use std::time::Duration;

use redis::{Client, IntoConnectionInfo};
use tokio::sync::mpsc;
use tokio::task::{LocalSet, spawn_local};
use tokio::time::{Instant, sleep};

use super::job::{Bench, Job};
use super::{Message, SharedOptions, SharedStore};
use crate::call::SessionId;
use crate::clock::EpochMs;
use crate::session::key::hex;
use crate::store::StoreError;
use crate::store::document::Document;
use answers::RemoteAnswers;
use keys::Keys;
use link::{Link, Trouble};

const COMMIT: &str = include_str!("commit.lua");
/// Between two tries.
const PAUSE_MS: u64 = 10;
const LONGEST_PAUSE_MS: u64 = 250;

/// Whose time decides expiries and leases.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Time {
    /// The server's: machines need not agree.
    Servers,
    /// The callers': for a test that moves it.
    Callers,
}

/// How a Redis store keeps sessions.
#[derive(Debug, Clone, Copy)]
pub struct RedisOptions {
    /// As of every shared store.
    pub shared: SharedOptions,
    /// How long a session is kept that nobody uses.
    pub idle: Duration,
    /// Whose time decides.
    pub time: Time,
}

impl Default for RedisOptions {
    fn default() -> Self {
        Self { shared: SharedOptions::default(), idle: Duration::from_hours(24), time: Time::Servers }
    }
}

/// A store on the server at `url`: `redis://…`, or `rediss://…` with TLS, where the server's certificate must be of an
/// authority that this system trusts, or that stands in the file that `SSL_CERT_FILE` names. Nothing is connected yet: what is wrong with the server is told by the
/// first operation.
///
/// # Errors
/// Where the address is none, and where no thread can be started.
pub fn open(url: &str, options: RedisOptions) -> std::io::Result<SharedStore> {
    let wrong = |what: String| std::io::Error::new(std::io::ErrorKind::InvalidInput, what);
    let info = url.into_connection_info().map_err(|error| wrong(format!("the address of redis is none: {error}")))?;
    let client = Client::open(info).map_err(|error| wrong(format!("the address of redis can't be used: {error}")))?;
    let (store, inbox) = SharedStore::new(options.shared);
    thread::Builder::new().name("toolgate-store".to_owned()).spawn(move || {
        match tokio::runtime::Builder::new_current_thread().enable_all().build() {
            Ok(runtime) => {
                let worker = Rc::new(Worker::new(client, options));
                LocalSet::new().block_on(&runtime, worker.run(inbox));
            }
            Err(error) => tracing::error!(%error, "no runtime for the session store"),
        }
    })?;
    Ok(store)
}

struct Worker {
    link: Link,
    options: RedisOptions,
    /// Jobs by session. A session that stands here is being worked on.
    waiting: RefCell<HashMap<SessionId, Vec<Box<dyn Job>>>>,
}

/// A session as it was read.
struct Read {
    version: String,
    document: Option<Document>,
    now: EpochMs,
}

impl Worker {
    fn new(client: Client, options: RedisOptions) -> Self {
        let link = Link::new(client, options.shared.patience / 4);
        Self { link, options, waiting: RefCell::default() }
    }

    async fn run(self: Rc<Self>, mut inbox: mpsc::UnboundedReceiver<Message>) {
        while let Some(message) = inbox.recv().await {
            match message {
                Message::Job(job) => self.take(job),
                // The server lets sessions go by itself.
                Message::Sweep { reply, .. } => drop(reply.send(Ok(Vec::new()))),
                Message::Check(reply) => {
                    let worker = Rc::clone(&self);
                    spawn_local(async move {
                        let lasting = match worker.link.sketches().await {
                            Err(Trouble::Lasting(error)) => Err(error),
                            Ok(_) | Err(Trouble::Passing(_)) => Ok(()),
                        };
                        let _ = reply.send(lasting);
                    });
                }
                Message::Close(reply) => {
                    let worker = Rc::clone(&self);
                    spawn_local(async move {
                        while !worker.waiting.borrow().is_empty() {
                            sleep(Duration::from_millis(PAUSE_MS)).await;
                        }
                        worker.link.close();
                        let _ = reply.send(Ok(()));
                    });
                }
            }
        }
        // Nobody asks any more; what was asked is done.
        while !self.waiting.borrow().is_empty() {
            sleep(Duration::from_millis(PAUSE_MS)).await;
        }
    }

    fn take(self: &Rc<Self>, job: Box<dyn Job>) {
        let id = job.session().clone();
        let mut waiting = self.waiting.borrow_mut();
        if let Some(jobs) = waiting.get_mut(&id) {
            jobs.push(job);
            return;
        }
        waiting.insert(id.clone(), vec![job]);
        let worker = Rc::clone(self);
        spawn_local(async move { worker.work_on(&id).await });
    }

    /// Does a session's jobs until there are none.
    async fn work_on(&self, id: &SessionId) {
        let keys = Keys::of(id);
        loop {
            let mut jobs = {
                let mut waiting = self.waiting.borrow_mut();
                let jobs = waiting.get_mut(id).map(std::mem::take).unwrap_or_default();
                if jobs.is_empty() {
                    waiting.remove(id);
                    return;
                }
                jobs
            };
            let committed = self.commit(&keys, &mut jobs).await;
            let undoing: Vec<_> = jobs.into_iter().filter_map(|job| job.finish(committed.clone())).collect();
            if let Some(waiting) = self.waiting.borrow_mut().get_mut(id) {
                waiting.extend(undoing);
            }
        }
    }

    async fn commit(&self, keys: &Keys, jobs: &mut Vec<Box<dyn Job>>) -> Result<(), StoreError> {
        // A little less than the callers wait, so that they hear why.
        let until = Instant::now() + self.options.shared.patience * 4 / 5;
        let mut pause = Pause::default();
        loop {
            jobs.retain(|job| !job.is_given_up());
            if jobs.is_empty() {
                return Ok(());
            }
            match self.try_commit(keys, jobs, until).await {
                Ok(true) => return Ok(()),
                Ok(false) if Instant::now() >= until => {
                    return Err(StoreError::Stuck("redis: others kept changing the session".to_owned()));
                }
                Err(Trouble::Passing(error)) if jobs.iter().all(|job| job.is_probe()) => return Err(error),
                Err(Trouble::Passing(_)) | Ok(false) if Instant::now() < until => pause.wait().await,
                Err(trouble) => return Err(trouble.into_error()),
                Ok(false) => {}
            }
        }
    }

    /// Reads, does the jobs, commits. False where another commit came first.
    async fn try_commit(&self, keys: &Keys, jobs: &mut [Box<dyn Job>], until: Instant) -> Result<bool, Trouble> {
        let read = self.read(keys).await?;
        let sketches = self.link.sketches().await?;
        let bench = Bench { now: (self.options.time == Time::Servers).then_some(read.now), sketches };
        let mut answers = RemoteAnswers::default();
        let (document, changed) = loop {
            answers.start();
            let (mut slot, mut changed) = (read.document.clone(), false);
            for job in jobs.iter_mut() {
                changed |= job.apply(&mut slot, &mut answers, bench);
            }
            if answers.missing.is_empty() {
                break (slot, changed);
            }
            self.fetch(keys, &mut answers).await?;
        };
        match document {
            Some(document) if changed => self.write(keys, &read.version, &document, &answers, until).await,
            _ => Ok(true),
        }
    }

    async fn read(&self, keys: &Keys) -> Result<Read, Trouble> {
        let mut commands = redis::pipe();
        commands.cmd("HMGET").arg(&keys.session).arg("version").arg("document").cmd("TIME");
        let ((version, text), (seconds, micros)): ((Option<String>, Option<String>), (u64, u64)) =
            self.link.ask_all(&commands).await?;
        let document = text.map(|text| serde_json::from_str(&text)).transpose().map_err(|error| {
            Trouble::Lasting(StoreError::Stuck(format!("a session on redis can't be read: {error}")))
        })?;
        Ok(Read { version: version.unwrap_or_default(), document, now: seconds * 1000 + micros / 1000 })
    }

    async fn fetch(&self, keys: &Keys, answers: &mut RemoteAnswers) -> Result<(), Trouble> {
        let missing: Vec<u64> = answers.missing.iter().copied().collect();
        let mut command = redis::cmd("HMGET");
        command.arg(&keys.answers).arg(&missing);
        let texts: Vec<Option<String>> = self.link.ask(&command).await?;
        let read = |text: Option<String>| {
            text.and_then(|text| crate::response::ToolResponse::from_kept(&text)).map(Into::into)
        };
        answers.fetched.extend(missing.into_iter().zip(texts.into_iter().map(read)));
        Ok(())
    }

    /// Sends one and the same commit until it is known what came of it: where the connection breaks, it may have been
    /// done.
    async fn write(
        &self,
        keys: &Keys,
        version: &str,
        document: &Document,
        answers: &RemoteAnswers,
        until: Instant,
    ) -> Result<bool, Trouble> {
        let lasting = |error: String| Trouble::Lasting(StoreError::Failed(error));
        let next = nonce().map_err(|error| lasting(format!("no random bytes: {error}")))?;
        let text = serde_json::to_string(document).map_err(|error| lasting(error.to_string()))?;
        let mut command = redis::cmd("EVAL");
        command.arg(COMMIT).arg(3).arg(&keys.session).arg(&keys.answers).arg(&keys.commits);
        command.arg(version).arg(next).arg(text);
        command.arg(u64::try_from(self.options.idle.as_millis()).unwrap_or(u64::MAX)).arg(answers.put.len());
        for (epoch, answer) in &answers.put {
            command.arg(epoch).arg(answer.to_kept());
        }
        for epoch in &answers.removed {
            command.arg(epoch);
        }
        let mut pause = Pause::default();
        loop {
            match self.link.ask::<u8>(&command).await {
                Ok(committed) => return Ok(committed == 1),
                Err(Trouble::Passing(_)) if Instant::now() < until => pause.wait().await,
                Err(trouble) => return Err(trouble),
            }
        }
    }
}

/// Names a commit.
fn nonce() -> Result<String, getrandom::Error> {
    let mut bytes = [0_u8; 12];
    getrandom::fill(&mut bytes)?;
    Ok(hex(&bytes))
}

/// Longer from try to try, and never the same for two who try at once.
struct Pause(u64);

impl Default for Pause {
    fn default() -> Self {
        Self(PAUSE_MS)
    }
}

impl Pause {
    async fn wait(&mut self) {
        let random = getrandom::u32().unwrap_or(u32::MAX);
        let part = u64::from(random) * self.0 / u64::from(u32::MAX);
        sleep(Duration::from_millis(part.max(1))).await;
        self.0 = (self.0 * 2).min(LONGEST_PAUSE_MS);
    }
}
