//! The sink that writes lines on a thread of its own, from a bounded queue.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, Sender, SyncSender, TrySendError};
use std::thread;

use super::audit_file::{AuditFile, Rotation};
use super::installation_key::InstallationKey;
use super::line_output::LineOutput;
use super::{AuditHealth, AuditSink};

/// The largest number of lines that wait for the writer.
const QUEUED_LINES: usize = 65_536;

/// The largest number of bytes that wait for the writer.
const QUEUED_BYTES: usize = 64 << 20;

/// What the sink and its writing thread count.
#[derive(Debug, Default)]
struct WriterState {
    failing: AtomicBool,
    lost: AtomicU64,
    queued_bytes: AtomicUsize,
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

    /// Notes that lines are not on the disk. They may be there later: they are not counted as lost.
    fn count_sync(&self, synced: io::Result<()>) {
        if let Err(error) = synced {
            self.failing.store(true, Ordering::Relaxed);
            tracing::error!(%error, "audit lines cannot be flushed to the disk");
        }
    }

    /// Takes room for a line, or returns false.
    fn reserve(&self, bytes: usize) -> bool {
        let taken = self.queued_bytes.fetch_add(bytes, Ordering::Relaxed);
        let fits = taken.saturating_add(bytes) <= QUEUED_BYTES;
        if !fits {
            self.release(bytes);
        }
        fits
    }

    fn release(&self, bytes: usize) {
        self.queued_bytes.fetch_sub(bytes, Ordering::Relaxed);
    }

    fn health(&self) -> AuditHealth {
        AuditHealth { failing: self.failing.load(Ordering::Relaxed), lost: self.lost.load(Ordering::Relaxed) }
    }
}

enum WriterCommand {
    Line(String),
    Flush(Sender<()>),
}

/// Writes lines on a thread of its own. At most 65,536 lines and 64 MiB wait for it: further lines are lost and counted.
pub struct WriterSink {
    jobs: SyncSender<WriterCommand>,
    state: Arc<WriterState>,
}

impl WriterSink {
    /// A sink to the process' standard output.
    ///
    /// # Errors
    /// If there is no thread for it.
    pub fn stdout() -> io::Result<Self> {
        Self::spawn(io::stdout())
    }

    /// A sink that appends to a file, readable by its owner only, and rotates it if `rotation` is given.
    ///
    /// # Errors
    /// If the file can't be opened for appending, or if there is no thread for it.
    pub fn file(path: &Path, rotation: Option<Rotation>) -> io::Result<Self> {
        Self::spawn(AuditFile::open(path, rotation, None)?)
    }

    /// As [`Self::file`], with the lines in a chain under the installation's key. Lines are written without a place in
    /// the chain as long as the key is not known.
    ///
    /// # Errors
    /// As [`Self::file`].
    pub fn chained_file(path: &Path, rotation: Option<Rotation>, key: Arc<InstallationKey>) -> io::Result<Self> {
        Self::spawn(AuditFile::open(path, rotation, Some(key))?)
    }

    fn spawn(out: impl LineOutput) -> io::Result<Self> {
        let (jobs, work) = mpsc::sync_channel(QUEUED_LINES);
        let state = Arc::new(WriterState::default());
        let counted = Arc::clone(&state);
        // The thread ends when the sink is dropped and the channel with it.
        thread::Builder::new().name("toolgate-audit".to_owned()).spawn(move || run_writer(out, &work, &counted))?;
        Ok(Self { jobs, state })
    }
}

fn run_writer(mut out: impl LineOutput, work: &Receiver<WriterCommand>, state: &WriterState) {
    for job in work {
        match job {
            WriterCommand::Line(line) => {
                state.count(out.write_line(&line));
                state.release(line.len());
            }
            WriterCommand::Flush(done) => {
                state.count_sync(out.sync());
                // The caller may have stopped waiting.
                let _ = done.send(());
            }
        }
    }
    state.count_sync(out.sync());
}

impl AuditSink for WriterSink {
    fn write(&self, mut line: String) {
        line.push('\n');
        let bytes = line.len();
        if !self.state.reserve(bytes) {
            return self.state.count(Err(io::Error::other("too many bytes wait for the writer")));
        }
        let reason = match self.jobs.try_send(WriterCommand::Line(line)) {
            Ok(()) => return,
            Err(TrySendError::Full(_)) => "too many lines wait for the writer",
            Err(TrySendError::Disconnected(_)) => "the writer has ended",
        };
        self.state.release(bytes);
        self.state.count(Err(io::Error::other(reason)));
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

#[cfg(test)]
mod tests {
    use parking_lot::Mutex;

    use super::*;

    /// Fails for as long as `full` is set.
    struct Disk {
        full: Arc<AtomicBool>,
    }

    impl LineOutput for Disk {
        fn write_line(&mut self, _line: &str) -> io::Result<()> {
            if self.full.load(Ordering::Relaxed) { Err(io::ErrorKind::StorageFull.into()) } else { Ok(()) }
        }

        fn sync(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn lost_lines_are_counted_until_writing_works_again() {
        let full = Arc::new(AtomicBool::new(true));
        let sink = WriterSink::spawn(Disk { full: Arc::clone(&full) }).unwrap();
        sink.write("1".to_owned());
        sink.write("2".to_owned());
        sink.flush();
        assert_eq!(sink.health(), AuditHealth { failing: true, lost: 2 });
        full.store(false, Ordering::Relaxed);
        sink.write("3".to_owned());
        sink.flush();
        assert_eq!(sink.health(), AuditHealth { failing: false, lost: 2 });
    }

    /// Writes while the test doesn't hold its lock, and counts the lines.
    struct SlowDisk(Arc<Mutex<usize>>);

    impl LineOutput for SlowDisk {
        fn write_line(&mut self, _line: &str) -> io::Result<()> {
            *self.0.lock() += 1;
            Ok(())
        }

        fn sync(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn lines_beyond_the_queue_are_counted_as_lost_and_the_others_are_written() {
        let written = Arc::new(Mutex::new(0));
        let sink = WriterSink::spawn(SlowDisk(Arc::clone(&written))).unwrap();
        let sent = QUEUED_LINES + 10;
        let held = written.lock();
        for _ in 0..sent {
            sink.write(String::new());
        }
        // The writer may have taken one line out of the queue.
        let lost = sink.health().lost;
        assert!((9..=10).contains(&lost), "{lost}");
        drop(held);
        sink.flush();
        assert_eq!(*written.lock() as u64 + lost, sent as u64);
    }

    #[test]
    fn bytes_beyond_the_queue_are_counted_as_lost() {
        let written = Arc::new(Mutex::new(0));
        let sink = WriterSink::spawn(SlowDisk(Arc::clone(&written))).unwrap();
        let held = written.lock();
        for _ in 0..3 {
            sink.write("x".repeat(QUEUED_BYTES / 2 - 1));
        }
        assert_eq!(sink.health(), AuditHealth { failing: true, lost: 1 });
        drop(held);
        sink.flush();
        assert_eq!(*written.lock(), 2);
        sink.write("x".repeat(QUEUED_BYTES / 2));
        sink.flush();
        assert_eq!(sink.health(), AuditHealth { failing: false, lost: 1 });
    }

    /// Ends the writer with its first line.
    struct EndingDisk;

    impl LineOutput for EndingDisk {
        fn write_line(&mut self, _line: &str) -> io::Result<()> {
            panic!("as expected");
        }

        fn sync(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_line_after_the_writer_ended_is_counted_as_lost() {
        let sink = WriterSink::spawn(EndingDisk).unwrap();
        sink.write("1".to_owned());
        // Returns when the writer has ended, and its end of the channel with it.
        sink.flush();
        sink.write("2".to_owned());
        assert_eq!(sink.health(), AuditHealth { failing: true, lost: 1 });
    }
}
