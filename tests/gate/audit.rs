//! Audit lines as they were written, in the terse form of answers.

use std::collections::HashMap;

use parking_lot::Mutex;
use serde_json::{Value, json};
use toolgate::observe::audit::AuditSink;

use super::names::Names;
use super::terse::leave_out;
use super::world::{SESSION, VERSION};

/// Keeps lines.
#[derive(Default)]
pub struct Lines(Mutex<Vec<String>>);

impl AuditSink for Lines {
    fn write(&self, line: String) {
        assert!(!line.contains('\n'), "one event is one line: {line}");
        self.0.lock().push(line);
    }

    fn flush(&self) {}
}

impl Lines {
    /// The bytes of all lines.
    pub fn bytes(&self) -> usize {
        self.0.lock().iter().map(String::len).sum()
    }

    /// The lines.
    pub fn texts(&self) -> Vec<String> {
        self.0.lock().clone()
    }

    /// The first line that holds the text.
    pub fn telling(&self, text: &str) -> Option<String> {
        self.0.lock().iter().find(|line| line.contains(text)).cloned()
    }

    /// What was heard, of the given kinds or of all.
    pub fn heard(&self, kinds: Option<&[String]>, categories: &HashMap<String, String>, names: &mut Names) -> Value {
        let lines = self.0.lock();
        let mut heard = Vec::with_capacity(lines.len());
        let mut last = String::new();
        for line in lines.iter() {
            assert!(!line.contains("tgc_"), "no line holds a token: {line}");
            let mut line: Value = serde_json::from_str(line).expect("a line is JSON");
            let at = line["at"].as_str().expect("an instant").to_owned();
            assert!(at >= last, "lines come in order");
            last = at;
            tell(&mut line, categories, names);
            let kind = line["event"].as_str().expect("a kind");
            if kinds.is_none_or(|kinds| kinds.iter().any(|wanted| wanted == kind)) {
                heard.push(line);
            }
        }
        Value::Array(heard)
    }
}

fn tell(line: &mut Value, categories: &HashMap<String, String>, names: &mut Names) {
    let Value::Object(members) = line else { panic!("a line is an object") };
    let at = names.iso_instant(members["at"].as_str().expect("an instant"));
    members.insert("at".to_owned(), json!(at));
    leave_out(members, "at", &json!("T+0"));
    if members["event"] == "registry_loaded" || members["event"] == "registry_locked" {
        leave_out(members, "sessionId", &json!("(none)"));
    } else {
        leave_out(members, "sessionId", &json!(SESSION));
    }
    for (name, usual) in [("registryVersion", VERSION), ("toolVersion", "1.0.0")] {
        if members.get(name).is_some_and(|version| version == usual) {
            members.shift_remove(name);
        }
    }
    if let Some(expires) = members.get("expires").and_then(Value::as_u64) {
        members.insert("expires".to_owned(), json!(names.instant(expires)));
    }
    if members["event"] == "tool_execution" {
        let category = categories.get(members["toolId"].as_str().expect("a tool")).cloned().unwrap_or_default();
        leave_out(members, "category", &json!(category));
        leave_out(members, "duration", &json!(0.0));
        let hash = members["argsHash"].as_str().expect("arguments are hashed").to_owned();
        assert_eq!(hash.len(), 32, "{hash}");
        members.insert("argsHash".to_owned(), json!(names.name("hash", &hash)));
        assert!(members.shift_remove("resultBytes").is_some_and(|bytes| bytes.is_u64()));
    }
    for (member, kind) in [("idempotencyKey", "key"), ("finalArgsHash", "final"), ("previewHash", "preview")] {
        if let Some(value) = members.get(member).and_then(Value::as_str).map(str::to_owned) {
            members.insert(member.to_owned(), json!(names.name(kind, &value)));
        }
    }
    if members.get("errorType").is_some_and(|kind| kind == "VALIDATION") {
        // Its words are the schema's affair.
        members.shift_remove("message");
    }
    names.rename(line);
}
