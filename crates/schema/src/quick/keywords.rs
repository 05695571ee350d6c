//! The keywords that are understood, found in one pass over a schema's members.

use super::build::Strange;
use toolgate_json::{Kind, Node};

macro_rules! keywords {
    ($($field:ident $name:literal,)*) => {
        /// What a schema holds of them.
        #[derive(Default)]
        pub(super) struct Keywords<'t> {
            $(pub(super) $field: Option<Node<'t>>,)*
        }

        impl<'t> Keywords<'t> {
            /// Refuses a schema with a keyword that is not understood, or that is for readers and wrong.
            pub(super) fn of(schema: Node<'t>) -> Result<Self, Strange> {
                let mut found = Self::default();
                for (name, value) in schema.members() {
                    let field = match &*name {
                        $($name => &mut found.$field,)*
                        note if is_note(note, value) => continue,
                        _ => return Err(Strange),
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

/// Whether a keyword says nothing about validity, and is what its dialect asks of it. A default matters to completion; it
/// is read where its property is.
fn is_note(name: &str, value: Node<'_>) -> bool {
    match name {
        "title" | "description" | "$comment" => value.kind() == Kind::String,
        "deprecated" | "readOnly" | "writeOnly" => value.kind() == Kind::Bool,
        "examples" => value.kind() == Kind::Array,
        "default" => true,
        // No dialect knows these.
        other => other.starts_with("x-"),
    }
}
