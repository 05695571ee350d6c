//! A reader of objects without a tape: checks a text and finds the members of its root.

use std::ops::Range;

use super::duplicate_keys::{self, KeyDigest};
use super::limits::TEXT_CEILING;
use super::string;

/// The nesting depth up to which a text is read. It bounds the recursion.
const MAX_DEPTH: u32 = 64;
/// A longer number may overflow a double.
const MAX_NUMBER_LENGTH: usize = 300;
/// The usual number of keys of the objects that are open at one time.
const USUAL_OPEN_KEYS: usize = 16;

/// Reads the text of an object and calls `visit` with the name and the text of each member of the root, in document
/// order.
///
/// `None` if the text is not one that [`Tape::parse`](super::Tape::parse) takes unchanged within the widest limits, and
/// also for some texts that it takes: of deep nesting, with escapes in keys, with exponents, with keys that are
/// probably duplicates. What was visited before is worthless then.
///
/// ```
/// let mut members = Vec::new();
/// toolgate_json::skim_object(r#"{ "ok": true, "data": [1, 2] }"#, |name, value| members.push((name, value))).unwrap();
/// assert_eq!(members, [("ok", "true"), ("data", "[1, 2]")]);
/// assert!(toolgate_json::skim_object(r#"{ "ok": truth }"#, |_, _| ()).is_none());
/// ```
#[must_use]
pub fn skim_object<'t>(text: &'t str, mut visit: impl FnMut(&'t str, &'t str)) -> Option<()> {
    let mut skimmer = Skimmer { bytes: text.as_bytes(), open_keys: Vec::with_capacity(USUAL_OPEN_KEYS) };
    let start = skimmer.skip_whitespace(0);
    if text.len() > TEXT_CEILING || skimmer.byte(start) != Some(b'{') {
        return None;
    }
    let slice = |range| text.get(range).unwrap_or_default();
    let end = skimmer.read_object(start, 0, |name, value| visit(slice(name), slice(value)))?;
    (skimmer.skip_whitespace(end) == text.len()).then_some(())
}

/// The state of a reader. Its functions take the offset of the first byte of what they read, and return the offset after it.
struct Skimmer<'t> {
    bytes: &'t [u8],
    /// The digests of the keys of the open objects, those of the innermost object last.
    open_keys: Vec<KeyDigest>,
}

impl Skimmer<'_> {
    #[inline]
    fn byte(&self, at: usize) -> Option<u8> {
        self.bytes.get(at).copied()
    }

    #[inline]
    fn skip_whitespace(&self, mut at: usize) -> usize {
        while matches!(self.byte(at), Some(b' ' | b'\n' | b'\r' | b'\t')) {
            at += 1;
        }
        at
    }

    #[inline]
    fn read_value(&mut self, at: usize, depth: u32) -> Option<usize> {
        match self.byte(at)? {
            b'"' => self.read_string(at + 1),
            b'{' => self.read_object(at, depth, |_, _| ()),
            b'[' => self.read_array(at, depth),
            b'-' | b'0'..=b'9' => self.read_number(at),
            b't' => self.read_literal(at, b"true"),
            b'f' => self.read_literal(at, b"false"),
            b'n' => self.read_literal(at, b"null"),
            _ => None,
        }
    }

    #[inline(never)]
    fn read_object(
        &mut self,
        start: usize,
        depth: u32,
        mut visit: impl FnMut(Range<usize>, Range<usize>),
    ) -> Option<usize> {
        if depth == MAX_DEPTH {
            return None;
        }
        let mut at = self.skip_whitespace(start + 1);
        if self.byte(at) == Some(b'}') {
            return Some(at + 1);
        }
        let first_key = self.open_keys.len();
        loop {
            let key = at + 1;
            let key_end = string::unescaped_end(self.bytes, key);
            if self.byte(at) != Some(b'"') || self.byte(key_end) != Some(b'"') {
                return None;
            }
            self.open_keys.push(KeyDigest::from_key(self.bytes, key, key_end));
            let colon = self.skip_whitespace(key_end + 1);
            if self.byte(colon) != Some(b':') {
                return None;
            }
            let value = self.skip_whitespace(colon + 1);
            let value_end = self.read_value(value, depth + 1)?;
            visit(key..key_end, value..value_end);
            let end = self.skip_whitespace(value_end);
            match self.byte(end)? {
                b',' => at = self.skip_whitespace(end + 1),
                b'}' if duplicate_keys::may_have_duplicate(self.open_keys.get(first_key..)?) => return None,
                b'}' => {
                    self.open_keys.truncate(first_key);
                    return Some(end + 1);
                }
                _ => return None,
            }
        }
    }

    #[inline(never)]
    fn read_array(&mut self, start: usize, depth: u32) -> Option<usize> {
        if depth == MAX_DEPTH {
            return None;
        }
        let mut at = self.skip_whitespace(start + 1);
        if self.byte(at) == Some(b']') {
            return Some(at + 1);
        }
        loop {
            let value_end = self.read_value(at, depth + 1)?;
            let end = self.skip_whitespace(value_end);
            match self.byte(end)? {
                b',' => at = self.skip_whitespace(end + 1),
                b']' => return Some(end + 1),
                _ => return None,
            }
        }
    }

    /// Reads a string from the offset after its opening quote.
    #[inline]
    fn read_string(&self, start: usize) -> Option<usize> {
        let mut at = string::unescaped_end(self.bytes, start);
        loop {
            at = match self.byte(at)? {
                b'"' => return Some(at + 1),
                b'\\' => string::unescaped_end(self.bytes, self.read_escape(at)?),
                _ => return None,
            };
        }
    }

    fn read_escape(&self, at: usize) -> Option<usize> {
        match self.byte(at + 1)? {
            b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => Some(at + 2),
            b'u' => self.bytes.get(at + 2..at + 6)?.iter().all(u8::is_ascii_hexdigit).then_some(at + 6),
            _ => None,
        }
    }

    fn read_number(&self, start: usize) -> Option<usize> {
        let first = if self.byte(start) == Some(b'-') { start + 1 } else { start };
        let mut end = if self.byte(first) == Some(b'0') { first + 1 } else { self.read_digits(first)? };
        if self.byte(end) == Some(b'.') {
            end = self.read_digits(end + 1)?;
        }
        let may_overflow = matches!(self.byte(end), Some(b'e' | b'E')) || end - start > MAX_NUMBER_LENGTH;
        (!may_overflow).then_some(end)
    }

    /// Reads one digit or more.
    fn read_digits(&self, start: usize) -> Option<usize> {
        let mut at = start;
        while matches!(self.byte(at), Some(b'0'..=b'9')) {
            at += 1;
        }
        (at > start).then_some(at)
    }

    fn read_literal(&self, start: usize, word: &[u8]) -> Option<usize> {
        let end = start + word.len();
        (self.bytes.get(start..end)? == word).then_some(end)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Map, Value};

    use super::*;
    use crate::{Limits, Tape};

    type RootMembers<'t> = Vec<(&'t str, &'t str)>;

    fn skimmed(text: &str) -> Option<RootMembers<'_>> {
        let mut members = Vec::new();
        skim_object(text, |name, value| members.push((name, value)))?;
        Some(members)
    }

    /// The members by a full parse; `None` if the text is refused or rewritten, or is not an object.
    fn parsed(text: &str) -> Option<Vec<(String, String)>> {
        let tape = Tape::parse(text, &Limits::widest()).ok().filter(|tape| tape.text() == text)?;
        let is_object = tape.root().raw().starts_with('{');
        let members = tape.root().members().map(|(name, value)| (name.into_owned(), value.raw().to_owned()));
        is_object.then(|| members.collect())
    }

    fn as_parsed(members: RootMembers<'_>) -> Vec<(String, String)> {
        members.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
    }

    fn value() -> impl Strategy<Value = Value> {
        let number = prop_oneof![any::<i64>().prop_map(Value::from), (-1e3..1e3_f64).prop_map(Value::from)];
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            number,
            any::<String>().prop_map(Value::from)
        ];
        leaf.prop_recursive(4, 40, 5, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
                prop::collection::vec(("[a-e]{0,2}|[ä-ö]{1,12}", inner), 0..5).prop_map(object),
            ]
        })
    }

    fn object(members: Vec<(String, Value)>) -> Value {
        Value::Object(members.into_iter().collect::<Map<_, _>>())
    }

    /// Texts of objects, most of them with a few bytes replaced, removed or repeated.
    fn text() -> impl Strategy<Value = String> {
        let members = prop::collection::vec(("[a-e]{1,2}|data|ok", value()), 0..5);
        let piece = r#"[\[\]{}:,"\\ \n0-9eE.+\-tfnu]{0,2}|\\u[0-9a-fA-F]{3,5}|"[ab]":|\\ud800"#;
        let edits = prop::collection::vec((any::<prop::sample::Index>(), 0..3_usize, piece), 0..3);
        (members, edits, any::<bool>()).prop_map(|(members, edits, pretty)| {
            let value = object(members);
            let mut text = if pretty { serde_json::to_string_pretty(&value).unwrap() } else { value.to_string() };
            for (place, removed, piece) in edits {
                let start = text.floor_char_boundary(place.index(text.len()));
                let end = text.ceil_char_boundary((start + removed).min(text.len()));
                text.replace_range(start..end, &piece);
                if text.is_empty() {
                    break;
                }
            }
            text
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn what_is_skimmed_is_what_a_tape_has(text in text()) {
            if let Some(members) = skimmed(&text) {
                prop_assert_eq!(Some(as_parsed(members)), parsed(&text), "{}", text);
            }
        }

        #[test]
        fn a_written_object_is_skimmed(members in prop::collection::vec(("[a-e]{1,2}|data|ok", value()), 0..5)) {
            let text = object(members).to_string();
            // Small fractions are written with an exponent.
            prop_assume!(!text.contains("e-"));
            prop_assert_eq!(skimmed(&text).map(as_parsed), parsed(&text), "{}", text);
        }
    }

    #[test]
    fn texts_that_a_tape_refuses_or_rewrites_are_not_skimmed() {
        let nested = |depth: usize| format!("{{\"a\":{}1{}}}", "[".repeat(depth - 1), "]".repeat(depth - 1));
        assert!(skimmed(&nested(64)).is_some() && skimmed(&nested(65)).is_none());
        let long = |digits: usize| format!("{{\"a\":{}}}", "1".repeat(digits));
        assert!(skimmed(&long(300)).is_some() && skimmed(&long(301)).is_none());
        for text in [
            "",
            " ",
            "1",
            "[]",
            "{",
            "{}{}",
            "{} x",
            "{,}",
            r#"{"a"}"#,
            r#"{"a":}"#,
            r#"{"a":1,}"#,
            r"{a:1}",
            r#"{"a":1 "b":2}"#,
            r#"{"a":[1,]}"#,
            r#"{"a":[1}"#,
            r#"{"a":01}"#,
            r#"{"a":-}"#,
            r#"{"a":1.}"#,
            r#"{"a":.5}"#,
            r#"{"a":1e5}"#,
            r#"{"a":tru}"#,
            r#"{"a":truex}"#,
            r#"{"a":"\x"}"#,
            r#"{"a":"\u12g4"}"#,
            r#"{"a":"\u123"#,
            "{\"a\":\"\n\"}",
            r#"{"a":1,"a":2}"#,
            r#"{"b":{"a":1,"a":2}}"#,
            r#"{"\u0061":1}"#,
            r#"{"a":"b}"#,
        ] {
            assert_eq!(skimmed(text), None, "{text:?}");
        }
    }

    #[test]
    fn members_are_visited_with_their_texts() {
        let text = " {\"ok\" : true ,\"data\":{ \"t\":\"\\\"\\u00e9\\ud800\", \"n\":[-0.5,0,{}] }, \"\":[ ]} ";
        let members = vec![("ok", "true"), ("data", r#"{ "t":"\"\u00e9\ud800", "n":[-0.5,0,{}] }"#), ("", "[ ]")];
        assert_eq!(skimmed(text), Some(members));
        assert_eq!(skimmed("{}"), Some(Vec::new()));
    }
}
