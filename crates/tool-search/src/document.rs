//! The searchable text of one tool.

use serde_json::Value;

/// Maximum nesting of a parameter: deeper ones are not indexed.
const MAX_DEPTH: usize = 6;
/// Maximum number of indexed parameters of one tool, nested ones included.
const MAX_PARAMETERS: usize = 200;

/// The texts of one tool by field.
#[derive(Debug, Clone, Copy)]
pub struct SearchableTool<'a> {
    /// The tool's name, such as `kb_search` or `getUserById`.
    pub name: &'a str,
    /// The name for people.
    pub title: &'a str,
    /// One or two sentences.
    pub summary: &'a str,
    /// The description for the model.
    pub description: &'a str,
    /// The JSON Schema of the arguments: names, descriptions and text values of its properties are indexed.
    pub parameters: &'a Value,
}

/// Calls `take` with the name, the description and each text value of each parameter.
pub(crate) fn for_each_parameter_text<'a>(schema: &'a Value, take: &mut impl FnMut(&'a str)) {
    visit(schema, MAX_DEPTH, &mut 0, take);
}

fn visit<'a>(schema: &'a Value, depth: usize, seen: &mut usize, take: &mut impl FnMut(&'a str)) {
    let Some(depth) = depth.checked_sub(1) else { return };
    for (name, parameter) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
        if *seen >= MAX_PARAMETERS {
            return;
        }
        *seen += 1;
        take(name);
        let description = parameter.get("description").and_then(Value::as_str);
        description.into_iter().for_each(&mut *take);
        for_each_enum_text(parameter, take);
        if let Some(items) = parameter.get("items") {
            for_each_enum_text(items, take);
            visit(items, depth, seen, take);
        }
        visit(parameter, depth, seen, take);
    }
}

fn for_each_enum_text<'a>(schema: &'a Value, take: &mut impl FnMut(&'a str)) {
    let values = schema.get("enum").and_then(Value::as_array);
    values.into_iter().flatten().filter_map(Value::as_str).for_each(take);
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn nested_parameters_have_texts() {
        let schema = json!({ "properties": {
            "unit": { "description": "The scale.", "enum": ["celsius", 1] },
            "days": { "items": { "enum": ["monday"], "properties": { "hour": true } } },
        } });
        let mut texts = Vec::new();
        for_each_parameter_text(&schema, &mut |text| texts.push(text));
        assert_eq!(texts, ["unit", "The scale.", "celsius", "days", "monday", "hour"]);
    }

    #[test]
    fn the_number_of_parameters_is_bounded() {
        let properties: serde_json::Map<String, Value> =
            (0..1000).map(|number| (format!("p{number}"), Value::Bool(true))).collect();
        let mut count = 0;
        for_each_parameter_text(&json!({ "properties": properties }), &mut |_| count += 1);
        assert_eq!(count, MAX_PARAMETERS);
    }
}
