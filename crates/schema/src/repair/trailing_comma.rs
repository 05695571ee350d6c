//! Rule `trailing_comma`: a comma after the last member or element.

/// The text without its trailing commas; `None` if it has none.
pub(super) fn read(text: &str) -> Option<String> {
    let mut kept = String::with_capacity(text.len());
    let mut is_in_string = false;
    let mut is_escaped = false;
    // The offset in `kept` of a comma that only blanks follow so far.
    let mut open_comma = None;
    let mut has_value_before = false;
    let mut has_removed = false;
    for character in text.chars() {
        if is_in_string {
            is_in_string = is_escaped || character != '"';
            is_escaped = !is_escaped && character == '\\';
        } else if !matches!(character, ' ' | '\t' | '\n' | '\r') {
            if let (Some(at), '}' | ']') = (open_comma, character) {
                kept.remove(at);
                has_removed = true;
            }
            open_comma = (character == ',' && has_value_before).then_some(kept.len());
            has_value_before = !matches!(character, '{' | '[' | ',' | ':');
            is_in_string = character == '"';
        }
        kept.push(character);
    }
    has_removed.then_some(kept)
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn commas_after_the_last_value_are_removed() {
        let table = [
            (r#"{"a":1,}"#, Some(r#"{"a":1}"#)),
            (r#"{"a":[1,2, ] , }"#, Some(r#"{"a":[1,2 ]  }"#)),
            (r#"{"a":",}\",]","b":"\\",}"#, Some(r#"{"a":",}\",]","b":"\\"}"#)),
            (r#"{"a":1}"#, None),
            (r#"{"a":",}"}"#, None),
            ("{,}", None),
            ("[,]", None),
            (r#"{"a":,}"#, None),
            (r#"{"a":1},"#, None),
        ];
        for (text, expected) in table {
            assert_eq!(read(text).as_deref(), expected, "{text}");
        }
        assert_eq!(read("[1,,]"), None, "one of the two stands for a value that is missing");
    }
}
