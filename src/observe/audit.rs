//! Where audit lines go. A sink takes a line without waiting for it to be written.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use std::sync::mpsc::{self, Sender};
use std::thread;

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use crate::session::key::hex;

/// Takes audit lines.
pub trait AuditSink: Send + Sync + 'static {
    /// Takes one line, without its end. Never waits.
    fn write(&self, line: String);
    /// Waits until every line taken so far is written.
    fn flush(&self);
}

enum Job {
    Line(String),
    Flush(Sender<()>),
}

/// Writes lines on a thread of its own.
pub struct WriterSink {
    jobs: Sender<Job>,
}

impl WriterSink {
    /// To the process' standard output.
    #[must_use]
    pub fn stdout() -> Self {
        Self::to(io::stdout())
    }

    /// Appends to a file that only its owner reads.
    ///
    /// # Errors
    /// Where the file can't be opened for appending.
    pub fn file(path: &Path) -> io::Result<Self> {
        Ok(Self::to(open_private(path)?))
    }

    fn to(out: impl Write + Send + 'static) -> Self {
        let (jobs, work) = mpsc::channel();
        // The thread ends when the sink is dropped and the channel with it.
        thread::spawn(move || write_all(out, &work));
        Self { jobs }
    }
}

fn open_private(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.create(true).append(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

fn write_all(mut out: impl Write, work: &mpsc::Receiver<Job>) {
    for job in work {
        let result = match job {
            Job::Line(line) => out.write_all(format!("{line}\n").as_bytes()),
            Job::Flush(done) => {
                let flushed = out.flush();
                // Whoever asked may have given up waiting.
                let _ = done.send(());
                flushed
            }
        };
        if let Err(error) = result {
            tracing::error!(%error, "an audit line could not be written");
        }
    }
}

impl AuditSink for WriterSink {
    fn write(&self, line: String) {
        // The writer lives as long as the sink.
        let _ = self.jobs.send(Job::Line(line));
    }

    fn flush(&self) {
        let (done, written) = mpsc::channel();
        if self.jobs.send(Job::Flush(done)).is_ok() {
            let _ = written.recv();
        }
    }
}

/// Hashes arguments for audit lines so that equal ones are seen to be equal and nobody can try values against them.
pub struct AuditKey(Hmac<Sha256>);

impl AuditKey {
    /// From a secret.
    #[must_use]
    pub fn new(secret: &[u8]) -> Option<Self> {
        Hmac::new_from_slice(secret).ok().map(Self)
    }

    /// 32 hex digits.
    #[must_use]
    pub fn hash(&self, bytes: &[u8]) -> String {
        let mut mac = self.0.clone();
        mac.update(bytes);
        hex(mac.finalize().into_bytes().get(..16).unwrap_or_default())
    }
}
