//! `missing-field`, `wrong-type`, `unknown-field`, `bad-enum`: the fields of `schema.json` and their types.
//!
//! The table below defines the fields. Unknown fields are refused, because they would have no effect; values of another
//! type are refused instead of converted.

use serde_json::{Map, Value};

use super::LintSettings;
use crate::findings::code::Code;
use crate::findings::report::Findings;
use crate::findings::suggest::{quoted_list, suggestion};
use crate::text::source::pointer_from_names;
use crate::tool_folder::tool_source::{ToolDocument, ToolSource};
use toolgate_definition::RepairRule;
use toolgate_json::suggest;

struct FieldSpec {
    name: &'static str,
    kind: FieldKind,
    required: bool,
}

#[derive(Clone, Copy)]
enum FieldKind {
    String,
    Boolean,
    Number,
    NumberOrFalse,
    Enum(&'static [&'static str]),
    StringArray,
    Array,
    Schema,
    /// Mode to argument to number.
    Clamp,
    /// Argument to argument.
    StringMap,
    /// `true`, `false` or names of repair rules.
    RepairRules,
    Object(&'static [FieldSpec]),
    SwitchOrObject(&'static [FieldSpec]),
    FalseOrObject(&'static [FieldSpec]),
    FalseOrEnum(&'static [&'static str]),
}

const fn required(name: &'static str, kind: FieldKind) -> FieldSpec {
    FieldSpec { name, kind, required: true }
}

const fn optional(name: &'static str, kind: FieldKind) -> FieldSpec {
    FieldSpec { name, kind, required: false }
}

const FIELDS: &[FieldSpec] = &[
    // Used by editors to complete and check the file.
    optional("$schema", FieldKind::String),
    required("toolId", FieldKind::String),
    required("version", FieldKind::String),
    optional("title", FieldKind::String),
    required("description", FieldKind::String),
    required("category", FieldKind::Enum(&["retrieval", "action", "utility"])),
    required("sideEffects", FieldKind::Enum(&["none", "read_only", "writes"])),
    required("idempotent", FieldKind::Boolean),
    required("requiresConfirmation", FieldKind::Boolean),
    required("allowedModes", FieldKind::StringArray),
    required("latencyBudgetMs", FieldKind::Number),
    optional("timeoutMs", FieldKind::NumberOrFalse),
    optional("background", FieldKind::SwitchOrObject(BACKGROUND)),
    optional("retry", FieldKind::Object(RETRY)),
    optional("cache", FieldKind::Object(CACHE)),
    optional("rateLimit", FieldKind::Object(RATE_LIMIT)),
    optional("requiredRoles", FieldKind::StringArray),
    optional("requires", FieldKind::StringArray),
    optional("confirmation", FieldKind::Object(CONFIRMATION)),
    optional("clamp", FieldKind::Clamp),
    optional("timeRules", FieldKind::Object(TIME_RULES)),
    optional("resultSchema", FieldKind::Schema),
    optional("resultLimitBytes", FieldKind::Number),
    optional("examples", FieldKind::Array),
    optional("parallel", FieldKind::Boolean),
    optional("repeatable", FieldKind::Boolean),
    optional("repair", FieldKind::RepairRules),
    optional("duplicate", FieldKind::FalseOrObject(DUPLICATE)),
    optional("alwaysDeclared", FieldKind::Boolean),
    optional("lintAccepted", FieldKind::StringArray),
    optional("loweringAccepted", FieldKind::StringArray),
    required("parameters", FieldKind::Schema),
];

const BACKGROUND: &[FieldSpec] = &[required("afterMs", FieldKind::Number)];
const DUPLICATE: &[FieldSpec] = &[
    optional("key", FieldKind::StringArray),
    optional("windowMs", FieldKind::Number),
    optional("scope", FieldKind::Enum(&["turn", "session", "principal"])),
    optional("on", FieldKind::Enum(&["ask", "replay", "refuse"])),
];
const RETRY: &[FieldSpec] = &[
    optional("maxAttempts", FieldKind::Number),
    optional("baseDelayMs", FieldKind::Number),
    optional("multiplier", FieldKind::Number),
];
const CACHE: &[FieldSpec] = &[required("ttlMs", FieldKind::Number)];
const RATE_LIMIT: &[FieldSpec] = &[
    required("calls", FieldKind::Number),
    required("windowMs", FieldKind::Number),
    optional("per", FieldKind::Enum(&["session", "principal"])),
];
const TIME_RULES: &[FieldSpec] =
    &[optional("after", FieldKind::StringMap), optional("notPast", FieldKind::StringArray)];
const CONFIRMATION: &[FieldSpec] = &[
    optional("preview", FieldKind::String),
    optional("ttlMs", FieldKind::Number),
    optional("when", FieldKind::Schema),
    optional("grantable", FieldKind::FalseOrEnum(&["args", "tool"])),
    optional("approvers", FieldKind::Object(APPROVERS)),
];
const APPROVERS: &[FieldSpec] = &[required("roles", FieldKind::StringArray), optional("count", FieldKind::Number)];

pub(super) fn check(tool: &ToolSource, _: &LintSettings, findings: &mut Findings) {
    if let Some(document) = &tool.schema {
        FieldChecker { document, findings }.check_object("", &document.members, FIELDS);
    }
}

struct FieldChecker<'a> {
    document: &'a ToolDocument,
    findings: &'a mut Findings,
}

impl FieldChecker<'_> {
    fn check_object(&mut self, at: &str, members: &Map<String, Value>, fields: &[FieldSpec]) {
        for field in fields {
            match members.get(field.name) {
                Some(value) => self.check_value(
                    &format!("{at}{}", pointer_from_names(&[field.name])),
                    field.name,
                    value,
                    field.kind,
                ),
                None if field.required => self.report_missing(at, field),
                None => {}
            }
        }
        for name in members.keys().filter(|name| fields.iter().all(|field| field.name != name.as_str())) {
            let absent: Vec<&str> =
                fields.iter().map(|field| field.name).filter(|known| !members.contains_key(*known)).collect();
            self.report_unknown(at, name, fields, &absent);
        }
    }

    fn report_missing(&mut self, at: &str, field: &FieldSpec) {
        let message = match at {
            "" => format!("`{}` is missing", field.name),
            _ => format!("`{}` is missing in `{at}`", field.name),
        };
        let help = format!("add it: {}", expected_value(field.kind));
        self.findings.add(Code::MissingField, self.document.at_value(at), message, help);
    }

    fn report_unknown(&mut self, at: &str, name: &str, fields: &[FieldSpec], absent: &[&str]) {
        let below = format!("{at}{}", pointer_from_names(&[name]));
        let known: Vec<&str> = fields.iter().map(|field| field.name).collect();
        let meant = suggest(name, known.iter().copied()).or_else(|| elsewhere_called(name, absent));
        let help = meant.map_or_else(
            || format!("remove it; the fields are {}", quoted_list(&known)),
            |candidate| format!("did you mean `{candidate}`?"),
        );
        self.findings.add(Code::UnknownField, self.document.at_key(&below), format!("unknown field `{name}`"), help);
    }

    fn check_value(&mut self, at: &str, name: &str, value: &Value, kind: FieldKind) {
        match (kind, value) {
            (FieldKind::Enum(choices) | FieldKind::FalseOrEnum(choices), Value::String(text)) => {
                if !choices.contains(&text.as_str()) {
                    let message = format!("`{name}` is `{text}`");
                    self.findings.add(Code::BadEnum, self.document.at_value(at), message, suggestion(text, choices));
                }
            }
            (FieldKind::String, Value::String(text)) if text.trim().is_empty() => {
                self.report_wrong_type(at, name, value, kind);
            }
            (
                FieldKind::Object(fields) | FieldKind::SwitchOrObject(fields) | FieldKind::FalseOrObject(fields),
                Value::Object(members),
            ) => self.check_object(at, members, fields),
            (FieldKind::StringArray, Value::Array(items)) => self.check_items(at, name, items, FieldKind::String),
            (FieldKind::RepairRules, Value::Array(items)) => {
                self.check_items(at, name, items, FieldKind::Enum(&RepairRule::NAMES));
            }
            (FieldKind::Clamp, Value::Object(modes)) => self.check_clamp(at, modes),
            (FieldKind::StringMap, Value::Object(members)) => self.check_members(at, name, members),
            (FieldKind::String, Value::String(_))
            | (FieldKind::Boolean | FieldKind::RepairRules | FieldKind::SwitchOrObject(_), Value::Bool(_))
            | (FieldKind::Number, Value::Number(_))
            | (FieldKind::NumberOrFalse, Value::Number(_) | Value::Bool(false))
            | (FieldKind::FalseOrObject(_) | FieldKind::FalseOrEnum(_), Value::Bool(false))
            | (FieldKind::Array, Value::Array(_))
            | (FieldKind::Schema, Value::Object(_)) => {}
            _ => self.report_wrong_type(at, name, value, kind),
        }
    }

    fn check_items(&mut self, at: &str, name: &str, items: &[Value], kind: FieldKind) {
        for (index, item) in items.iter().enumerate() {
            self.check_value(&format!("{at}/{index}"), &format!("{name}[{index}]"), item, kind);
        }
    }

    fn check_members(&mut self, at: &str, name: &str, members: &Map<String, Value>) {
        for (key, value) in members {
            let at = format!("{at}{}", pointer_from_names(&[key]));
            self.check_value(&at, &format!("{name}.{key}"), value, FieldKind::String);
        }
    }

    fn check_clamp(&mut self, at: &str, modes: &Map<String, Value>) {
        for (mode, limits) in modes {
            let at = format!("{at}{}", pointer_from_names(&[mode]));
            let Value::Object(limits) = limits else {
                self.report_wrong_type(&at, &format!("clamp.{mode}"), limits, FieldKind::Object(&[]));
                continue;
            };
            for (argument, limit) in limits {
                let at = format!("{at}{}", pointer_from_names(&[argument]));
                self.check_value(&at, &format!("clamp.{mode}.{argument}"), limit, FieldKind::Number);
            }
        }
    }

    fn report_wrong_type(&mut self, at: &str, name: &str, value: &Value, kind: FieldKind) {
        let message = format!("`{name}` is {}", describe_value(value));
        let help = match (name, value) {
            ("confirmation", Value::Bool(asks)) => {
                format!("write `requiresConfirmation: {asks}`; `confirmation` is {}", expected_value(kind))
            }
            _ => format!("it must be {}", expected_value(kind)),
        };
        self.findings.add(Code::WrongType, self.document.at_value(at), message, help);
    }
}

fn expected_value(kind: FieldKind) -> String {
    match kind {
        FieldKind::String => "a non-empty string".to_owned(),
        FieldKind::Boolean => "true or false".to_owned(),
        FieldKind::Number => "a number".to_owned(),
        FieldKind::NumberOrFalse => "a number of milliseconds, or false".to_owned(),
        FieldKind::Enum(choices) => format!("one of {}", quoted_list(choices)),
        FieldKind::FalseOrEnum(choices) => format!("false, or one of {}", quoted_list(choices)),
        FieldKind::StringArray => "an array of strings".to_owned(),
        FieldKind::Array => "an array".to_owned(),
        FieldKind::Schema => "a JSON Schema, as an object".to_owned(),
        FieldKind::Clamp => "an object such as `{ \"voice\": { \"top_k\": 3 } }`".to_owned(),
        FieldKind::StringMap => "an object such as `{ \"end_time\": \"start_time\" }`".to_owned(),
        FieldKind::FalseOrObject(fields) => format!("false, or {}", expected_value(FieldKind::Object(fields))),
        FieldKind::SwitchOrObject(fields) => format!("true, false or {}", expected_value(FieldKind::Object(fields))),
        FieldKind::RepairRules => format!("true, false or a list of {}", quoted_list(&RepairRule::NAMES)),
        FieldKind::Object(fields) => {
            let names: Vec<&str> = fields.iter().map(|field| field.name).collect();
            if names.is_empty() { "an object".to_owned() } else { format!("an object with {}", quoted_list(&names)) }
        }
    }
}

fn describe_value(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(true) => "true",
        Value::Bool(false) => "false",
        Value::Number(_) => "a number",
        Value::String(text) if text.trim().is_empty() => "an empty string",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

/// The field that other libraries and protocols call by this name, if it is absent.
fn elsewhere_called<'a>(name: &str, absent: &[&'a str]) -> Option<&'a str> {
    let ours = match name {
        "name" | "id" => "toolId",
        "inputSchema" | "input_schema" | "schema" | "params" | "properties" => "parameters",
        "outputSchema" | "output_schema" | "returns" => "resultSchema",
        "needsApproval" | "confirm" | "approval" => "requiresConfirmation",
        "timeout" => "timeoutMs",
        "retries" => "retry",
        _ => return None,
    };
    absent.iter().copied().find(|field| *field == ours)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares the table with an object schema of the published schema.
    fn compare(schema: &Value, root: &Value, fields: &[FieldSpec]) {
        let schema = schema
            .get("$ref")
            .map_or(schema, |target| root.pointer(target.as_str().unwrap().trim_start_matches('#')).unwrap());
        let mut names: Vec<&str> = fields.iter().map(|field| field.name).collect();
        names.sort_unstable();
        let mut published: Vec<&str> = schema["properties"].as_object().unwrap().keys().map(String::as_str).collect();
        published.sort_unstable();
        assert_eq!(names, published);
        for field in fields {
            let required = schema["required"].as_array().is_some_and(|names| names.contains(&field.name.into()));
            assert_eq!(required, field.required, "{}", field.name);
            if let FieldKind::Object(inner) = field.kind {
                compare(&schema["properties"][field.name], root, inner);
            }
        }
    }

    #[test]
    fn the_table_has_the_fields_of_the_published_schema() {
        let root: Value = serde_json::from_str(include_str!("../../../../schemas/tool.schema.json")).unwrap();
        compare(&root, &root, FIELDS);
    }
}
