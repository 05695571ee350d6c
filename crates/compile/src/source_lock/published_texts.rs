//! What a server's definition says to people and models.

use serde_json::Value;

use super::LockedTool;
use super::lock_file::LockFile;
use super::locked_tool::LockedEntry;
use crate::findings::code::Code;
use crate::findings::report::Findings;
use crate::text::source::pointer_from_names;
use crate::tool_folder::tool_source::ToolSource;
use toolgate_json::visible_text;

/// More than a model reads with care.
const MAX_DESCRIPTION_CHARS: usize = 2000;
/// The longest name that the protocol recommends, in its letters.
const MAX_NAME_BYTES: usize = 128;

pub(super) fn title(published: &Value) -> Option<String> {
    let own = published.get("title").and_then(Value::as_str);
    let annotated = || published.pointer("/annotations/title").and_then(Value::as_str);
    own.or_else(annotated).map(str::trim).filter(|title| !title.is_empty()).map(str::to_owned)
}

pub(super) fn description(published: &Value) -> Option<&str> {
    published.get("description").and_then(Value::as_str).filter(|text| !text.trim().is_empty())
}

/// Checks the texts of one definition: its name is of plain letters, and every text in it shows all that it says.
pub(super) fn check(place: &LockedEntry<'_>, published: &Value, findings: &mut Findings) {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'/');
    if place.tool.is_empty() || place.tool.len() > MAX_NAME_BYTES || !place.tool.bytes().all(is_plain) {
        let message = format!(
            "the name `{}` is not of letters, digits, `_`, `-`, `.` and `/`, 128 at most",
            visible_text(place.tool)
        );
        place.add(
            findings,
            Code::BadToolId,
            "/definition/name",
            &message,
            "set the tool to `false` in the source's file",
        );
    }
    if let Some((pointer, text)) = hidden_text(published) {
        let message = format!("a text has invisible characters: {}", excerpt(&text));
        let help = "ask the server's author why; set the tool to `false` in the source's file";
        place.add(findings, Code::HiddenCharacters, &format!("/definition{pointer}"), &message, help);
    }
    let chars = description(published).map_or(0, |text| text.chars().count());
    if chars > MAX_DESCRIPTION_CHARS {
        let message = format!("the description has {chars} characters; models read {MAX_DESCRIPTION_CHARS} with care");
        place.add(
            findings,
            Code::DescriptionLong,
            "/definition/description",
            &message,
            "set it to `false` in the source's file if you don't need it, or add `description-long` to its `lintAccepted` there",
        );
    }
}

/// The first text of a definition, a member's name too, that does not show all that it says. Line breaks and tabs do. Not
/// recursive in depth beyond the limit of a definition.
fn hidden_text(value: &Value) -> Option<(String, String)> {
    let mut open = vec![(String::new(), value)];
    while let Some((at, value)) = open.pop() {
        match value {
            Value::String(text) if is_hidden(text) => return Some((at, text.clone())),
            Value::Array(items) => {
                open.extend(items.iter().enumerate().map(|(index, item)| (format!("{at}/{index}"), item)));
            }
            Value::Object(members) => {
                if let Some(name) = members.keys().find(|name| is_hidden(name)) {
                    return Some((at, name.clone()));
                }
                let inner = members.iter().map(|(name, item)| (format!("{at}{}", pointer_from_names(&[name])), item));
                open.extend(inner);
            }
            _ => {}
        }
    }
    None
}

/// Whether a text has invisible characters. White space of any kind is seen as a gap, and a joiner behind an emoji as
/// one sign.
fn is_hidden(text: &str) -> bool {
    let mut before = ' ';
    let seen = text.chars().filter(|&letter| {
        let joins = letter == '\u{200d}' && (before > '\u{2100}' && !before.is_alphanumeric());
        before = letter;
        !(letter.is_whitespace() || joins)
    });
    let seen: String = seen.collect();
    visible_text(&seen) != seen
}

fn excerpt(text: &str) -> String {
    let visible = visible_text(text);
    let escape = visible.find("\\u").unwrap_or_default();
    let (from, to) = (
        visible.floor_char_boundary(escape.saturating_sub(30)),
        visible.ceil_char_boundary((escape + 40).min(visible.len())),
    );
    format!("`{}`", visible.get(from..to).unwrap_or_default())
}

/// Warns of descriptions that name a tool of another origin: a server could steer the calls of others so.
pub(super) fn check_names_of_others(
    lock: &LockFile,
    tools: &[LockedTool],
    folders: &[ToolSource],
    findings: &mut Findings,
) {
    let own = folders.iter().map(|tool| (None, tool.expected_id()));
    let locked = tools.iter().filter_map(|tool| Some((tool.definition.source.as_ref()?, &tool.definition.tool_id)));
    let foreign = locked.clone().map(|(origin, id)| (Some(origin.name.as_str()), id.clone()));
    // A name of one word is also a word of the language.
    let names: Vec<(Option<&str>, String)> = own.chain(foreign).filter(|(_, id)| id.contains('_')).collect();
    for tool in tools {
        let Some(origin) = &tool.definition.source else { continue };
        if tool.fields.accepted_codes().iter().any(|code| code == Code::NamesOtherTool.as_str()) {
            continue;
        }
        let steered = names
            .iter()
            .find(|(of, id)| *of != Some(origin.name.as_str()) && names_word(&tool.definition.description, id));
        if let Some((_, id)) = steered {
            let at = lock.file.at_value(&pointer_from_names(&[
                "sources",
                &origin.name,
                "tools",
                &origin.tool,
                "definition",
                "description",
            ]));
            let message = format!(
                "`{}` of `{}`: the description speaks about `{id}`, which is not of this server",
                origin.tool, origin.name
            );
            findings.add(Code::NamesOtherTool, at, message, "read it: a server has no say in the calls of others");
        }
    }
}

/// Whether a text has a word by itself.
fn names_word(text: &str, word: &str) -> bool {
    let is_part = |letter: Option<char>| letter.is_some_and(|letter| letter.is_alphanumeric() || letter == '_');
    text.match_indices(word).any(|(at, _)| {
        let before = text.get(..at).and_then(|before| before.chars().next_back());
        let after = text.get(at + word.len()..).and_then(|after| after.chars().next());
        !is_part(before) && !is_part(after)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn hidden_texts_are_found_at_any_depth() {
        for (definition, at) in [
            (json!({ "description": "plain\n\ttext" }), None),
            (json!({ "description": "a\u{200b}b" }), Some("/description")),
            (
                json!({ "inputSchema": { "properties": { "x": { "enum": ["a", "\u{202e}b"] } } } }),
                Some("/inputSchema/properties/x/enum/1"),
            ),
            (json!({ "inputSchema": { "properties": { "x\u{e0041}": {} } } }), Some("/inputSchema/properties")),
        ] {
            assert_eq!(hidden_text(&definition).map(|(at, _)| at).as_deref(), at, "{definition}");
        }
    }

    #[test]
    fn a_name_is_a_word_by_itself() {
        assert!(names_word("Call mail_send first.", "mail_send"));
        assert!(!names_word("Calls mail_send_all.", "mail_send"));
        assert!(!names_word("xmail_send", "mail_send"));
    }
}
