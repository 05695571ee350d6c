//! Reads one file of a tool. Anything but text of a bounded size is an error that says why, and where.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::Path;

use super::code::Code;
use super::place::Place;
use super::report::Findings;
use super::source::{BYTE_ORDER_MARK, SourceFile};

/// Larger than any file that a person writes for a tool.
const MAX_FILE_BYTES: u64 = 4 * 1024 * 1024;

/// Why a file could not be read.
pub(super) enum ReadError {
    Missing,
    NotAFile,
    TooLarge,
    Utf16,
    NotText(NotText),
    Io(io::Error),
}

/// Bytes that are no text of a person.
pub(super) struct NotText {
    /// What can be shown of them.
    shown: String,
    /// The first bad byte in what is shown.
    offset: usize,
    what: String,
    help: &'static str,
}

impl ReadError {
    /// Tells of it; `help` says how to get the file where there is none.
    pub(super) fn report(&self, label: &str, help: &str, findings: &mut Findings) {
        let name = label.rsplit('/').next().unwrap_or(label);
        let mut unreadable = |at: Place, what: &str, help: &str| {
            findings.add(Code::UnreadableFile, at, format!("`{name}` can't be read: {what}"), help);
        };
        let at = Place::whole(label);
        match self {
            Self::Missing => findings.add(Code::MissingFile, at, format!("`{name}` is missing"), help),
            Self::NotAFile => unreadable(at, "it is not a file", help),
            Self::TooLarge => unreadable(at, "it is larger than 4 MiB", "make it smaller"),
            Self::Utf16 => unreadable(at, "it is UTF-16, not UTF-8", "save it as UTF-8"),
            Self::NotText(NotText { shown, offset, what, help }) => {
                let file = SourceFile::new(label.to_owned(), shown);
                let unmarked = offset.saturating_sub(shown.len() - file.text.len());
                let bad = file.text.get(unmarked..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
                unreadable(file.at(unmarked..unmarked + bad), what, help);
            }
            Self::Io(error) => unreadable(at, &reason(error), "check its permissions, or replace it"),
        }
    }
}

/// Reads a regular file of bounded size as UTF-8. Anything else (a device, a pipe) could hold the build forever.
pub(super) fn text(path: &Path) -> Result<String, ReadError> {
    let bytes = bytes(path)?;
    if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        return Err(ReadError::Utf16);
    }
    String::from_utf8(bytes).map_err(|error| {
        let offset = error.utf8_error().valid_up_to();
        let byte = error.as_bytes().get(offset).copied().unwrap_or_default();
        ReadError::NotText(NotText {
            shown: String::from_utf8_lossy(error.as_bytes()).into_owned(),
            offset,
            what: format!("it is not UTF-8: the byte 0x{byte:02X} begins no character here"),
            help: "save it as UTF-8",
        })
    })
}

/// The same for a file that a person writes: a NUL byte is no letter, and nothing that reads the file after the build
/// would agree with the others on what it means.
pub(super) fn authored(path: &Path) -> Result<String, ReadError> {
    let shown = text(path)?;
    match shown.find('\0') {
        None => Ok(shown),
        Some(offset) => Err(ReadError::NotText(NotText {
            // UTF-16 without a mark is seen here: each second byte of its plain letters is NUL.
            what: if offset <= BYTE_ORDER_MARK.len_utf8() {
                "it begins as UTF-16, not UTF-8"
            } else {
                "it has a NUL byte"
            }
            .to_owned(),
            shown,
            offset,
            help: "save it as UTF-8; in a text of JSON or JavaScript write `\\u0000`",
        })),
    }
}

fn bytes(path: &Path) -> Result<Vec<u8>, ReadError> {
    let io = |error: io::Error| match error.kind() {
        io::ErrorKind::NotFound => ReadError::Missing,
        _ => ReadError::Io(error),
    };
    if !fs::metadata(path).map_err(io)?.is_file() {
        return Err(ReadError::NotAFile);
    }
    let mut bytes = Vec::new();
    // Some files of the system say that they are empty, and have no end.
    File::open(path).and_then(|file| file.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes)).map_err(io)?;
    if bytes.len() as u64 > MAX_FILE_BYTES { Err(ReadError::TooLarge) } else { Ok(bytes) }
}

/// An IO error in words that are the same on every system where that is possible.
pub(super) fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "it does not exist".to_owned(),
        io::ErrorKind::PermissionDenied => "permission is denied".to_owned(),
        io::ErrorKind::NotADirectory => "it is not a folder".to_owned(),
        _ => error.to_string(),
    }
}
