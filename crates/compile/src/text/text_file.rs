//! Reads one file of a tool as text of a bounded size. Any other content is an error with its reason and location.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::Path;

use super::location::SourceLocation;
use super::source::{BYTE_ORDER_MARK, SourceFile};
use crate::findings::code::Code;
use crate::findings::report::Findings;

/// More than the size of any handwritten file of a tool.
const MAX_FILE_BYTES: u64 = 4 * 1024 * 1024;

/// Why a file could not be read.
pub(crate) enum ReadError {
    Missing,
    NotAFile,
    TooLarge,
    Utf16,
    InvalidText(InvalidText),
    Io(io::Error),
}

/// File content that is not text.
pub(crate) struct InvalidText {
    /// The content, lossily decoded.
    text: String,
    /// Byte offset of the first invalid byte in `shown`.
    offset: usize,
    reason: String,
    help: &'static str,
}

impl ReadError {
    /// Adds the error to `findings`; `help` describes how to create a missing file.
    pub(crate) fn report(&self, label: &str, help: &str, findings: &mut Findings) {
        let name = label.rsplit('/').next().unwrap_or(label);
        let mut unreadable = |at: SourceLocation, what: &str, help: &str| {
            findings.add(Code::UnreadableFile, at, format!("`{name}` can't be read: {what}"), help);
        };
        let at = SourceLocation::whole_file(label);
        match self {
            Self::Missing => findings.add(Code::MissingFile, at, format!("`{name}` is missing"), help),
            Self::NotAFile => unreadable(at, "it is not a file", help),
            Self::TooLarge => unreadable(at, "it is larger than 4 MiB", "make it smaller"),
            Self::Utf16 => unreadable(at, "it is UTF-16, not UTF-8", "save it as UTF-8"),
            Self::InvalidText(InvalidText { text: shown, offset, reason: what, help }) => {
                let file = SourceFile::new(label.to_owned(), shown);
                let unmarked = offset.saturating_sub(shown.len() - file.text.len());
                let bad = file.text.get(unmarked..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
                unreadable(file.at_span(unmarked..unmarked + bad), what, help);
            }
            Self::Io(error) => unreadable(at, &io_error_reason(error), "check its permissions, or replace it"),
        }
    }
}

/// Reads a regular file of bounded size as UTF-8. Any other file (a device, a pipe) could block the build forever.
pub(crate) fn read_text(path: &Path) -> Result<String, ReadError> {
    let bytes = read_bytes(path)?;
    if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        return Err(ReadError::Utf16);
    }
    String::from_utf8(bytes).map_err(|error| {
        let offset = error.utf8_error().valid_up_to();
        let byte = error.as_bytes().get(offset).copied().unwrap_or_default();
        ReadError::InvalidText(InvalidText {
            text: String::from_utf8_lossy(error.as_bytes()).into_owned(),
            offset,
            reason: format!("it is not UTF-8: invalid byte 0x{byte:02X}"),
            help: "save it as UTF-8",
        })
    })
}

/// Reads a handwritten file like [`text`], and refuses NUL bytes, because later readers of the file interpret them
/// differently.
pub(crate) fn read_authored_text(path: &Path) -> Result<String, ReadError> {
    let shown = read_text(path)?;
    match shown.find('\0') {
        None => Ok(shown),
        Some(offset) => Err(ReadError::InvalidText(InvalidText {
            // UTF-16 without a byte order mark: every second byte of an ASCII character is NUL.
            reason: if offset <= BYTE_ORDER_MARK.len_utf8() {
                "it appears to be UTF-16, not UTF-8"
            } else {
                "it contains a NUL byte"
            }
            .to_owned(),
            text: shown,
            offset,
            help: "save it as UTF-8; in a JSON or JavaScript string write `\\u0000`",
        })),
    }
}

fn read_bytes(path: &Path) -> Result<Vec<u8>, ReadError> {
    let io = |error: io::Error| match error.kind() {
        io::ErrorKind::NotFound => ReadError::Missing,
        _ => ReadError::Io(error),
    };
    if !fs::metadata(path).map_err(io)?.is_file() {
        return Err(ReadError::NotAFile);
    }
    let mut bytes = Vec::new();
    // Some system files report a size of 0 but are endless.
    File::open(path).and_then(|file| file.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes)).map_err(io)?;
    if bytes.len() as u64 > MAX_FILE_BYTES { Err(ReadError::TooLarge) } else { Ok(bytes) }
}

/// Describes an IO error in the same words on every system, if possible.
pub(crate) fn io_error_reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "it does not exist".to_owned(),
        io::ErrorKind::PermissionDenied => "permission is denied".to_owned(),
        io::ErrorKind::NotADirectory => "it is not a folder".to_owned(),
        _ => error.to_string(),
    }
}
