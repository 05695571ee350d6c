//! The supported keywords, found in one pass over a schema's members.

use super::build::Unsupported;
use toolgate_json::{Kind, Node};

macro_rules! keywords {
    ($($field:ident $name:literal,)*) => {
        /// The values of these keywords in a schema.
        #[derive(Default)]
        pub(super) struct SupportedKeywords<'t> {
            $(pub(super) $field: Option<Node<'t>>,)*
        }

        impl<'t> SupportedKeywords<'t> {
            /// Refuses a schema with an unsupported keyword or an invalid annotation.
            pub(super) fn from_schema(schema: Node<'t>) -> Result<Self, Unsupported> {
                let mut found = Self::default();
                for (name, value) in schema.members() {
                    let field = match &*name {
                        $($name => &mut found.$field,)*
                        annotation if is_valid_annotation(annotation, value) => continue,
                        _ => return Err(Unsupported),
                    };
                    *field = Some(value);
                }
                Ok(found)
            }
        }
    };
}

keywords! {
    dialect "$schema",
    definitions "$defs",
    older_definitions "definitions",
    reference "$ref",
    all_of "allOf",
    any_of "anyOf",
    types "type",
    among "enum",
    constant "const",
    min_length "minLength",
    max_length "maxLength",
    pattern "pattern",
    format "format",
    minimum "minimum",
    maximum "maximum",
    above "exclusiveMinimum",
    below "exclusiveMaximum",
    multiple_of "multipleOf",
    properties "properties",
    required "required",
    additional_properties "additionalProperties",
    min_properties "minProperties",
    max_properties "maxProperties",
    prefix_items "prefixItems",
    items "items",
    min_items "minItems",
    max_items "maxItems",
    unique_items "uniqueItems",
}

/// Whether a keyword is an annotation without effect on validity, and its value is valid. A default matters for
/// completion; it is read with its property.
fn is_valid_annotation(name: &str, value: Node<'_>) -> bool {
    match name {
        "title" | "description" | "$comment" => value.kind() == Kind::String,
        "deprecated" | "readOnly" | "writeOnly" => value.kind() == Kind::Bool,
        "examples" => value.kind() == Kind::Array,
        "default" => true,
        // No dialect defines these.
        other => other.starts_with("x-"),
    }
}
