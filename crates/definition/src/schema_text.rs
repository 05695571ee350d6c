//! A tool's JSON Schema, stored as text: a tree takes ten times the memory and is rarely needed.

use std::fmt;
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use serde_json::value::RawValue;

/// A JSON Schema. Dereferences to the tree, which is built at the first use and then kept.
#[derive(Clone)]
pub struct SchemaText {
    /// The text as read; else serialized at the first use.
    text: OnceLock<Arc<str>>,
    tree: OnceLock<Box<Value>>,
}

impl SchemaText {
    /// The JSON text.
    #[must_use]
    pub fn text(&self) -> &Arc<str> {
        self.text.get_or_init(|| self.tree.get().map_or_else(|| "null".into(), |tree| tree.to_string().into()))
    }
}

impl From<Value> for SchemaText {
    fn from(tree: Value) -> Self {
        Self { text: OnceLock::new(), tree: OnceLock::from(Box::new(tree)) }
    }
}

impl Deref for SchemaText {
    type Target = Value;

    fn deref(&self) -> &Value {
        self.tree.get_or_init(|| {
            // Never fails: compiling the schema refuses unparsable text, such as a number that overflows a double.
            Box::new(self.text.get().and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default())
        })
    }
}

impl PartialEq for SchemaText {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl fmt::Debug for SchemaText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}

impl Serialize for SchemaText {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (**self).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for SchemaText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text: Box<RawValue> = Box::deserialize(deserializer)?;
        Ok(Self { text: OnceLock::from(Arc::from(text.get())), tree: OnceLock::new() })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn text_and_tree_are_the_same_schema() {
        let schema = json!({ "type": "object", "properties": { "ü": { "maximum": 1.5 } } });
        let (read, made): (SchemaText, SchemaText) =
            (serde_json::from_str(&schema.to_string()).unwrap(), schema.clone().into());
        assert!(read.tree.get().is_none(), "reading makes no tree");
        assert_eq!((&*read, read.text()), (&schema, made.text()));
        assert_eq!(read, made);
        assert_eq!(serde_json::to_string_pretty(&read).unwrap(), serde_json::to_string_pretty(&schema).unwrap());
    }
}
