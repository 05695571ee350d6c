//! The keywords that lead from a schema to other schemas, found in one pass over its members.

use serde_json::Value;

macro_rules! keywords {
    ($($field:ident $name:literal,)*) => {
        /// The values of these keywords in a valid schema.
        #[derive(Default)]
        pub(super) struct ApplicatorKeywords<'d> {
            $(pub(super) $field: Option<&'d Value>,)*
        }

        impl<'d> ApplicatorKeywords<'d> {
            /// Returns `None` if the schema has none of them: it has no subschemas, and says nothing of its value to keep.
            pub(super) fn from_schema(schema: &'d Value) -> Option<Self> {
                let mut found = Self::default();
                let mut is_empty = true;
                for (name, value) in schema.as_object()? {
                    let field = match name.as_str() {
                        $($name => &mut found.$field,)*
                        _ => continue,
                    };
                    *field = Some(value);
                    is_empty = false;
                }
                (!is_empty).then_some(found)
            }
        }
    };
}

keywords! {
    reference "$ref",
    dynamic_reference "$dynamicRef",
    recursive_reference "$recursiveRef",
    all_of "allOf",
    any_of "anyOf",
    one_of "oneOf",
    condition "if",
    consequence "then",
    alternative "else",
    dependent_schemas "dependentSchemas",
    dependencies "dependencies",
    required "required",
    properties "properties",
    pattern_properties "patternProperties",
    additional_properties "additionalProperties",
    unevaluated_properties "unevaluatedProperties",
    items "items",
    prefix_items "prefixItems",
    additional_items "additionalItems",
    unevaluated_items "unevaluatedItems",
    contains "contains",
    sensitive "x-sensitive",
    format "format",
    title "title",
}
