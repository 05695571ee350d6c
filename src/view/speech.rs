//! A response for speech: a sentence or two, without ids, addresses and code.

use serde_json::{Map, Value};

use super::member_names::{self, SENTENCES, TEXTS, TIMES, TITLES};
use super::speakable_text::MachineValues;
use crate::json::visible_text;

/// The longest speech in characters: about twenty seconds.
const MAX_CHARS: usize = 300;
/// The number of elements of a list that are named.
const MAX_NAMED_ELEMENTS: usize = 3;
/// The number of lists that are spoken.
const MAX_LISTS: usize = 2;
/// The number of other members that are spoken if an object has no text and no list.
const MAX_MEMBERS: usize = 5;
/// The nesting depth of objects that are searched.
const MAX_LEVELS: u32 = 3;
/// The longest title that is spoken in full, in characters.
const MAX_TITLE_CHARS: usize = 80;

const DONE: &str = "Done.";
const FAILED: &str = "That did not work.";

/// Returns the speech for a response, given as JSON: never empty, and at most [`MAX_CHARS`] characters.
#[must_use]
pub fn speech(response: &Value) -> String {
    let speaker = Speaker {
        machine_values: MachineValues::collect(response),
        shortened_lists: response.pointer("/meta/truncated/shortened"),
    };
    let succeeded = response.get("ok") == Some(&Value::Bool(true));
    let (said, otherwise) = if succeeded {
        (response.get("data").map(|data| speaker.value(data, "", 0)).unwrap_or_default(), DONE)
    } else {
        (response.pointer("/error/message").map(|message| speaker.value(message, "", 0)).unwrap_or_default(), FAILED)
    };
    let said = truncate(&visible_text(&said), MAX_CHARS);
    if said.chars().any(char::is_alphanumeric) { said } else { otherwise.to_owned() }
}

struct Speaker<'a> {
    machine_values: MachineValues,
    /// The lists that were shortened, from the response's meta.
    shortened_lists: Option<&'a Value>,
}

impl Speaker<'_> {
    fn value(&self, value: &Value, at: &str, level: u32) -> String {
        match value {
            Value::Null => String::new(),
            Value::Bool(true) => "Yes.".to_owned(),
            Value::Bool(false) => "No.".to_owned(),
            Value::Number(number) => sentence(&number.to_string()),
            Value::String(text) => sentence(&self.machine_values.speakable(text)),
            Value::Array(items) => self.list("results", items, at),
            Value::Object(members) => self.object(members, at, level),
        }
    }

    fn object(&self, members: &Map<String, Value>, at: &str, level: u32) -> String {
        if let Some(said) = self.first_text(members, SENTENCES) {
            return sentence(&said);
        }
        let text = self.first_text(members, TEXTS).map(|text| sentence(&text));
        // Texts often begin with their title.
        let title = self.first_text(members, TITLES).map(|title| sentence(&title));
        let title = title.filter(|title| !text.as_ref().is_some_and(|text| text.starts_with(title.as_str())));
        let mut said: Vec<String> = title.into_iter().collect();
        let lists: Vec<String> = self.lists(members, at).collect();
        if text.is_none() {
            said.extend(self.members(members, |name| lists.is_empty() || TIMES.contains(&name)));
        }
        said.extend(text);
        said.extend(lists);
        if said.is_empty() && level < MAX_LEVELS {
            let inner =
                members.iter().filter(|(name, member)| member.is_object() && !member_names::names_machine_value(name));
            let mut spoken = inner.map(|(name, member)| self.value(member, &child_pointer(at, name), level + 1));
            said.extend(spoken.find(|spoken| !spoken.is_empty()));
        }
        said.join(" ")
    }

    /// The first of these members that is a text and can be spoken.
    fn first_text(&self, members: &Map<String, Value>, names: &[&str]) -> Option<String> {
        let texts = names.iter().filter_map(|name| members.get(*name)?.as_str());
        texts.map(|text| self.machine_values.speakable(text)).find(|said| !said.is_empty())
    }

    fn lists(&self, members: &Map<String, Value>, at: &str) -> impl Iterator<Item = String> {
        let lists = members.iter().filter(|(name, _)| !member_names::names_machine_value(name));
        lists
            .filter_map(move |(name, member)| {
                Some(self.list(&member_names::as_words(name), member.as_array()?, &child_pointer(at, name)))
            })
            .take(MAX_LISTS)
    }

    /// `5 results: A, B and C.`
    fn list(&self, name: &str, items: &[Value], at: &str) -> String {
        let count = self.original_len(at).unwrap_or(items.len());
        let name = if count == 1 { member_names::singular(name) } else { name.to_owned() };
        let counted = if count == 0 { format!("No {name}") } else { format!("{count} {name}") };
        let titles: Vec<String> = items.iter().filter_map(|item| self.title(item)).take(MAX_NAMED_ELEMENTS).collect();
        match titles.split_last() {
            None => sentence(&counted),
            Some((last, [])) => sentence(&format!("{counted}: {last}")),
            Some((last, before)) if count > titles.len() => {
                sentence(&format!("{counted}, among them {} and {last}", before.join(", ")))
            }
            Some((last, before)) => sentence(&format!("{counted}: {} and {last}", before.join(", "))),
        }
    }

    /// The number of elements of a list before it was shortened.
    fn original_len(&self, at: &str) -> Option<usize> {
        let list =
            self.shortened_lists?.as_array()?.iter().find(|list| list.get("path").is_some_and(|path| path == at))?;
        usize::try_from(list.get("of")?.as_u64()?).ok()
    }

    fn title(&self, item: &Value) -> Option<String> {
        let said = match item {
            Value::String(text) => Some(self.machine_values.speakable(text)),
            Value::Number(number) => Some(number.to_string()),
            Value::Object(members) => self.first_text(members, TITLES).or_else(|| self.first_text(members, TIMES)),
            Value::Null | Value::Bool(_) | Value::Array(_) => None,
        };
        let said = said?.trim_end_matches(['.', ',', ';', ':']).to_owned();
        (!said.is_empty()).then(|| truncate(&said, MAX_TITLE_CHARS))
    }

    /// `Start: 2 January 2026 at 10:00, confirmed: yes.`
    fn members(&self, members: &Map<String, Value>, is_meant: impl Fn(&str) -> bool) -> Option<String> {
        let spoken = members.iter().filter(|(name, _)| {
            is_meant(name) && !member_names::names_machine_value(name) && !TITLES.contains(&name.as_str())
        });
        let spoken: Vec<String> = spoken
            .filter_map(|(name, member)| {
                let said = match member {
                    Value::Bool(yes) => if *yes { "yes" } else { "no" }.to_owned(),
                    Value::Number(number) => number.to_string(),
                    Value::String(text) => self.machine_values.speakable(text),
                    Value::Null | Value::Array(_) | Value::Object(_) => String::new(),
                };
                (!said.is_empty()).then(|| format!("{}: {}", member_names::as_words(name), said.trim_end_matches('.')))
            })
            .take(MAX_MEMBERS)
            .collect();
        (!spoken.is_empty()).then(|| sentence(&spoken.join(", ")))
    }
}

fn child_pointer(at: &str, name: &str) -> String {
    let mut place = at.to_owned();
    crate::json::pointer::push(&mut place, name);
    place
}

/// Adds a capital letter and a full stop.
fn sentence(text: &str) -> String {
    let text = text.trim();
    let Some(first) = text.chars().next() else { return String::new() };
    let rest = text.get(first.len_utf8()..).unwrap_or_default();
    let end = if text.ends_with(['.', '!', '?', '…']) { "" } else { "." };
    first.to_uppercase().chain(rest.chars()).chain(end.chars()).collect()
}

/// Truncates to `limit` characters: after a sentence if that keeps more than half, else after a word.
fn truncate(text: &str, limit: usize) -> String {
    let Some((end, _)) = text.char_indices().nth(limit) else { return text.to_owned() };
    let head = text.get(..end).unwrap_or_default();
    let sentences = head.rmatch_indices(['.', '!', '?']).map(|(at, stop)| at + stop.len());
    let mut whole = sentences.filter(|end| text.get(*end..).is_some_and(|rest| rest.starts_with(char::is_whitespace)));
    if let Some(end) = whole.next().filter(|end| end * 2 > head.len()) {
        return head.get(..end).unwrap_or_default().to_owned();
    }
    // Leaves space for the ellipsis.
    let room = head.char_indices().next_back().map_or(0, |(last, _)| last);
    let head = head.get(..room).unwrap_or_default();
    let words = head.rsplit_once(char::is_whitespace).map_or(head, |(words, _)| words);
    format!("{}…", words.trim_end_matches([',', ';', ':', ' ']))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn of(data: &Value) -> String {
        speech(&json!({ "ok": true, "data": data, "intents": [], "meta": {} }))
    }

    #[test]
    fn each_kind_of_data_is_said() {
        let table = [
            (json!(null), DONE),
            (json!({}), DONE),
            (json!({ "event_id": "evt_1a2b", "url": "https://x.org" }), DONE),
            (json!(true), "Yes."),
            (json!(42.5), "42.5."),
            (json!("all is well"), "All is well."),
            (json!({ "answer": "It is open.", "results": [1, 2] }), "It is open."),
            (
                json!({ "id": "kb_1", "title": "Roof", "content": "Tiles of slate.", "url": "https://x.org" }),
                "Roof. Tiles of slate.",
            ),
            (
                json!({ "results": [{ "id": "kb_1", "title": "Roof" }, { "title": "Wall." }] }),
                "2 results: Roof and Wall.",
            ),
            (json!({ "results": [{ "title": "Roof" }], "total": 1 }), "1 result: Roof."),
            (json!({ "results": [] }), "No results."),
            (json!([1, 2, 3, 4]), "4 results, among them 1, 2 and 3."),
            (
                json!({ "freeSlots": [{ "start": "2026-01-02T10:00:00Z" }] }),
                "1 free slot: 2 January 2026 at 10:00 UTC.",
            ),
            (
                json!({ "event_id": "evt_1", "title": "Review", "start": "2026-01-02", "all_day": true, "seats": 4 }),
                "Review. Start: 2 January 2026, all day: yes, seats: 4.",
            ),
            (
                json!({ "event": { "title": "Review", "start": "2026-01-05T14:00:00+01:00", "attendees": ["Ada"] } }),
                "Review. Start: 5 January 2026 at 14:00. 1 attendee: Ada.",
            ),
            (json!({ "title": "Roof", "content": "# Roof\n\nTiles" }), "Roof. Tiles."),
            (json!({ "document": { "title": "Roof", "text": "Tiles" } }), "Roof. Tiles."),
        ];
        for (data, said) in table {
            assert_eq!(of(&data), said, "{data}");
        }
    }

    #[test]
    fn a_shortened_list_is_told_by_what_it_had() {
        let truncated = json!({ "shortened": [{ "path": "/results", "kept": 1, "of": 40 }] });
        let response =
            json!({ "ok": true, "data": { "results": [{ "title": "Roof" }] }, "meta": { "truncated": truncated } });
        assert_eq!(speech(&response), "40 results: Roof.");
    }

    #[test]
    fn a_failure_is_said_by_its_message_and_a_question_without_its_token() {
        let token = "tgc_00112233445566778899aabbccddeeff";
        let error = json!({
            "type": "CONFIRMATION_REQUIRED",
            "message": format!("`send_note` needs the user's confirmation and has not run: Send to Ada {token} {{\"to\":\"Ada\"}}"),
            "confirmation_request": { "token": token, "tool": "send_note", "args": { "to": "Ada" }, "preview": "Send to Ada" },
        });
        let said = speech(&json!({ "ok": false, "error": error, "intents": [], "meta": {} }));
        assert_eq!(said, "Send note needs the user's confirmation and has not run: Send to Ada.");
        assert_eq!(speech(&json!({ "ok": false, "error": {} })), FAILED);
        assert_eq!(speech(&json!(7)), FAILED);
    }

    #[test]
    fn a_long_text_ends_with_a_sentence_or_a_word() {
        let sentences = "A sentence of some words. ".repeat(30);
        let said = of(&json!(sentences));
        assert!(said.ends_with("words.") && said.chars().count() > 250, "{said}");
        let said = of(&json!("wörter ".repeat(100)));
        assert!(said.ends_with("wörter…") && said.chars().count() > 290, "{said}");
    }

    fn any_data() -> impl Strategy<Value = Value> {
        let text = prop_oneof![
            "\\PC{0,80}",
            "[A-Za-z .,]{0,400}",
            Just("https://example.org/x?y=1".to_owned()),
            Just("see (http://a.b/c) and {\"a\": [1]}".to_owned()),
        ];
        let name =
            prop_oneof!["[a-z]{1,6}", Just("title".to_owned()), Just("results".to_owned()), Just("answer".to_owned())];
        let leaf = prop_oneof![Just(Value::Null), any::<i32>().prop_map(Value::from), text.prop_map(Value::from)];
        leaf.prop_recursive(4, 40, 5, move |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
                prop::collection::hash_map(name.clone(), inner, 0..5)
                    .prop_map(|members| members.into_iter().collect::<Map<_, _>>().into()),
            ]
        })
    }

    proptest! {
        #[test]
        fn whatever_it_is_given_it_is_short_and_holds_no_address_and_no_code(data in any_data(), ok: bool) {
            let said = if ok { of(&data) } else { speech(&json!({ "ok": false, "error": { "message": data } })) };
            prop_assert!(!said.is_empty() && said.chars().count() <= MAX_CHARS, "{}", said);
            prop_assert!(!said.contains("://") && !said.contains(['{', '}', '[', ']', '\n']), "{}", said);
        }
    }
}
