//! The verification of audit files: finds lines that were changed, removed, added or moved.

use std::io;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::IgnoredAny;

use super::AuditKey;
use super::chain::{ChainEnd, ChainedLine, GENESIS, hash_of};
use super::reading::{AuditReader, StoredLine};

/// The maximum of problems that a report lists.
const MAX_PROBLEMS: usize = 1000;

/// What is wrong at one line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LineProblem {
    /// The file.
    pub file: PathBuf,
    /// The number of the line in its file, from 1.
    pub line: u64,
    /// What is wrong, as a sentence without a period.
    pub problem: String,
}

/// The result of a verification.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct ChainReport {
    /// The number of lines that fit into the chain.
    pub verified: u64,
    /// The number of lines that were written before the chain began.
    pub before: u64,
    /// The number of the first line of the chain in these files; `None` if there is none.
    pub first: Option<u64>,
    /// The number of the last line. Lines that were removed after it are not noticed.
    pub last: Option<u64>,
    /// Lines that a killed process left incomplete. No problem: a line that was cut later is missing in the chain.
    pub incomplete: u64,
    /// What is wrong, in the order of the lines. At most 1000.
    pub problems: Vec<LineProblem>,
    /// The number of problems.
    #[serde(rename = "problemCount")]
    pub problem_count: u64,
}

/// Verifies the lines of one chain.
///
/// # Errors
/// If a file can't be read, with its name.
pub fn verify(mut lines: AuditReader, key: &AuditKey) -> io::Result<ChainReport> {
    let mut verifier =
        Verifier { key, end: None, expected_hash: None, unchained: None, report: ChainReport::default() };
    while let Some(StoredLine { file, number, bytes }) = lines.next_line()? {
        if let Err(problem) = verifier.add(bytes, file, number) {
            verifier.add_problem(file, number, problem);
        }
    }
    verifier.check_beginning();
    Ok(verifier.report)
}

struct Verifier<'a> {
    key: &'a AuditKey,
    /// The end of the lines so far; `None` before the first chained line.
    end: Option<ChainEnd>,
    /// The hash that the last line should have had, if it was changed: the next line may fit it.
    expected_hash: Option<String>,
    /// The first line of those before the chain.
    unchained: Option<(PathBuf, u64)>,
    report: ChainReport,
}

impl Verifier<'_> {
    fn add_problem(&mut self, path: &Path, line: u64, problem: String) {
        self.report.problem_count += 1;
        if self.report.problems.len() < MAX_PROBLEMS {
            self.report.problems.push(LineProblem { file: path.to_owned(), line, problem });
        }
    }

    /// Lines before the first line of the chain were written by a version without one, if the files have the first.
    fn check_beginning(&mut self) {
        let Some((path, line)) = self.unchained.take().filter(|_| self.report.first != Some(1)) else { return };
        let lines = std::mem::take(&mut self.report.before);
        let problem = format!("{lines} lines from here on have no place in the chain");
        self.report.problem_count += 1;
        self.report.problems.insert(0, LineProblem { file: path, line, problem });
        self.report.problems.truncate(MAX_PROBLEMS);
    }

    /// Adds a line. Fails with what is wrong.
    fn add(&mut self, bytes: &[u8], path: &Path, number: u64) -> Result<(), String> {
        let text = std::str::from_utf8(bytes).ok();
        let Some(line) = text.and_then(ChainedLine::parse) else {
            if is_incomplete(bytes) {
                self.report.incomplete += 1;
                return Ok(());
            }
            if self.end.is_none() {
                self.unchained.get_or_insert_with(|| (path.to_owned(), number));
                self.report.before += 1;
                return Ok(());
            }
            return Err(
                "the line has no place in the chain: it was added, or written while the key was unknown".to_owned()
            );
        };
        let placed = self.place(&line);
        if !matches!(placed, Err(Misplaced::Earlier(_))) {
            self.report.first.get_or_insert(line.seq);
            self.report.last = Some(line.seq);
            let before = self.end.replace(line.to_end());
            self.expected_hash = match (&placed, before) {
                (Err(_), Some(before)) => Some(hash_of(self.key, &before.hash, line.seq, line.body)),
                _ => None,
            };
        }
        match placed {
            Ok(()) => {
                self.report.verified += 1;
                Ok(())
            }
            Err(Misplaced::Changed(problem) | Misplaced::Earlier(problem)) => Err(problem),
        }
    }

    /// Compares a line with the end of the lines before it.
    fn place(&self, line: &ChainedLine<'_>) -> Result<(), Misplaced> {
        let fits = |prev: &str| hash_of(self.key, prev, line.seq, line.body) == line.hash;
        let changed = || Misplaced::Changed(format!("line {} of the chain was changed", line.seq));
        let Some(end) = &self.end else {
            return match line.prev {
                Some(prev) if fits(prev) => Ok(()),
                Some(_) => Err(changed()),
                None => Err(Misplaced::Changed(format!(
                    "the lines of the file before line {} of the chain are missing",
                    line.seq
                ))),
            };
        };
        let is_next = line.seq == end.seq.saturating_add(1);
        let names_another =
            line.prev.is_some_and(|prev| prev != end.hash && Some(prev) != self.expected_hash.as_deref());
        if is_next && (fits(&end.hash) || self.expected_hash.as_deref().is_some_and(fits)) {
            return if names_another { Err(changed()) } else { Ok(()) };
        }
        if line.seq == 1 && line.prev == Some(GENESIS) && fits(GENESIS) {
            return Err(Misplaced::Changed(
                "the chain begins anew: the lines before it were not there as it was written".to_owned(),
            ));
        }
        if is_next {
            return Err(changed());
        }
        if line.seq <= end.seq {
            return Err(Misplaced::Earlier(format!(
                "line {} of the chain is repeated or was moved: it comes after line {}",
                line.seq, end.seq
            )));
        }
        let (first, last) = (end.seq + 1, line.seq - 1);
        let missing = if first == last {
            format!("line {first} of the chain is")
        } else {
            format!("lines {first} to {last} of the chain are")
        };
        Err(Misplaced::Changed(format!("{missing} missing before line {}", line.seq)))
    }
}

/// Whether a line is the beginning of an object without its end.
fn is_incomplete(line: &[u8]) -> bool {
    let parsed = serde_json::from_slice::<IgnoredAny>(line);
    line.starts_with(b"{") && parsed.is_err_and(|error| error.is_eof())
}

/// A line that does not fit.
enum Misplaced {
    /// The next line is compared with this one.
    Changed(String),
    /// The next line is compared with the line before this one.
    Earlier(String),
}
