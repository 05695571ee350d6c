//! A text becomes a tape without duplicate keys.

use super::limits::Limits;
use super::parse::{self, ParsedEntries};
use super::{ParseError, Tape, duplicate_keys};

impl Tape {
    /// Parses a text. Accepts exactly the texts that `JSON.parse` accepts (RFC 8259), within the limits.
    ///
    /// Of a duplicate key, the last value counts, at the position of the first, as in `JSON.parse`; the text is then
    /// rewritten without the other values (and without white space).
    ///
    /// # Errors
    /// If the text is not JSON, is too long or too deeply nested, contains a lone surrogate that [`Limits`] refuse, or
    /// a number that overflows a double.
    pub fn parse(text: impl Into<String>, limits: &Limits) -> Result<Self, ParseError> {
        Self::parse_or_return(text.into(), limits).map_err(|(error, _)| error)
    }

    /// As [`Self::parse`]. A text that can't be parsed is returned with the error.
    ///
    /// # Errors
    /// As [`Self::parse`].
    pub fn parse_or_return(text: String, limits: &Limits) -> Result<Self, (ParseError, String)> {
        let (tape, has_duplicates) = Self::parse_once(text, limits)?;
        if has_duplicates {
            let unique = duplicate_keys::without_duplicates(&tape);
            return Ok(Self::parse_once(unique, limits)?.0);
        }
        Ok(tape)
    }

    fn parse_once(text: String, limits: &Limits) -> Result<(Self, bool), (ParseError, String)> {
        match parse::parse(&text, limits) {
            Ok(ParsedEntries { entries, has_duplicates, has_null, depth }) => {
                Ok((Self::from_parts(text, entries, has_null, depth), has_duplicates))
            }
            Err(error) => Err((error, text)),
        }
    }
}
