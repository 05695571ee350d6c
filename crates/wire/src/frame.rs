//! One message of a provider, parsed, and how its members are read where they may hold anything.

use std::borrow::Cow;

use toolgate_json::{DEPTH_CEILING, Kind, Limits, LoneSurrogates, Node, Tape};

/// Longest frame that is read: room for the largest arguments that are collected, escaped, and for nothing absurd.
pub const MAX_FRAME_BYTES: usize = 64 * 1024 * 1024;

/// Half a surrogate pair in some text that is shown must not cost the calls of its frame.
pub(super) const LIMITS: Limits =
    Limits { max_depth: DEPTH_CEILING, lone_surrogates: LoneSurrogates::Allow, max_bytes: MAX_FRAME_BYTES };

/// Longest part of a provider's own error that goes into a problem, in characters.
const MAX_ERROR_CHARS: usize = 300;

/// A message that is a JSON object.
#[derive(Debug)]
pub struct Frame(Tape);

impl Frame {
    /// Reads the bytes as they came from the socket.
    ///
    /// # Errors
    /// A sentence that says why they are no frame.
    pub fn read(bytes: &[u8]) -> Result<Self, String> {
        if bytes.len() > MAX_FRAME_BYTES {
            return Err(format!("the frame has {} bytes, more than {MAX_FRAME_BYTES}", bytes.len()));
        }
        let text = std::str::from_utf8(bytes).map_err(|_| "the frame is not UTF-8 text".to_owned())?;
        let tape =
            Tape::parse(text, &LIMITS).map_err(|error| format!("the frame can't be read: {}", error.reason()))?;
        match tape.root().kind() {
            Kind::Object => Ok(Self(tape)),
            other => Err(format!("the frame must be a JSON object, not {}", other.as_str())),
        }
    }

    pub(super) const fn root(&self) -> Node<'_> {
        self.0.root()
    }
}

/// The text of a member; none for anything else and for the empty text.
pub(super) fn text<'t>(object: Node<'t>, key: &str) -> Option<Cow<'t, str>> {
    object.get(key).and_then(|value| value.as_str()).filter(|text| !text.is_empty())
}

/// A member that is an object.
pub(super) fn object<'t>(object: Node<'t>, key: &str) -> Option<Node<'t>> {
    object.get(key).filter(|value| value.kind() == Kind::Object)
}

/// The elements of a member that is a list; none for anything else.
pub(super) fn elements<'t>(object: Node<'t>, key: &str) -> impl Iterator<Item = Node<'t>> + use<'t> {
    object.get(key).into_iter().flat_map(|list| list.elements())
}

/// Arguments as text: a string's value, of anything else the JSON, of nothing the empty text.
pub(super) fn arguments(object: Node<'_>, key: &str) -> String {
    match object.get(key) {
        Some(value) if !value.is_null() => value.as_str().map_or_else(|| value.raw().to_owned(), Cow::into_owned),
        _ => String::new(),
    }
}

/// What the provider says went wrong, from an object with `type`, `code` and `message`.
pub(super) fn provider_error(what: &str, error: Option<Node<'_>>) -> String {
    let member = |key| error.and_then(|error| text(error, key));
    let told: Vec<_> = ["type", "code", "message"].into_iter().filter_map(member).collect();
    if told.is_empty() {
        return format!("{what}, without a reason");
    }
    let told: String = told.join(": ").chars().take(MAX_ERROR_CHARS).collect();
    format!("{what}: {told}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_frame_is_told() {
        let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        for (bytes, reason) in [
            (b"".as_slice(), "the frame can't be read: "),
            (b"{\"type\":\"resp", "the frame can't be read: "),
            (b"{} {}", "the frame can't be read: "),
            (b"\xff{}", "the frame is not UTF-8 text"),
            (b"[1]", "the frame must be a JSON object, not array"),
            (b"null", "the frame must be a JSON object, not null"),
            (deep.as_bytes(), "the frame can't be read: "),
            (&vec![b' '; MAX_FRAME_BYTES + 1], "the frame has 67108865 bytes, more than 67108864"),
        ] {
            let problem = Frame::read(bytes).unwrap_err();
            assert!(problem.starts_with(reason), "{problem}");
        }
    }

    #[test]
    fn an_error_is_told_as_the_provider_tells_it_and_no_longer_than_a_line() {
        let long = "x".repeat(10_000);
        let frame = format!(r#"{{"error":{{"type":"server_error","code":"busy","message":"{long}"}},"none":7}}"#);
        let frame = Frame::read(frame.as_bytes()).unwrap();
        let told = provider_error("failed", frame.root().get("error"));
        assert!(told.starts_with("failed: server_error: busy: xxx"));
        assert_eq!(told.len(), "failed: ".len() + MAX_ERROR_CHARS);
        assert_eq!(provider_error("failed", frame.root().get("none")), "failed, without a reason");
    }
}
