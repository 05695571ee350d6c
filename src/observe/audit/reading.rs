//! Reading the lines of audit files, the oldest first. At most one line is in memory.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};

use flate2::read::MultiGzDecoder;

use super::line_files::{is_same_file, read_line};
use super::rotated_files::{self, RotatedFile};

/// How often the list of rotated files is read again if a rotation comes between.
const MAX_LISTINGS: usize = 100;

/// A file that is to be read.
enum Source {
    Named(PathBuf),
    Rotated(RotatedFile),
    Open(PathBuf, File),
}

/// A line without its line break.
#[derive(Debug, Clone, Copy)]
pub struct StoredLine<'a> {
    /// The file, as it was named when it was opened.
    pub file: &'a Path,
    /// The number of the line in its file, from 1.
    pub number: u64,
    /// The text.
    pub bytes: &'a [u8],
}

/// The audit files that are read one after the other.
pub struct AuditReader {
    waiting: VecDeque<Source>,
    current: Option<OpenSource>,
    has_read: bool,
    line: Vec<u8>,
}

struct OpenSource {
    path: PathBuf,
    lines: Box<dyn BufRead + Send>,
    number: u64,
}

impl AuditReader {
    /// The files in this order. Names that end with `.gz` are decompressed.
    #[must_use]
    pub fn in_order(files: &[PathBuf]) -> Self {
        Self::new(files.iter().cloned().map(Source::Named))
    }

    /// The audit file `path` after its rotated files. Lines that are rotated while they are read are read once.
    ///
    /// # Errors
    /// If there is no such file, or its folder can't be read.
    pub fn with_rotated(path: &Path) -> io::Result<Self> {
        for _ in 0..MAX_LISTINGS {
            let current = match File::open(path) {
                Ok(file) => Some(file),
                Err(error) if error.kind() == io::ErrorKind::NotFound => None,
                Err(error) => return Err(named(path, &error)),
            };
            let mut rotated = rotated_files::list(path).map_err(|error| named(path, &error))?;
            // A file is kept twice if its compression was interrupted.
            rotated.dedup_by_key(|file| file.number);
            let is_current = match &current {
                Some(file) => is_same_file(file, path).map_err(|error| named(path, &error))?,
                None => !path.exists(),
            };
            if !is_current {
                continue;
            }
            if current.is_none() && rotated.is_empty() {
                let missing = io::Error::new(io::ErrorKind::NotFound, "there is no such file");
                return Err(named(path, &missing));
            }
            let current = current.map(|file| Source::Open(path.to_owned(), file));
            return Ok(Self::new(rotated.into_iter().map(Source::Rotated).chain(current)));
        }
        Err(named(path, &io::Error::other("it is rotated too often to be read")))
    }

    fn new(sources: impl Iterator<Item = Source>) -> Self {
        Self { waiting: sources.collect(), current: None, has_read: false, line: Vec::new() }
    }

    /// The next line. `None` at the end of the last file.
    ///
    /// # Errors
    /// If a file can't be read, with its name.
    pub fn next_line(&mut self) -> io::Result<Option<StoredLine<'_>>> {
        while self.current.is_some() || self.open_next()? {
            let Some(current) = &mut self.current else { break };
            self.line.clear();
            let read = read_line(&mut current.lines, &mut self.line).map_err(|error| named(&current.path, &error))?;
            if read > 0 {
                current.number += 1;
                self.has_read = true;
                break;
            }
            self.current = None;
        }
        let Some(OpenSource { path, number, .. }) = &self.current else { return Ok(None) };
        let bytes = self.line.strip_suffix(b"\n").unwrap_or(&self.line);
        Ok(Some(StoredLine { file: path, number: *number, bytes }))
    }

    /// Opens the next file. Returns whether there is one.
    fn open_next(&mut self) -> io::Result<bool> {
        while let Some(source) = self.waiting.pop_front() {
            let path = source.path().to_owned();
            match source.open() {
                Ok(lines) => {
                    self.current = Some(OpenSource { path, lines, number: 0 });
                    return Ok(true);
                }
                // The oldest rotated files are removed at any time.
                Err((Source::Rotated(_), error)) if error.kind() == io::ErrorKind::NotFound && !self.has_read => {}
                Err((_, error)) => return Err(named(&path, &error)),
            }
        }
        Ok(false)
    }
}

impl Source {
    fn path(&self) -> &Path {
        match self {
            Self::Named(path) | Self::Open(path, _) => path,
            Self::Rotated(file) => &file.path,
        }
    }

    fn open(self) -> Result<Box<dyn BufRead + Send>, (Self, io::Error)> {
        match self {
            Self::Named(path) => match File::open(&path) {
                Ok(file) => {
                    let is_compressed = path.extension().is_some_and(|extension| extension == "gz");
                    Ok(lines_of(file, is_compressed))
                }
                Err(error) => Err((Self::Named(path), error)),
            },
            Self::Rotated(rotated) => match rotated.open() {
                Ok((file, is_compressed)) => Ok(lines_of(file, is_compressed)),
                Err(error) => Err((Self::Rotated(rotated), error)),
            },
            Self::Open(_, file) => Ok(lines_of(file, false)),
        }
    }
}

fn lines_of(file: File, is_compressed: bool) -> Box<dyn BufRead + Send> {
    if is_compressed { Box::new(BufReader::new(MultiGzDecoder::new(file))) } else { Box::new(BufReader::new(file)) }
}

fn named(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("`{}`: {error}", path.display()))
}

/// The audit file whose rotated file `path` is; `path` itself if it is none.
#[must_use]
pub fn base_of(path: &Path) -> PathBuf {
    let base = path.file_name().and_then(|name| rotated_files::base_name(name.to_str()?));
    base.map_or_else(|| path.to_owned(), |base| path.with_file_name(base))
}

/// Groups files by the audit file that they belong to. An audit file comes with its rotated files; rotated files alone
/// come as they were named, the oldest first.
///
/// # Errors
/// If an audit file does not exist, or its folder can't be read.
pub fn group(files: &[PathBuf]) -> io::Result<Vec<(PathBuf, AuditReader)>> {
    let mut bases: Vec<PathBuf> = Vec::new();
    for base in files.iter().map(|file| base_of(file)) {
        if !bases.contains(&base) {
            bases.push(base);
        }
    }
    let reader = |base: &PathBuf| {
        if files.contains(base) {
            return AuditReader::with_rotated(base);
        }
        let mut named: Vec<_> = files.iter().filter(|file| base_of(file) == *base).cloned().collect();
        named.sort();
        named.dedup();
        Ok(AuditReader::in_order(&named))
    };
    bases.iter().map(|base| Ok((base.clone(), reader(base)?))).collect()
}
