//! A writer of JSON objects for hot paths: each member's name is a literal that includes the comma and the colon, so
//! that only values are escaped.

use serde::Serialize;

use crate::write_string;

/// Appends members. A `name` is the whole text before the value: `{"toolId":` for the first member, `,"mode":` for
/// others.
pub struct ObjectWriter<'t>(pub &'t mut String);

impl ObjectWriter<'_> {
    /// Appends a string.
    #[inline]
    pub fn string(&mut self, name: &'static str, value: &str) -> &mut Self {
        self.0.push_str(name);
        write_string(self.0, value);
        self
    }

    /// Appends a string if present.
    #[inline]
    pub fn optional_string(&mut self, name: &'static str, value: Option<&str>) -> &mut Self {
        match value {
            Some(value) => self.string(name, value),
            None => self,
        }
    }

    /// Appends a trusted string that needs no escapes.
    #[inline]
    pub fn unescaped_string(&mut self, name: &'static str, value: &str) -> &mut Self {
        self.0.push_str(name);
        self.0.push('"');
        self.0.push_str(value);
        self.0.push('"');
        self
    }

    /// Appends an integer.
    #[inline]
    pub fn integer(&mut self, name: &'static str, value: impl itoa::Integer) -> &mut Self {
        self.0.push_str(name);
        self.0.push_str(itoa::Buffer::new().format(value));
        self
    }

    /// Appends an integer if present.
    #[inline]
    pub fn optional_integer(&mut self, name: &'static str, value: Option<impl itoa::Integer>) -> &mut Self {
        match value {
            Some(value) => self.integer(name, value),
            None => self,
        }
    }

    /// Appends a double in its shortest form, with a fraction even if it is an integer; a non-finite double as `null`.
    #[inline]
    pub fn float(&mut self, name: &'static str, value: f64) -> &mut Self {
        self.0.push_str(name);
        if value.is_finite() {
            self.0.push_str(zmij::Buffer::new().format_finite(value));
        } else {
            self.0.push_str("null");
        }
        self
    }

    /// Appends a boolean.
    #[inline]
    pub fn boolean(&mut self, name: &'static str, value: bool) -> &mut Self {
        self.0.push_str(name);
        self.0.push_str(if value { "true" } else { "false" });
        self
    }

    /// Appends a boolean if present.
    #[inline]
    pub fn optional_boolean(&mut self, name: &'static str, value: Option<bool>) -> &mut Self {
        match value {
            Some(value) => self.boolean(name, value),
            None => self,
        }
    }

    /// Appends `true`, or nothing for false.
    #[inline]
    pub fn true_if(&mut self, name: &'static str, value: bool) -> &mut Self {
        if value { self.boolean(name, true) } else { self }
    }

    /// Appends JSON text if present.
    #[inline]
    pub fn optional_json(&mut self, name: &'static str, json: Option<&str>) -> &mut Self {
        if let Some(json) = json {
            self.0.push_str(name);
            self.0.push_str(json);
        }
        self
    }

    /// Appends a serialized value.
    pub fn serialized(&mut self, name: &'static str, value: &impl Serialize) -> &mut Self {
        self.0.push_str(name);
        // Serialization of plain data does not fail.
        self.0.push_str(&serde_json::to_string(value).unwrap_or_else(|_| "null".to_owned()));
        self
    }

    /// Appends a list if it is not empty.
    #[inline]
    pub fn nonempty_list<T: Serialize>(&mut self, name: &'static str, list: &[T]) -> &mut Self {
        if list.is_empty() { self } else { self.serialized(name, &list) }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn written(write: impl FnOnce(&mut ObjectWriter<'_>)) -> String {
        let mut text = "{\"a\":0".to_owned();
        write(&mut ObjectWriter(&mut text));
        text + "}"
    }

    #[test]
    fn absent_values_are_omitted() {
        let text = written(|members| {
            members.optional_string(",\"b\":", None).optional_integer(",\"c\":", None::<u32>).true_if(",\"d\":", false);
            members.optional_boolean(",\"d\":", None).optional_json(",\"d\":", None);
            members.nonempty_list::<u8>(",\"e\":", &[]).boolean(",\"f\":", false).unescaped_string(",\"g\":", "h");
        });
        assert_eq!(text, r#"{"a":0,"f":false,"g":"h"}"#);
    }

    #[test]
    fn non_finite_doubles_are_null() {
        for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert_eq!(written(|members| _ = members.float(",\"b\":", value)), r#"{"a":0,"b":null}"#);
        }
    }

    proptest! {
        #[test]
        fn members_equal_those_of_serde(
            text in any::<String>(), whole: u64, float: f64, small in -1e6..1e6_f64, list in any::<Vec<String>>(),
        ) {
            prop_assume!(float.is_finite() && !list.is_empty());
            let members = written(|members| {
                members.string(",\"text\":", &text).optional_string(",\"some\":", Some(&text)).integer(",\"whole\":", whole);
                members.optional_integer(",\"number\":", Some(whole)).float(",\"float\":", float).float(",\"small\":", small);
                members.optional_boolean(",\"yes\":", Some(true)).optional_json(",\"json\":", Some("[1]"));
                members.boolean(",\"flag\":", true).true_if(",\"so\":", true).nonempty_list(",\"list\":", &list);
            });
            let expected = json!({
                "a": 0, "text": text, "some": text, "whole": whole, "number": whole, "float": float, "small": small,
                "yes": true, "json": [1], "flag": true, "so": true, "list": list,
            });
            prop_assert_eq!(members, expected.to_string());
        }
    }
}
