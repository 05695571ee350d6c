//! Cuts long texts at the end of a line, with a mark of what is missing. Only for the results of other people's servers: the
//! author of a tool divides its results, and a server's one text may be all that it says.

use std::fmt::Write as _;

use serde_json::Value;

use crate::json::{json_string_len, pointer};
use crate::response::Shortened;

/// A text that gets less is not worth its mark; other parts are removed instead.
const MIN_TEXT_BYTES: usize = 256;
/// Room for the mark.
const MARK_BYTES: usize = 48;

/// Cuts the longest texts so that `excess` bytes of JSON are saved, all to one length, and reports them. Does nothing if too
/// little would be left of them.
pub(super) fn cut_texts(value: &mut Value, excess: usize) -> Vec<Shortened> {
    let mut lengths = Vec::new();
    visit_texts(value, &mut String::new(), &mut |_, text| lengths.push(json_string_len(text)));
    let mut report = Vec::new();
    let Some(level) = common_length(lengths, excess) else { return report };
    visit_texts(value, &mut String::new(), &mut |at, text| {
        if json_string_len(text) > level {
            let (of, kept) = (text.chars().count(), cut(text, level));
            report.push(Shortened { path: at.to_owned(), kept, original_len: of });
        }
    });
    report
}

/// The length to which the texts that are longer must be cut; `None` if it is too small.
fn common_length(mut lengths: Vec<usize>, excess: usize) -> Option<usize> {
    lengths.sort_unstable_by(|a, b| b.cmp(a));
    let mut sum = 0;
    for (index, length) in lengths.iter().enumerate() {
        sum += length;
        let next = lengths.get(index + 1).copied().unwrap_or(0);
        let Some(left) = sum.checked_sub(excess) else { continue };
        let level = left / (index + 1);
        if level >= next {
            return (level >= MIN_TEXT_BYTES).then_some(level);
        }
    }
    None
}

/// Cuts a text to a length of JSON, and returns the number of characters that are kept.
fn cut(text: &mut String, length: usize) -> usize {
    let room = length.saturating_sub(MARK_BYTES);
    let mut end = 0;
    let mut used = 2;
    for (at, letter) in text.char_indices() {
        let next = at + letter.len_utf8();
        used += json_string_len(text.get(at..next).unwrap_or_default()) - 2;
        if used > room {
            break;
        }
        end = next;
    }
    let fitting = text.get(..end).unwrap_or_default();
    // A part of a line, if it alone takes more than half.
    let line = fitting.rfind('\n').filter(|line| *line > end / 2).unwrap_or(end);
    let kept = text.get(..line).unwrap_or_default().chars().count();
    let missing = text.chars().count() - kept;
    text.truncate(line);
    // Writing into a String can't fail.
    let _ = write!(text, "\n[{missing} more characters]");
    kept
}

/// Visits every text with its pointer. Recurses as deep as the value is nested, which the parser bounds.
fn visit_texts(value: &mut Value, at: &mut String, visit: &mut impl FnMut(&str, &mut String)) {
    let length = at.len();
    match value {
        Value::String(text) => visit(at, text),
        Value::Array(items) => {
            for (index, item) in items.iter_mut().enumerate() {
                pointer::push_index(at, index);
                visit_texts(item, at, visit);
                at.truncate(length);
            }
        }
        Value::Object(members) => {
            for (name, member) in members.iter_mut() {
                pointer::push(at, name);
                visit_texts(member, at, visit);
                at.truncate(length);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_text_is_cut_at_the_end_of_a_line() {
        let text = "a line of forty characters, more or less\n".repeat(100);
        let mut value = json!({ "text": text });
        let before = value.to_string().len();
        let report = cut_texts(&mut value, before - 2000);
        let cut = value["text"].as_str().unwrap();
        assert!(value.to_string().len() <= 2000, "{}", value.to_string().len());
        let (kept, mark) = cut.rsplit_once('\n').unwrap();
        assert!(kept.ends_with("less") && text.starts_with(kept), "{kept}");
        assert_eq!(mark, format!("[{} more characters]", text.len() - kept.len()));
        assert_eq!(
            (report[0].path.as_str(), report[0].kept, report[0].original_len),
            ("/text", kept.len(), text.len())
        );
    }

    #[test]
    fn texts_of_one_line_escapes_and_short_ones() {
        let cases = [
            json!({ "text": "x".repeat(9000) }),
            json!({ "text": "\"\u{1}é😀".repeat(2000), "name": "stays" }),
            json!({ "content": [{ "text": "a".repeat(5000) }, { "text": "b".repeat(5000) }, { "text": "c" }] }),
        ];
        for mut value in cases {
            let before = value.to_string().len();
            let report = cut_texts(&mut value, before - 3000);
            let after = value.to_string().len();
            assert!(after <= 3000 && after > 2000, "{after}");
            assert!(report.iter().all(|cut| cut.kept < cut.original_len));
        }
    }

    #[test]
    fn what_would_leave_too_little_is_left_whole() {
        let mut value = json!({ "many": vec!["x".repeat(300); 100] });
        let whole = value.clone();
        assert_eq!(cut_texts(&mut value, whole.to_string().len() - 5000), []);
        assert_eq!(value, whole);
    }
}
