//! The rotated files of an audit file: `<file>.000001`, `<file>.000002` and so on, the oldest first; `.gz` if compressed.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Receiver, SyncSender};
use std::thread;

use flate2::Compression;
use flate2::read::MultiGzDecoder;
use flate2::write::GzEncoder;

use super::chain::{self, ChainEnd};
use super::line_files::{is_same_file, open_private};

/// A rotated file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct RotatedFile {
    /// Its number. A greater one is newer.
    pub number: u64,
    /// Whether its content is compressed with gzip.
    pub compressed: bool,
    /// Its path.
    pub path: PathBuf,
}

impl RotatedFile {
    /// Opens the file, or its compressed form if it was just compressed. Returns whether the content is compressed.
    pub(super) fn open(&self) -> io::Result<(File, bool)> {
        match File::open(&self.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound && !self.compressed => {
                Ok((File::open(with_suffix(&self.path, ".gz"))?, true))
            }
            opened => Ok((opened?, self.compressed)),
        }
    }
}

/// The rotated files of the audit file `path`, the oldest first.
///
/// # Errors
/// If the folder of the file can't be read.
pub fn list(path: &Path) -> io::Result<Vec<RotatedFile>> {
    let Some(name) = path.file_name().and_then(|name| name.to_str()) else { return Ok(Vec::new()) };
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if let Some((number, compressed)) = path.file_name().and_then(|file| parse(file.to_str()?, name)) {
            files.push(RotatedFile { number, compressed, path });
        }
    }
    files.sort();
    Ok(files)
}

/// The end of the chain in the newest rotated file that has one.
pub(super) fn chain_end(path: &Path) -> io::Result<Option<ChainEnd>> {
    for rotated in list(path)?.iter().rev() {
        let end = match rotated.open()? {
            (file, true) => chain::end_of_stream(BufReader::new(MultiGzDecoder::new(file)))?,
            (mut file, false) => chain::end_of_file(&mut file)?,
        };
        if end.is_some() {
            return Ok(end);
        }
    }
    Ok(None)
}

/// The number of a rotated file and whether it is compressed.
fn parse(file: &str, name: &str) -> Option<(u64, bool)> {
    let (base, number, compressed) = split(file)?;
    if base == name { Some((number, compressed)) } else { None }
}

/// The name of the audit file that a rotated file belongs to.
pub(super) fn base_name(file: &str) -> Option<&str> {
    split(file).map(|(base, ..)| base)
}

/// Splits `<base>.<number>` or `<base>.<number>.gz`.
fn split(file: &str) -> Option<(&str, u64, bool)> {
    let plain = file.strip_suffix(".gz");
    let (base, digits) = plain.unwrap_or(file).rsplit_once('.')?;
    let is_number = digits.len() >= 6 && digits.bytes().all(|byte| byte.is_ascii_digit());
    if is_number && !base.is_empty() { Some((base, digits.parse().ok()?, plain.is_some())) } else { None }
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(suffix);
    name.into()
}

/// Names rotated files, compresses them and removes the oldest. The last two are done on a thread of its own.
pub(super) struct RotatedFiles {
    path: PathBuf,
    wake: SyncSender<()>,
}

impl RotatedFiles {
    pub(super) fn open(path: &Path, keep: usize, compress: bool) -> io::Result<Self> {
        // One waiting request is enough: each looks at all files.
        let (wake, requests) = mpsc::sync_channel(1);
        let watched = path.to_owned();
        thread::Builder::new()
            .name("toolgate-audit-files".to_owned())
            .spawn(move || run_tidying(&watched, keep, compress, &requests))?;
        Ok(Self { path: path.to_owned(), wake })
    }

    /// Moves the audit file to the next number.
    pub(super) fn take(&self) -> io::Result<()> {
        let next = list(&self.path)?.last().map_or(1, |newest| newest.number.saturating_add(1));
        fs::rename(&self.path, with_suffix(&self.path, &format!(".{next:06}")))
    }

    /// Has the oldest files removed and the others compressed.
    pub(super) fn tidy(&self) {
        // A request that already waits does the same.
        let _ = self.wake.try_send(());
    }
}

fn run_tidying(path: &Path, keep: usize, compress: bool, requests: &Receiver<()>) {
    for () in requests {
        if let Err(error) = tidy(path, keep, compress) {
            tracing::warn!(%error, "rotated audit files cannot be compressed or removed");
        }
    }
}

/// What a process left undone, the next one does: the names say it all.
fn tidy(path: &Path, keep: usize, compress: bool) -> io::Result<()> {
    let files = list(path)?;
    let mut numbers: Vec<u64> = files.iter().map(|file| file.number).collect();
    numbers.dedup();
    let first_kept = numbers.len().checked_sub(keep).and_then(|index| numbers.get(index).copied());
    let is_old = |file: &RotatedFile| match first_kept {
        Some(first) => file.number < first,
        // Either all are kept, or none.
        None => keep < numbers.len(),
    };
    for file in &files {
        if is_old(file) {
            remove(&file.path)?;
            remove(&with_suffix(&file.path, ".gz.partial"))?;
        } else if compress && !file.compressed {
            compress_file(&file.path)?;
        }
    }
    Ok(())
}

/// Removes a file, unless another process did.
fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Replaces a file by its compressed form. A file that another process is compressing is left to it.
fn compress_file(path: &Path) -> io::Result<()> {
    let partial = with_suffix(path, ".gz.partial");
    let out = open_private(&partial)?;
    compress_into(&out, &partial, path)
}

fn compress_into(out: &File, partial: &Path, path: &Path) -> io::Result<()> {
    // The lock can be free because another process has finished: then `out` is the compressed file by now.
    if out.try_lock().is_err() || !is_same_file(out, partial)? {
        return Ok(());
    }
    // What an ended process has left.
    out.set_len(0)?;
    let mut plain = match File::open(path) {
        Ok(plain) => plain,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return remove(partial),
        Err(error) => return Err(error),
    };
    let mut encoder = GzEncoder::new(out, Compression::default());
    io::copy(&mut plain, &mut encoder)?;
    encoder.finish()?;
    out.sync_all()?;
    fs::rename(partial, with_suffix(path, ".gz"))?;
    remove(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_another_process_has_compressed_meanwhile_stays_whole() {
        let folder = tempfile::tempdir().unwrap();
        let plain = folder.path().join("audit.jsonl.000001");
        let partial = with_suffix(&plain, ".gz.partial");
        fs::write(&plain, "{}\n{}\n").unwrap();
        let late = open_private(&partial).unwrap();
        compress_file(&plain).unwrap();
        compress_into(&late, &partial, &plain).unwrap();
        let compressed = File::open(with_suffix(&plain, ".gz")).unwrap();
        assert_eq!(io::read_to_string(MultiGzDecoder::new(compressed)).unwrap(), "{}\n{}\n");
        assert!(!plain.exists() && !partial.exists());
    }
}
