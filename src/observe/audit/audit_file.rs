//! The audit file: appended to, reopened if another process renamed it, rotated by size and age.

use std::fs::{File, Metadata};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use super::chain::{self, ChainEnd};
use super::installation_key::InstallationKey;
use super::line_files::{is_same_file, open_private};
use super::line_output::LineOutput;
use super::rotated_files::{self, RotatedFiles};

/// The time until a rotation that failed is tried again.
const RETRY_INTERVAL: Duration = Duration::from_secs(1);

/// When the audit file is rotated, and what is kept of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rotation {
    /// The largest size in bytes. A larger file has a single line.
    pub max_bytes: u64,
    /// The largest age of a file's first line when another line is added. None: any age.
    pub max_age: Option<Duration>,
    /// The number of rotated files that are kept.
    pub keep: usize,
    /// Whether rotated files are compressed with gzip.
    pub compress: bool,
}

impl Default for Rotation {
    fn default() -> Self {
        Self { max_bytes: 100 << 20, max_age: None, keep: 10, compress: true }
    }
}

/// A file of audit lines.
pub(super) struct AuditFile {
    path: PathBuf,
    file: File,
    /// When the file got its first line.
    since: SystemTime,
    /// Whether the last line has no line break: the process that wrote it was killed, or the disk was full.
    torn: bool,
    rotation: Option<(Rotation, RotatedFiles)>,
    retry_at: Option<Instant>,
    chain: Option<FileChain>,
}

/// The time that the first line waits for the key of the chain: longer than the store's time limit of an operation.
const KEY_TIMEOUT: Duration = Duration::from_secs(10);

/// The chain as this process last saw it.
struct FileChain {
    key: Arc<InstallationKey>,
    end: ChainEnd,
    /// Whether the file has no line of the chain yet.
    is_first: bool,
    /// The size of the file as `end` was read or written. `None` if `end` must be read.
    seen_bytes: Option<u64>,
}

impl AuditFile {
    pub(super) fn open(path: &Path, rotation: Option<Rotation>, key: Option<Arc<InstallationKey>>) -> io::Result<Self> {
        let file = open_private(path)?;
        let rotation = match rotation {
            Some(rotation) => {
                let rotated = RotatedFiles::open(path, rotation.keep, rotation.compress)?;
                rotated.tidy();
                Some((rotation, rotated))
            }
            None => None,
        };
        // Lines of a device or a pipe can't be read again.
        let is_file = file.metadata()?.is_file();
        let chain = key.filter(|_| is_file).map(|key| FileChain {
            key,
            end: ChainEnd::default(),
            is_first: true,
            seen_bytes: None,
        });
        let since = SystemTime::now();
        let mut opened = Self { path: path.to_owned(), file, since, torn: false, rotation, retry_at: None, chain };
        opened.note_content();
        Ok(opened)
    }

    /// Notes the age and the end of the file that was opened.
    fn note_content(&mut self) {
        let metadata = self.file.metadata().ok().filter(Metadata::is_file);
        let size = metadata.as_ref().map_or(0, Metadata::len);
        // A file system without creation times: the age counts from now.
        let created = metadata.and_then(|metadata| metadata.created().ok());
        self.since = created.filter(|_| size > 0).unwrap_or_else(SystemTime::now);
        self.torn = self.is_torn();
    }

    /// Opens the file again if its name now belongs to another file, or to none.
    fn reopen_if_renamed(&mut self) -> io::Result<bool> {
        let renamed = !is_same_file(&self.file, &self.path)?;
        if renamed {
            // Lines in the old file must be on the disk before its descriptor is gone.
            sync(&self.file)?;
            self.leave_file();
            self.file = open_private(&self.path)?;
            self.note_content();
        }
        Ok(renamed)
    }

    /// Reads the end of the chain in a file that was renamed, perhaps to a name that is not known here. No process adds
    /// to it any more.
    fn leave_file(&mut self) {
        let Some(chain) = &mut self.chain else { return };
        match chain.refresh(&mut self.file, None) {
            Ok(_) => chain.seen_bytes = None,
            Err(error) => tracing::warn!(%error, "the end of the audit chain cannot be read"),
        }
    }

    /// Appends a line with its place in the chain. The caller has locked the file.
    fn append_chained(&mut self, line: &str) -> io::Result<()> {
        let Some(chain) = &mut self.chain else { return self.append(line) };
        let is_read = chain.refresh(&mut self.file, Some(&self.path))?;
        let added = chain.key.audit().and_then(|key| chain.end.add(key, line, chain.is_first));
        // Until the line is written whole, it is not known where the file ends.
        chain.seen_bytes = None;
        if is_read {
            self.torn = self.is_torn();
        }
        let Some((chained, end)) = added else { return self.append(line) };
        self.append(&chained)?;
        let seen_bytes = Some(self.file.metadata()?.len());
        if let Some(chain) = &mut self.chain {
            *chain = FileChain { key: Arc::clone(&chain.key), end, is_first: false, seen_bytes };
        }
        Ok(())
    }

    fn append(&mut self, line: &str) -> io::Result<()> {
        // The rest of a torn line stays on a line of its own.
        let line_break: &[u8] = if self.torn { b"\n" } else { b"" };
        let written = self.file.write_all(line_break).and_then(|()| self.file.write_all(line.as_bytes()));
        self.torn = written.is_err() && self.is_torn();
        written
    }

    /// Whether the last line has no line break.
    fn is_torn(&self) -> bool {
        let is_empty = self.file.metadata().is_ok_and(|metadata| !metadata.is_file() || metadata.len() == 0);
        !is_empty && !ends_with_line_break(&self.path).unwrap_or(true)
    }

    fn is_due(&self, rotation: &Rotation, line: &str) -> io::Result<bool> {
        let metadata = self.file.metadata()?;
        if !metadata.is_file() || metadata.len() == 0 {
            return Ok(false);
        }
        let age = self.since.elapsed().unwrap_or_default();
        let is_full = metadata.len().saturating_add(line.len() as u64) > rotation.max_bytes;
        Ok(is_full || rotation.max_age.is_some_and(|max| age > max))
    }

    /// Renames the file if this line is too much for it. A failure is no reason to lose the line: the file grows.
    fn rotate_if_due(&mut self, line: &str) {
        if self.retry_at.is_some_and(|at| Instant::now() < at) {
            return;
        }
        let Some((rotation, rotated)) = &self.rotation else { return };
        let moved = self.is_due(rotation, line).and_then(|due| if due { self.rotate(rotated) } else { Ok(false) });
        match moved {
            Ok(false) => self.retry_at = None,
            Ok(true) => match self.reopen_if_renamed() {
                Ok(_) => self.retry_at = None,
                Err(error) => self.retry_later(&error),
            },
            Err(error) => self.retry_later(&error),
        }
    }

    fn retry_later(&mut self, error: &io::Error) {
        self.retry_at = Some(Instant::now() + RETRY_INTERVAL);
        tracing::warn!(%error, "the audit file cannot be rotated");
    }

    /// Moves the file away, unless another process did. The lock waits for lines that other processes are writing to it.
    fn rotate(&self, rotated: &RotatedFiles) -> io::Result<bool> {
        sync(&self.file)?;
        unless_unsupported(self.file.lock())?;
        let moved = is_same_file(&self.file, &self.path).and_then(|same| if same { rotated.take() } else { Ok(()) });
        unless_unsupported(self.file.unlock())?;
        moved?;
        rotated.tidy();
        Ok(true)
    }

    /// Appends a line to the file of this name. The lock keeps another process from moving and compressing the file
    /// between the check of its name and the end of the write, and from adding to the same end of the chain.
    fn append_locked(&mut self, line: &str) -> io::Result<()> {
        loop {
            let locked = if self.chain.is_some() { self.file.lock() } else { self.file.lock_shared() };
            unless_unsupported(locked)?;
            let is_same = is_same_file(&self.file, &self.path);
            let written = if matches!(is_same, Ok(true)) { Some(self.append_chained(line)) } else { None };
            unless_unsupported(self.file.unlock())?;
            match written {
                Some(written) => return written,
                None => self.reopen_if_renamed()?,
            };
        }
    }
}

impl FileChain {
    /// Reads the end of the chain, unless no other process has written since this one did: in the file, or, if it has
    /// none and `path` is given, in the newest rotated file; another process may have rotated more than once. Returns
    /// whether it was read.
    fn refresh(&mut self, file: &mut File, path: Option<&Path>) -> io::Result<bool> {
        let bytes = file.metadata()?.len();
        if self.seen_bytes == Some(bytes) {
            return Ok(false);
        }
        let found = chain::end_of_file(file)?;
        self.is_first = found.is_none();
        let rotated = if let (None, Some(path)) = (&found, path) { rotated_files::chain_end(path)? } else { None };
        if let Some(end) = found.or_else(|| rotated.filter(|end| end.seq > self.end.seq)) {
            self.end = end;
        }
        self.seen_bytes = Some(bytes);
        Ok(true)
    }
}

impl LineOutput for AuditFile {
    fn write_line(&mut self, line: &str) -> io::Result<()> {
        if let Some(chain) = &self.chain {
            // Before any lock is taken: other processes need not wait for this one's store.
            chain.key.wait(KEY_TIMEOUT);
        }
        self.reopen_if_renamed()?;
        self.rotate_if_due(line);
        if self.rotation.is_some() || self.chain.is_some() { self.append_locked(line) } else { self.append(line) }
    }

    fn sync(&mut self) -> io::Result<()> {
        sync(&self.file)
    }
}

/// A file system without locks still serves a single process.
fn unless_unsupported(locked: io::Result<()>) -> io::Result<()> {
    match locked {
        Err(error) if error.kind() == io::ErrorKind::Unsupported => Ok(()),
        result => result,
    }
}

/// Waits until the file is on the disk. Devices and pipes have no disk.
fn sync(file: &File) -> io::Result<()> {
    if file.metadata()?.is_file() { file.sync_data() } else { Ok(()) }
}

fn ends_with_line_break(path: &Path) -> io::Result<bool> {
    let mut file = File::open(path)?;
    file.seek(SeekFrom::End(-1))?;
    let mut last = [0];
    file.read_exact(&mut last)?;
    Ok(last == *b"\n")
}
