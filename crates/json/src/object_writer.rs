//! ObjectWriter of a JSON object, appended to a text one after another. For what is written once per call: each member's name
//! stands in the source as it stands in the text, comma and colon included, so nothing is escaped but values.

use serde::Serialize;

use crate::write_string;

/// Appends members. A `name` is all that stands before its value: `{"toolId":` of the first, `,"mode":` of another.
pub struct ObjectWriter<'t>(pub &'t mut String);

impl ObjectWriter<'_> {
    /// A string.
    #[inline]
    pub fn text(&mut self, name: &'static str, value: &str) -> &mut Self {
        self.0.push_str(name);
        write_string(self.0, value);
        self
    }

    /// A string, where there is one.
    #[inline]
    pub fn some_text(&mut self, name: &'static str, value: Option<&str>) -> &mut Self {
        match value {
            Some(value) => self.text(name, value),
            None => self,
        }
    }

    /// A string of ours that has nothing to escape.
    #[inline]
    pub fn word(&mut self, name: &'static str, value: &str) -> &mut Self {
        self.0.push_str(name);
        self.0.push('"');
        self.0.push_str(value);
        self.0.push('"');
        self
    }

    /// A string of ours that has nothing to escape, where there is one.
    #[inline]
    pub fn some_word(&mut self, name: &'static str, value: Option<&str>) -> &mut Self {
        match value {
            Some(value) => self.word(name, value),
            None => self,
        }
    }

    /// A whole number.
    #[inline]
    pub fn number(&mut self, name: &'static str, value: impl itoa::Integer) -> &mut Self {
        self.0.push_str(name);
        self.0.push_str(itoa::Buffer::new().format(value));
        self
    }

    /// A whole number, where there is one.
    #[inline]
    pub fn some_number(&mut self, name: &'static str, value: Option<impl itoa::Integer>) -> &mut Self {
        match value {
            Some(value) => self.number(name, value),
            None => self,
        }
    }

    /// A number in its shortest form, with a fraction even where it is whole; what is no number is `null`.
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

    /// A boolean.
    #[inline]
    pub fn flag(&mut self, name: &'static str, value: bool) -> &mut Self {
        self.0.push_str(name);
        self.0.push_str(if value { "true" } else { "false" });
        self
    }

    /// A boolean, where there is one.
    #[inline]
    pub fn some_flag(&mut self, name: &'static str, value: Option<bool>) -> &mut Self {
        match value {
            Some(value) => self.flag(name, value),
            None => self,
        }
    }

    /// `true`, where it is.
    #[inline]
    pub fn if_so(&mut self, name: &'static str, value: bool) -> &mut Self {
        if value { self.flag(name, true) } else { self }
    }

    /// JSON text, where there is some.
    #[inline]
    pub fn some_json(&mut self, name: &'static str, json: Option<&str>) -> &mut Self {
        if let Some(json) = json {
            self.0.push_str(name);
            self.0.push_str(json);
        }
        self
    }

    /// A value with a form of its own.
    pub fn value(&mut self, name: &'static str, value: &impl Serialize) -> &mut Self {
        self.0.push_str(name);
        // Plain data always serializes.
        self.0.push_str(&serde_json::to_string(value).unwrap_or_else(|_| "null".to_owned()));
        self
    }

    /// A list, where it is not empty.
    #[inline]
    pub fn some_list<T: Serialize>(&mut self, name: &'static str, list: &[T]) -> &mut Self {
        if list.is_empty() { self } else { self.value(name, &list) }
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
    fn what_is_not_there_is_left_out() {
        let text = written(|members| {
            members.some_text(",\"b\":", None).some_number(",\"c\":", None::<u32>).if_so(",\"d\":", false);
            members.some_flag(",\"d\":", None).some_json(",\"d\":", None);
            members.some_list::<u8>(",\"e\":", &[]).flag(",\"f\":", false).word(",\"g\":", "h");
        });
        assert_eq!(text, r#"{"a":0,"f":false,"g":"h"}"#);
    }

    #[test]
    fn a_number_that_is_none_is_null() {
        for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert_eq!(written(|members| _ = members.float(",\"b\":", value)), r#"{"a":0,"b":null}"#);
        }
    }

    proptest! {
        #[test]
        fn members_stand_as_serde_writes_them(
            text in any::<String>(), whole: u64, float: f64, small in -1e6..1e6_f64, list in any::<Vec<String>>(),
        ) {
            prop_assume!(float.is_finite() && !list.is_empty());
            let members = written(|members| {
                members.text(",\"text\":", &text).some_text(",\"some\":", Some(&text)).number(",\"whole\":", whole);
                members.some_number(",\"number\":", Some(whole)).float(",\"float\":", float).float(",\"small\":", small);
                members.some_flag(",\"yes\":", Some(true)).some_json(",\"json\":", Some("[1]"));
                members.flag(",\"flag\":", true).if_so(",\"so\":", true).some_list(",\"list\":", &list);
            });
            let expected = json!({
                "a": 0, "text": text, "some": text, "whole": whole, "number": whole, "float": float, "small": small,
                "yes": true, "json": [1], "flag": true, "so": true, "list": list,
            });
            prop_assert_eq!(members, expected.to_string());
        }
    }
}
