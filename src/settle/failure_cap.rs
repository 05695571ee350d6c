//! The size limit of a failure: its message, details and suggestion reach the model as data does.

use crate::error::ToolError;
use crate::json::json_string_len;

/// The smallest limit, in bytes: a failure must stay readable, also for a tool whose data is limited to a few bytes.
const MIN_LIMIT_BYTES: usize = 1024;
/// What stands in place of the rest of a text.
const CUT_MARK: &str = "… [cut]";

/// Caps a failure's texts and details to `limit_bytes` of JSON text together, at least 1024: long texts are cut, and
/// details that do not fit beside them are dropped with a warning.
pub(super) fn cap(mut error: ToolError, limit_bytes: u64, warnings: &mut Vec<String>) -> ToolError {
    let limit = usize::try_from(limit_bytes).unwrap_or(usize::MAX).max(MIN_LIMIT_BYTES);
    let details_bytes = error.details.as_ref().map_or(0, |details| details.as_str().len());
    if texts_len(&error).saturating_add(details_bytes) <= limit {
        return error;
    }
    if texts_len(&error) > limit / 4 * 3 {
        error.message = cut(error.message, limit / 2);
        error.suggestion = error.suggestion.map(|suggestion| cut(suggestion, limit / 4));
    }
    if details_bytes > limit.saturating_sub(texts_len(&error)) {
        error.details = None;
        warnings.push(details_dropped(details_bytes, limit));
    }
    error
}

fn details_dropped(bytes: usize, limit: usize) -> String {
    format!("`error.details` of {bytes} bytes was dropped: a failure may have {limit} bytes")
}

/// The length of the texts as JSON.
fn texts_len(error: &ToolError) -> usize {
    json_string_len(&error.message) + error.suggestion.as_deref().map_or(0, json_string_len)
}

/// Cuts a text at a character, so that it is at most `max_bytes` long as JSON, with a mark.
fn cut(text: String, max_bytes: usize) -> String {
    if json_string_len(&text) <= max_bytes {
        return text;
    }
    let mut rest = max_bytes.saturating_sub(json_string_len(CUT_MARK));
    let mut buffer = [0_u8; 4];
    let kept = text.chars().take_while(|character| {
        // Without its quotes.
        let bytes = json_string_len(character.encode_utf8(&mut buffer)).saturating_sub(2);
        let fits = bytes <= rest;
        rest = rest.saturating_sub(bytes);
        fits
    });
    kept.chain(CUT_MARK.chars()).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::error::{Details, ErrorType};

    fn capped(message: &str, suggestion: &str, details: Option<usize>, limit: u64) -> (ToolError, Vec<String>) {
        let mut error = ToolError::new(ErrorType::Permanent, message).with_suggestion(suggestion);
        // Two quotes around the text.
        error.details = details.map(|bytes| Details::from(json!("x".repeat(bytes - 2))));
        let mut warnings = Vec::new();
        (cap(error, limit, &mut warnings), warnings)
    }

    fn json_len(error: &ToolError) -> usize {
        texts_len(error) + error.details.as_ref().map_or(0, |details| details.as_str().len())
    }

    #[test]
    fn a_failure_within_the_limit_is_unchanged() {
        let (error, warnings) = capped("m", "s", Some(2000 - 6), 2000);
        assert_eq!((json_len(&error), error.message.as_str(), warnings.len()), (2000, "m", 0));
    }

    #[test]
    fn texts_of_three_quarters_of_the_limit_are_not_cut() {
        let (message, suggestion) = ("m".repeat(1395), "s".repeat(101));
        let (error, warnings) = capped(&message, &suggestion, Some(501), 2000);
        assert_eq!((error.message, error.suggestion, error.details), (message, Some(suggestion), None));
        assert_eq!(warnings, ["`error.details` of 501 bytes was dropped: a failure may have 2000 bytes"]);
    }

    #[test]
    fn details_that_fill_the_limit_beside_cut_texts_stay() {
        let long = "x".repeat(10_000);
        let (error, warnings) = capped(&long, &long, Some(500), 2000);
        assert_eq!((json_len(&error), error.details.is_some(), warnings.len()), (2000, true, 0));
        let (error, warnings) = capped(&long, &long, Some(501), 2000);
        assert_eq!((json_len(&error), error.details.is_some(), warnings.len()), (1500, false, 1));
    }

    #[test]
    fn details_beyond_the_limit_are_dropped_and_named() {
        let (error, warnings) = capped("m", "s", Some(1995), 2000);
        assert_eq!((error.details, error.message.as_str()), (None, "m"));
        assert_eq!(warnings, ["`error.details` of 1995 bytes was dropped: a failure may have 2000 bytes"]);
    }

    #[test]
    fn texts_are_cut_at_a_character_and_details_that_fit_stay() {
        for letter in ["x", "é", "€", "😀", "\"", "\u{1}"] {
            let long = letter.repeat(10_000);
            let (error, warnings) = capped(&long, &long, Some(100), 2000);
            assert!(json_len(&error) <= 2000 && json_len(&error) > 1500, "{letter:?}: {}", json_len(&error));
            assert!(error.message.ends_with(CUT_MARK) && error.message.starts_with(letter), "{letter:?}");
            assert!(error.suggestion.is_some_and(|text| text.ends_with(CUT_MARK)), "{letter:?}");
            assert_eq!((error.details.is_some(), warnings.len()), (true, 0));
        }
    }

    #[test]
    fn a_tiny_limit_leaves_a_readable_message() {
        let (error, _) = capped(&"x".repeat(500), "s", None, 10);
        assert_eq!(error.message.len(), 500);
        let (error, _) = capped(&"x".repeat(5000), "s", None, 10);
        assert_eq!(json_string_len(&error.message), 512);
    }
}
