//! Parse errors, with messages from which a model can correct the text.

use std::fmt::{self, Write as _};

/// The unfinished value at the end of an incomplete text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnfinishedValue {
    /// No value: the text is empty or blank.
    Nothing,
    /// A string.
    String,
    /// A number.
    Number,
    /// `true`, `false` or `null`.
    Literal,
    /// An object.
    Object,
    /// An array.
    Array,
}

/// The reason of a parse error.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ParseErrorKind {
    /// An unexpected character (RFC 8259).
    Syntax {
        /// The expected text.
        expected: &'static str,
        /// The character found.
        found: char,
    },
    /// The text ends too early.
    Incomplete {
        /// The unfinished value.
        within: UnfinishedValue,
    },
    /// More text after the value.
    TrailingText,
    /// Arrays and objects are nested too deeply.
    TooDeep {
        /// The allowed depth.
        max: u32,
    },
    /// The text is too long.
    TooLarge {
        /// Its length in bytes.
        bytes: usize,
        /// The allowed length in bytes.
        max: usize,
    },
    /// The escape of a lone surrogate.
    LoneSurrogate {
        /// The UTF-16 code unit of the escape.
        unit: u16,
    },
    /// A number that overflows a double.
    NumberOverflow,
    /// A number that a double turns into another one.
    NumberInexact,
}

/// A parse error.
///
/// Displayed as a message about a call's arguments; [`ParseError::reason`] returns the message without that subject.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParseError {
    /// The reason.
    pub kind: ParseErrorKind,
    /// JSON Pointer (RFC 6901) of the error, as far as the text was read; empty for the root.
    pub pointer: String,
    /// Offset of the error in the text, in bytes.
    pub offset: usize,
}

/// Maximum length of a pointer in a message, in characters: keys come from a model and can be as long as the text.
const MAX_POINTER_CHARS: usize = 120;

impl ParseError {
    /// Returns a message with the reason, the location and the correction, without a subject.
    #[must_use]
    pub fn reason(&self) -> String {
        let mut message = self.kind.describe(self.offset);
        if !self.pointer.is_empty() {
            let shown: String = self.pointer.chars().take(MAX_POINTER_CHARS).collect();
            let dots = if shown.len() < self.pointer.len() { "…" } else { "" };
            // Writing into a String cannot fail.
            let _ = write!(message, ", in `{shown}{dots}`");
        }
        message
    }
}

impl ParseErrorKind {
    fn describe(&self, offset: usize) -> String {
        match self {
            Self::Syntax { expected, found } => {
                format!("expected {expected} at byte {offset}, found {}", DisplayedChar(*found))
            }
            Self::Incomplete { within: UnfinishedValue::Nothing } => {
                "the text is empty; expected a JSON value".to_owned()
            }
            Self::Incomplete { within } => format!("the text ends in the middle of {within} at byte {offset}"),
            Self::TrailingText => {
                format!("the value ends before byte {offset}, but more text follows; send one JSON value")
            }
            Self::TooDeep { max } => format!("arrays and objects are nested deeper than {max} levels at byte {offset}"),
            Self::TooLarge { bytes, max } => format!("the text has {bytes} bytes; at most {max} are allowed"),
            Self::LoneSurrogate { unit } => {
                format!(
                    "`\\u{unit:04x}` at byte {offset} is half of a surrogate pair; write both halves, or the character itself"
                )
            }
            Self::NumberInexact => {
                format!(
                    "the number at byte {offset} is not exact as a double; whole numbers go from -9007199254740991 to \
                     9007199254740991: send a larger one as text, in double quotes, where the schema takes a string"
                )
            }
            Self::NumberOverflow => {
                format!("the number at byte {offset} is too large for a double; stay below 1.8e308, or send a string")
            }
        }
    }
}

impl fmt::Display for UnfinishedValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Nothing => "nothing",
            Self::String => "a string",
            Self::Number => "a number",
            Self::Literal => "a literal",
            Self::Object => "an object",
            Self::Array => "an array",
        })
    }
}

/// A character for display in a message: an invisible character is displayed as its code point.
struct DisplayedChar(char);

impl fmt::Display for DisplayedChar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            '`' => f.write_str("a backtick"),
            visible if !visible.is_control() && !visible.is_whitespace() => write!(f, "`{visible}`"),
            hidden => write!(f, "U+{:04X}", u32::from(hidden)),
        }
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the arguments cannot be read: {}", self.reason())
    }
}

impl std::error::Error for ParseError {}

#[cfg(test)]
mod tests {
    use super::super::{Limits, Tape};

    fn refused(text: &str) -> (String, String, usize) {
        let error = Tape::parse(text, &Limits::for_arguments(100)).unwrap_err();
        (error.reason(), error.pointer, error.offset)
    }

    #[test]
    fn the_message_says_what_is_wrong_and_where() {
        for (text, reason) in [
            ("", "the text is empty; expected a JSON value"),
            (" \n", "the text is empty; expected a JSON value"),
            (r#"{"a": "b c d"#, "the text ends in the middle of a string at byte 12, in `/a`"),
            (r#"{"a": {"b": [1, 2"#, "the text ends in the middle of an array at byte 17, in `/a/b`"),
            (r#"{"a": [tru"#, "the text ends in the middle of a literal at byte 10, in `/a/0`"),
            (r#"{"a": -"#, "the text ends in the middle of a number at byte 7, in `/a`"),
            (r#"{"a": 1"#, "the text ends in the middle of an object at byte 7"),
            (r#"{"a" 1}"#, "expected `:` at byte 5, found `1`, in `/a`"),
            (r"{a: 1}", "expected a property name in double quotes at byte 1, found `a`"),
            (r#"{"a": 1,}"#, "expected a property name in double quotes at byte 8, found `}`"),
            (r#"{"a": 1 "b": 2}"#, "expected `,` or `}` at byte 8, found `\"`"),
            ("[1 2]", "expected `,` or `]` at byte 3, found `2`"),
            ("[1,]", "expected a value at byte 3, found `]`, in `/1`"),
            ("[0, 01]", "expected `,` or `]` at byte 5, found `1`"),
            ("[1.]", "expected a digit at byte 3, found `]`, in `/0`"),
            ("[NaN]", "expected a value at byte 1, found `N`, in `/0`"),
            ("[nul1]", "expected `true`, `false` or `null` at byte 4, found `1`, in `/0`"),
            ("['a']", "expected a value at byte 1, found `'`, in `/0`"),
            ("[`]", "expected a value at byte 1, found a backtick, in `/0`"),
            ("\u{feff}{}", "expected a value at byte 0, found `\u{feff}`"),
            ("{} {}", "the value ends before byte 3, but more text follows; send one JSON value"),
            ("\"a\nb\"", "expected an escape such as `\\n` for a control character at byte 2, found U+000A"),
            (r#""\x""#, "expected one of `\"\\/bfnrtu` after a backslash at byte 2, found `x`"),
            (r#""\u12g4""#, "expected four hexadecimal digits after `\\u` at byte 5, found `g`"),
            (
                r#"["\ud800"]"#,
                "`\\ud800` at byte 2 is half of a surrogate pair; write both halves, or the character itself, in `/0`",
            ),
            (
                r#"{"a~/": 1e400}"#,
                "the number at byte 8 is too large for a double; stay below 1.8e308, or send a string, in `/a~0~1`",
            ),
        ] {
            assert_eq!(refused(text).0, reason, "{text}");
        }
    }

    #[test]
    fn it_is_displayed_as_about_the_arguments() {
        let error = Tape::parse("[", &Limits::for_arguments(100)).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the arguments cannot be read: the text ends in the middle of an array at byte 1, in `/0`"
        );
    }

    #[test]
    fn the_pointer_goes_as_far_as_was_read() {
        let text = r#"{"done": [1, {"x": 2}], "a/b": [0, [], {"c": 1, "d": [true, "#;
        assert_eq!(refused(text).1, "/a~1b/2/d/1");
        let text = r#"{"a": 1, "long key that goes on and on, longer than a message should be"#;
        assert_eq!(refused(text).1, "");
    }

    #[test]
    fn long_pointers_are_cut_in_messages() {
        let key = "k".repeat(500);
        let error = Tape::parse(format!("{{\"{key}\": ?"), &Limits::widest()).unwrap_err();
        assert_eq!(error.pointer.len(), 501);
        assert!(error.to_string().len() < 250);
    }
}
