//! Edits that remove and add members of an object.

use toolgate_json::{self, Edit, Node};

/// Removes the members of an object for which `is_removed` holds, appends others, and keeps the commas correct.
pub(super) fn edit_members(
    object: Node<'_>,
    is_removed: impl Fn(Node<'_>) -> bool,
    added: &[(&str, String)],
    edits: &mut Vec<Edit>,
) {
    let first = object.member_nodes().next().map(|(key, _)| key.span().0);
    let mut last_kept = None;
    let mut last_end = None;
    for (key, value) in object.member_nodes() {
        let end = value.span().1;
        if is_removed(key) {
            if let Some(previous) = last_end.filter(|_| last_kept.is_some()) {
                edits.push(Edit::remove(previous, end));
            }
        } else {
            if last_kept.is_none()
                && let Some(start) = first.filter(|start| *start < key.span().0)
            {
                edits.push(Edit::remove(start, key.span().0));
            }
            last_kept = Some(end);
        }
        last_end = Some(end);
    }
    if let (None, Some(start), Some(end)) = (last_kept, first, last_end) {
        edits.push(Edit::remove(start, end));
    }
    if !added.is_empty() {
        let start = last_kept.or(first).unwrap_or(object.span().0 + 1);
        edits.push(Edit::add_members(start, members_text(added, last_kept.is_some())));
    }
}

/// Formats members for an object's text.
pub(super) fn members_text(members: &[(&str, String)], after_another: bool) -> String {
    let mut text = String::new();
    for (name, value) in members {
        if after_another || !text.is_empty() {
            text.push(',');
        }
        toolgate_json::write_string(&mut text, name);
        text.push(':');
        text.push_str(value);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use toolgate_json::{Limits, Tape};

    fn edited(text: &str, removed: &[&str], added: &[(&str, &str)]) -> String {
        let tape = Tape::parse(text, &Limits::widest()).unwrap();
        let added: Vec<_> = added.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
        let mut edits = Vec::new();
        edit_members(tape.root(), |key| removed.contains(&&*key.as_str().unwrap()), &added, &mut edits);
        // In a build for tests this also compares with the tape of the parsed text.
        tape.edited(edits).unwrap().into_text()
    }

    #[test]
    fn keeps_the_commas_right() {
        let text = r#"{ "a" : 1 , "b" : 2 , "c" : 3 }"#;
        assert_eq!(edited(text, &[], &[]), text);
        assert_eq!(edited(text, &["a"], &[]), r#"{ "b" : 2 , "c" : 3 }"#);
        assert_eq!(edited(text, &["b"], &[]), r#"{ "a" : 1 , "c" : 3 }"#);
        assert_eq!(edited(text, &["c"], &[]), r#"{ "a" : 1 , "b" : 2 }"#);
        assert_eq!(edited(text, &["a", "b"], &[]), r#"{ "c" : 3 }"#);
        assert_eq!(edited(text, &["b", "c"], &[("d", "4")]), r#"{ "a" : 1,"d":4 }"#);
        assert_eq!(edited(text, &["a", "c"], &[("d", "4")]), r#"{ "b" : 2,"d":4 }"#);
        assert_eq!(edited(text, &["a", "b", "c"], &[]), r"{  }");
        assert_eq!(edited(text, &["a", "b", "c"], &[("d", "4"), ("e", "5")]), r#"{ "d":4,"e":5 }"#);
        assert_eq!(edited("{}", &[], &[("d\"", "[]")]), r#"{"d\"":[]}"#);
        assert_eq!(edited("{ }", &[], &[("d", "4")]), r#"{"d":4 }"#);
    }
}
