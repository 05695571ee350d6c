//! Audit sinks. A sink accepts a line without waiting until it is written.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{self, Sender};
use std::thread;

use hmac::{Hmac, KeyInit, Mac};
use serde::Serialize;
use sha2::Sha256;

use crate::session::key::hex;

/// A destination of audit lines.
pub trait AuditSink: Send + Sync + 'static {
    /// Accepts one line, without its line break. Never waits.
    fn write(&self, line: String);
    /// Waits until every line accepted so far is written.
    fn flush(&self);
    /// How writing goes. A sink without an own destination never fails.
    fn health(&self) -> AuditHealth {
        AuditHealth::default()
    }
}

/// How writing audit lines goes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct AuditHealth {
    /// Whether the last line could not be written.
    pub failing: bool,
    /// Lines that could not be written so far.
    pub lost: u64,
}

/// What the writing thread counts, and its sink reads.
#[derive(Debug, Default)]
struct WriterState {
    failing: AtomicBool,
    lost: AtomicU64,
}

impl WriterState {
    /// Counts the end of a write. Warns when a run of failures begins and when it ends: a full disk must not add a line
    /// to standard error for each line that it lost.
    fn count(&self, written: io::Result<()>) {
        match written {
            Ok(()) => {
                if self.failing.swap(false, Ordering::Relaxed) {
                    let lost = self.lost.load(Ordering::Relaxed);
                    tracing::warn!(lost, "audit lines are written again");
                }
            }
            Err(error) => {
                let lost = self.lost.fetch_add(1, Ordering::Relaxed) + 1;
                if !self.failing.swap(true, Ordering::Relaxed) {
                    tracing::error!(%error, lost, "audit lines cannot be written and are lost");
                }
            }
        }
    }

    fn health(&self) -> AuditHealth {
        AuditHealth { failing: self.failing.load(Ordering::Relaxed), lost: self.lost.load(Ordering::Relaxed) }
    }
}

enum WriterCommand {
    Line(String),
    Flush(Sender<()>),
}

/// Writes lines on a thread of its own.
pub struct WriterSink {
    jobs: Sender<WriterCommand>,
    state: Arc<WriterState>,
}

impl WriterSink {
    /// A sink to the process' standard output.
    #[must_use]
    pub fn stdout() -> Self {
        Self::spawn(io::stdout())
    }

    /// A sink that appends to a file, readable by its owner only.
    ///
    /// # Errors
    /// If the file can't be opened for appending.
    pub fn file(path: &Path) -> io::Result<Self> {
        Ok(Self::spawn(open_private(path)?))
    }

    fn spawn(out: impl Write + Send + 'static) -> Self {
        let (jobs, work) = mpsc::channel();
        // The thread ends when the sink is dropped and the channel with it.
        let state = Arc::new(WriterState::default());
        let counted = Arc::clone(&state);
        thread::spawn(move || run_writer(out, &work, &counted));
        Self { jobs, state }
    }
}

fn open_private(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.create(true).append(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

fn run_writer(mut out: impl Write, work: &mpsc::Receiver<WriterCommand>, state: &WriterState) {
    for job in work {
        match job {
            WriterCommand::Line(line) => state.count(out.write_all(format!("{line}\n").as_bytes())),
            WriterCommand::Flush(done) => {
                if let Err(error) = out.flush() {
                    state.count(Err(error));
                }
                // The caller may have stopped waiting.
                let _ = done.send(());
            }
        }
    }
}

impl AuditSink for WriterSink {
    fn write(&self, line: String) {
        // The writer lives as long as the sink.
        let _ = self.jobs.send(WriterCommand::Line(line));
    }

    fn flush(&self) {
        let (done, written) = mpsc::channel();
        if self.jobs.send(WriterCommand::Flush(done)).is_ok() {
            let _ = written.recv();
        }
    }

    fn health(&self) -> AuditHealth {
        self.state.health()
    }
}

/// A secret key that hashes arguments for audit lines: equal arguments have equal hashes, and without the key values
/// can't be tested against a hash.
pub struct AuditKey(Hmac<Sha256>);

impl AuditKey {
    /// Creates a key from a secret.
    #[must_use]
    pub fn new(secret: &[u8]) -> Option<Self> {
        Hmac::new_from_slice(secret).ok().map(Self)
    }

    /// Returns the hash, 32 hex digits.
    #[must_use]
    pub fn hash(&self, bytes: &[u8]) -> String {
        let mut mac = self.0.clone();
        mac.update(bytes);
        hex(mac.finalize().into_bytes().get(..16).unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Fails for as long as `full` is set.
    struct Disk {
        full: Arc<AtomicBool>,
    }

    impl Write for Disk {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            if self.full.load(Ordering::Relaxed) { Err(io::ErrorKind::StorageFull.into()) } else { Ok(bytes.len()) }
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn lost_lines_are_counted_until_writing_works_again() {
        let full = Arc::new(AtomicBool::new(true));
        let sink = WriterSink::spawn(Disk { full: Arc::clone(&full) });
        sink.write("1".to_owned());
        sink.write("2".to_owned());
        sink.flush();
        assert_eq!(sink.health(), AuditHealth { failing: true, lost: 2 });
        full.store(false, Ordering::Relaxed);
        sink.write("3".to_owned());
        sink.flush();
        assert_eq!(sink.health(), AuditHealth { failing: false, lost: 2 });
    }
}
