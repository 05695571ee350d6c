//! The published schema of `schema.json` for editors, and the test that it is up to date.

use std::path::{Path, PathBuf};

use schemars::transform::{RecursiveTransform, Transform};
use schemars::{Schema, SchemaGenerator, generate::SchemaSettings, json_schema};
use serde_json::{Map, Value};

use super::AuthoredTool;
use crate::schema::dialect;

/// An object. The build closes one that does not say whether it is open.
pub(super) fn parameters(_: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "$ref": dialect::DIALECT_2020_12,
        "type": "object",
        "properties": { "type": { "anyOf": [{ "const": "object" }, { "type": "array", "contains": { "const": "object" } }] } },
    })
}

pub(super) fn any_schema(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "$ref": dialect::DIALECT_2020_12, "type": "object" })
}

/// Removes `null` for absent fields, which serde reads and the lint rules refuse, and the formats of Rust's number
/// types, which JSON Schema lacks.
fn remove_serde_forms(schema: &mut Schema) {
    let Some(members) = schema.as_object_mut() else { return };
    members.remove("format");
    if members.get("default").is_some_and(Value::is_null) {
        members.remove("default");
    }
    if let Some(Value::Array(types)) = members.get_mut("type") {
        types.retain(|name| name != "null");
        if let [one] = types.as_slice() {
            let one = one.clone();
            members.insert("type".to_owned(), one);
        }
    }
    if let Some(Value::Array(branches)) = members.get_mut("anyOf") {
        branches.retain(|branch| branch.get("type").is_none_or(|kind| kind != "null"));
        if let [Value::Object(one)] = branches.as_slice() {
            let one = one.clone();
            members.remove("anyOf");
            members.extend(one);
        }
    }
}

fn published_schema() -> String {
    let settings = SchemaSettings::draft2020_12();
    let mut schema = settings.into_generator().into_root_schema_for::<AuthoredTool>();
    RecursiveTransform(remove_serde_forms).transform(&mut schema);
    let mut made = schema.to_value();
    made["$id"] = Value::from("urn:toolgate:schema:tool");
    let mut ordered = Map::new();
    for name in ["$schema", "$id", "title", "description"] {
        ordered.insert(name.to_owned(), made[name].take());
    }
    ordered.extend(
        made.as_object().unwrap().iter().filter(|(_, value)| !value.is_null()).map(|(k, v)| (k.clone(), v.clone())),
    );
    serde_json::to_string_pretty(&ordered).unwrap() + "\n"
}

fn published_path() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schemas/tool.schema.json")
}

#[test]
fn the_published_schema_is_made_from_the_type() {
    if std::env::var_os("TOOLGATE_RECORD").is_some() {
        std::fs::write(published_path(), published_schema()).unwrap();
    }
    assert_eq!(std::fs::read_to_string(published_path()).unwrap().replace("\r\n", "\n"), published_schema());
}
