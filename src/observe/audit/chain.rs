//! The chain of an audit file: each line ends with its number and a keyed hash of itself and the line before.
//!
//! `{"at":…,"seq":17,"chain":"<32 hex digits>"}`; the first line of a file has the hash of the line before it too, as
//! `"prev"`. The chain goes on over rotated files, processes and restarts. Without the key no line can be changed,
//! removed, added or moved so that the lines after it still fit.

use std::io::{self, BufRead, Read, Seek, SeekFrom};

use super::AuditKey;
use super::line_files::read_line;

/// The hash before the first line of an installation.
pub(super) const GENESIS: &str = "00000000000000000000000000000000";
/// The number of bytes at the end of a file in which its last chained line is searched.
const MAX_TAIL_BYTES: u64 = 16 << 20;

/// The end of a chain: the number and the hash of its last line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ChainEnd {
    pub(super) seq: u64,
    pub(super) hash: String,
}

impl Default for ChainEnd {
    fn default() -> Self {
        Self { seq: 0, hash: GENESIS.to_owned() }
    }
}

impl ChainEnd {
    /// Adds a line, which ends with its line break. Returns the line as it is written, and the new end. A line that is
    /// no JSON object is not chained.
    pub(super) fn add(&self, key: &AuditKey, line: &str, is_first: bool) -> Option<(String, Self)> {
        let body = line.strip_suffix("}\n")?;
        let seq = self.seq.checked_add(1)?;
        let hash = hash_of(key, &self.hash, seq, body);
        let prev = if is_first { format!(",\"prev\":\"{}\"", self.hash) } else { String::new() };
        Some((format!("{body}{prev},\"seq\":{seq},\"chain\":\"{hash}\"}}\n"), Self { seq, hash }))
    }
}

/// The hash of a line. The parts before the body have fixed forms, so that no two lines have the same input.
pub(super) fn hash_of(key: &AuditKey, prev: &str, seq: u64, body: &str) -> String {
    key.hash_parts(&[b"chain ", prev.as_bytes(), b" ", seq.to_string().as_bytes(), b" ", body.as_bytes()])
}

/// A line with its place in the chain.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ChainedLine<'a> {
    /// The line without its place in the chain and the closing brace.
    pub(super) body: &'a str,
    /// The hash of the line before, if the line is the first of its file.
    pub(super) prev: Option<&'a str>,
    pub(super) seq: u64,
    pub(super) hash: &'a str,
}

impl<'a> ChainedLine<'a> {
    /// Parses a line without its line break. `None` if it has no place in a chain.
    pub(super) fn parse(line: &'a str) -> Option<Self> {
        let (rest, hash) = split_hash(line.strip_suffix('}')?, ",\"chain\":")?;
        let (rest, digits) = rest.rsplit_once(",\"seq\":")?;
        let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        let seq = is_number.then(|| digits.parse().ok())??;
        let (body, prev) = split_hash(rest, ",\"prev\":").map_or((rest, None), |(body, prev)| (body, Some(prev)));
        Some(Self { body, prev, seq, hash })
    }

    pub(super) fn to_end(&self) -> ChainEnd {
        ChainEnd { seq: self.seq, hash: self.hash.to_owned() }
    }
}

/// Splits `…,"name":"<32 hex digits>"` before the name.
fn split_hash<'a>(text: &'a str, name: &str) -> Option<(&'a str, &'a str)> {
    let (rest, hash) = text.strip_suffix('"')?.rsplit_once('"')?;
    let is_hash = hash.len() == GENESIS.len() && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
    if is_hash { Some((rest.strip_suffix(name)?, hash)) } else { None }
}

/// The end of the chain in a file that can be read from any place.
pub(super) fn end_of_file(file: &mut (impl Read + Seek)) -> io::Result<Option<ChainEnd>> {
    let length = file.seek(SeekFrom::End(0))?;
    let mut bytes = 64 << 10;
    loop {
        let start = length.saturating_sub(bytes);
        file.seek(SeekFrom::Start(start))?;
        let mut tail = Vec::new();
        file.take(bytes).read_to_end(&mut tail)?;
        let mut lines = tail.split(|byte| *byte == b'\n');
        // What may be the end of a line only.
        if start > 0 {
            lines.next();
        }
        if let Some(end) = lines.rev().find_map(end_of_line) {
            return Ok(Some(end));
        }
        if start == 0 || bytes >= MAX_TAIL_BYTES {
            return Ok(None);
        }
        bytes *= 8;
    }
}

/// The end of the chain in what can only be read from its beginning.
pub(super) fn end_of_stream(mut lines: impl BufRead) -> io::Result<Option<ChainEnd>> {
    let (mut end, mut line) = (None, Vec::new());
    loop {
        line.clear();
        if read_line(&mut lines, &mut line)? == 0 {
            return Ok(end);
        }
        end = end_of_line(line.strip_suffix(b"\n").unwrap_or(&line)).or(end);
    }
}

fn end_of_line(line: &[u8]) -> Option<ChainEnd> {
    Some(ChainedLine::parse(std::str::from_utf8(line).ok()?)?.to_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_read_as_it_was_added() {
        let key = AuditKey::new(b"key").unwrap();
        let (first, end) = ChainEnd::default().add(&key, "{\"a\":1}\n", true).unwrap();
        let (second, last) = end.add(&key, "{\"b\":\",\\\"seq\\\":9\"}\n", false).unwrap();
        let parsed = ChainedLine::parse(first.trim_end()).unwrap();
        assert_eq!(parsed, ChainedLine { body: "{\"a\":1", prev: Some(GENESIS), seq: 1, hash: &end.hash });
        let parsed = ChainedLine::parse(second.trim_end()).unwrap();
        assert_eq!((parsed.body, parsed.prev, parsed.seq), ("{\"b\":\",\\\"seq\\\":9\"", None, 2));
        assert_eq!(parsed.hash, hash_of(&key, &end.hash, 2, parsed.body));
        assert!(serde_json::from_str::<serde_json::Value>(&second).is_ok());
        assert_eq!(ChainEnd::default().add(&key, "no object\n", true), None);

        let text = format!("{first}{second}{{\"torn\":");
        assert_eq!(end_of_file(&mut io::Cursor::new(&text)).unwrap(), Some(last.clone()));
        assert_eq!(end_of_stream(text.as_bytes()).unwrap(), Some(last.clone()));
        let long = format!("{text}\n{}", "x".repeat(200_000));
        assert_eq!(end_of_file(&mut io::Cursor::new(&long)).unwrap(), Some(last));
        assert_eq!(end_of_file(&mut io::Cursor::new("")).unwrap(), None);
    }

    #[test]
    fn a_line_without_its_place_is_none() {
        for line in [
            "{}",
            "{\"seq\":1}",
            "{\"a\":1,\"seq\":1,\"chain\":\"00\"}",
            "{\"a\":1,\"seq\":,\"chain\":\"00000000000000000000000000000000\"}",
            "",
        ] {
            assert_eq!(ChainedLine::parse(line), None, "{line}");
        }
    }
}
