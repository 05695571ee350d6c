//! A parsed message of a provider, and accessors for its members, which may have any type.

use std::borrow::Cow;

use toolgate_json::{DEPTH_CEILING, Kind, Limits, LoneSurrogates, Node, Tape};

/// Maximum length of a frame: enough for the largest collected arguments with escapes.
pub const MAX_FRAME_BYTES: usize = 64 * 1024 * 1024;

/// Lone surrogates are allowed: one in displayed text must not lose the calls of its frame.
pub(super) const FRAME_LIMITS: Limits =
    Limits { max_depth: DEPTH_CEILING, lone_surrogates: LoneSurrogates::Allow, max_bytes: MAX_FRAME_BYTES };

/// Maximum length of a provider's own error in a problem, in characters.
const MAX_ERROR_CHARS: usize = 300;

/// A message that is a JSON object.
#[derive(Debug)]
pub struct Frame(Tape);

impl Frame {
    /// Parses the bytes as received from the socket.
    ///
    /// # Errors
    /// A sentence with the reason why the bytes are not a frame.
    pub fn parse(bytes: &[u8]) -> Result<Self, String> {
        if bytes.len() > MAX_FRAME_BYTES {
            return Err(format!("the frame has {} bytes, more than {MAX_FRAME_BYTES}", bytes.len()));
        }
        let text = std::str::from_utf8(bytes).map_err(|_| "the frame is not UTF-8 text".to_owned())?;
        let tape =
            Tape::parse(text, &FRAME_LIMITS).map_err(|error| format!("the frame can't be read: {}", error.reason()))?;
        match tape.root().kind() {
            Kind::Object => Ok(Self(tape)),
            other => Err(format!("the frame must be a JSON object, not {}", other.as_str())),
        }
    }

    pub(super) const fn root(&self) -> Node<'_> {
        self.0.root()
    }
}

/// The value of a string member; `None` for any other type and for the empty string.
pub(super) fn string_member<'t>(object: Node<'t>, key: &str) -> Option<Cow<'t, str>> {
    object.get(key).and_then(|value| value.as_str()).filter(|text| !text.is_empty())
}

/// A member that is an object.
pub(super) fn object_member<'t>(object: Node<'t>, key: &str) -> Option<Node<'t>> {
    object.get(key).filter(|value| value.kind() == Kind::Object)
}

/// The elements of an array member; none for any other type.
pub(super) fn array_elements<'t>(object: Node<'t>, key: &str) -> impl Iterator<Item = Node<'t>> + use<'t> {
    object.get(key).into_iter().flat_map(|list| list.elements())
}

/// Arguments as text: the value of a string, the JSON text of any other type, and empty text if absent or `null`.
pub(super) fn arguments_text(object: Node<'_>, key: &str) -> String {
    match object.get(key) {
        Some(value) if !value.is_null() => value.as_str().map_or_else(|| value.raw().to_owned(), Cow::into_owned),
        _ => String::new(),
    }
}

/// A problem from a provider's error object with `type`, `code` and `message`.
pub(super) fn provider_error(what: &str, error: Option<Node<'_>>) -> String {
    let member = |key| error.and_then(|error| string_member(error, key));
    let details: Vec<_> = ["type", "code", "message"].into_iter().filter_map(member).collect();
    if details.is_empty() {
        return format!("{what}, without a reason");
    }
    let details: String = details.join(": ").chars().take(MAX_ERROR_CHARS).collect();
    format!("{what}: {details}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_frames_are_reported() {
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
            let problem = Frame::parse(bytes).unwrap_err();
            assert!(problem.starts_with(reason), "{problem}");
        }
    }

    #[test]
    fn a_provider_error_is_quoted_and_bounded() {
        let long = "x".repeat(10_000);
        let frame = format!(r#"{{"error":{{"type":"server_error","code":"busy","message":"{long}"}},"none":7}}"#);
        let frame = Frame::parse(frame.as_bytes()).unwrap();
        let problem = provider_error("failed", frame.root().get("error"));
        assert!(problem.starts_with("failed: server_error: busy: xxx"));
        assert_eq!(problem.len(), "failed: ".len() + MAX_ERROR_CHARS);
        assert_eq!(provider_error("failed", frame.root().get("none")), "failed, without a reason");
    }
}
