//! Rule `code_fence`: the arguments in a Markdown code fence, with nothing around it.

/// The text inside the fence.
pub(super) fn read(text: &str) -> Option<&str> {
    let text = text.trim();
    let mark = ["```", "~~~"].into_iter().find(|mark| text.starts_with(mark))?;
    let inner = text.strip_prefix(mark)?.strip_suffix(mark)?;
    let inner = inner.trim_start_matches(|character: char| mark.starts_with(character));
    let inner = inner.trim_end_matches(|character: char| mark.starts_with(character));
    let language_end = inner.find(|character: char| !character.is_ascii_alphanumeric())?;
    let (language, rest) = inner.split_at_checked(language_end)?;
    (language.is_empty() || language.eq_ignore_ascii_case("json")).then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn the_fence_is_taken_off() {
        for text in ["```json\n{}\n```", " ```\n{}```\n", "```JSON {} ```", "~~~\n{}\n~~~", "````json\n{}\n````"] {
            assert_eq!(read(text).map(str::trim), Some("{}"), "{text}");
        }
        for text in ["{}", "```json\n{}", "{}\n```", "Here: ```{}```", "```python\n{}\n```", "```", "``````"] {
            assert_eq!(read(text).filter(|inner| inner.trim() == "{}"), None, "{text}");
        }
    }
}
