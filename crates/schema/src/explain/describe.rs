//! The parameters and message of each kind of error.

use jsonschema::error::{TypeKind, ValidationErrorKind};
use serde_json::{Value, json};

use super::{ErrorContext, Explainer, format_examples, show};
use toolgate_json::{Kind, Node, suggest};

/// The largest number of allowed values in the parameters.
pub(crate) const MAX_ALLOWED_VALUES: usize = 50;

impl Explainer<'_> {
    /// Returns Ajv's `params`, and the message.
    pub(super) fn describe(&self, case: &ErrorContext<'_>) -> (Value, String) {
        use ValidationErrorKind as Error;
        match case.kind {
            Error::Type { kind } => describe_type(case, kind),
            Error::Required { property } => self.describe_missing(case, property.as_str().unwrap_or_default()),
            Error::Enum { options } => describe_enum(case, options),
            Error::Constant { expected_value } => {
                let message =
                    format!("{} must be {}{}", case.subject(), show::literal(expected_value), case.actual_suffix());
                (json!({ "allowedValue": **expected_value }), message)
            }
            Error::Minimum { limit } => describe_bound(case, ">=", "at least", limit),
            Error::Maximum { limit } => describe_bound(case, "<=", "at most", limit),
            Error::ExclusiveMinimum { limit } => describe_bound(case, ">", "greater than", limit),
            Error::ExclusiveMaximum { limit } => describe_bound(case, "<", "less than", limit),
            Error::MultipleOf { multiple_of } => {
                let divisor = case.keyword_value.cloned().unwrap_or_else(|| json!(multiple_of));
                let message = format!("{} must be a multiple of {divisor}{}", case.subject(), case.actual_suffix());
                (json!({ "multipleOf": divisor }), message)
            }
            // The error of `Pattern`: its message is the pattern.
            Error::Pattern { pattern } | Error::Custom { message: pattern, .. } => {
                let message = format!(
                    "{} must match the pattern `{}`{}",
                    case.subject(),
                    show::truncate(pattern),
                    case.actual_suffix()
                );
                (json!({ "pattern": pattern }), message)
            }
            Error::Format { format } => {
                let message = format!(
                    "{} must be {}{}",
                    case.subject(),
                    format_examples::describe_format(format),
                    case.actual_suffix()
                );
                (json!({ "format": format }), message)
            }
            _ => describe_size(case).unwrap_or_else(|| describe_other(case)),
        }
    }

    /// A missing property, required always or by another property.
    fn describe_missing(&self, case: &ErrorContext<'_>, name: &str) -> (Value, String) {
        let inside = case.location_suffix();
        if let Some((property, needed)) = requiring_property(case, name) {
            let message =
                format!("the property `{name}` is missing{inside}; it is required together with `{property}`");
            let params = json!({
                "property": property,
                "missingProperty": name,
                "depsCount": needed.len(),
                "deps": needed.join(", "),
            });
            return (params, message);
        }
        let hint = match self.misspelt_property(case, name) {
            Some(sent) => format!("; rename `{}`, which is not known", show::truncate(&sent)),
            None => String::new(),
        };
        (json!({ "missingProperty": name }), format!("the required property `{name}` is missing{inside}{hint}"))
    }

    /// Returns a sent, unknown property whose name is similar to the missing one.
    fn misspelt_property(&self, case: &ErrorContext<'_>, name: &str) -> Option<String> {
        let object = case.visible_value().filter(|_| !case.hides_names)?;
        let known = self.plan.declared_names_at(self.root, case.visible_path);
        let unknown: Vec<_> = object.members().map(|(sent, _)| sent).filter(|sent| !known.contains(&&**sent)).collect();
        suggest(name, unknown.iter().map(|sent| &**sent)).map(str::to_owned)
    }
}

/// The type names, as written in the schema.
pub(super) fn type_names(kind: &TypeKind) -> Vec<Value> {
    match kind {
        TypeKind::Single(single) => vec![json!(single.as_str())],
        TypeKind::Multiple(several) => several.iter().map(|kind| json!(kind.as_str())).collect(),
    }
}

fn join_types(names: &[Value]) -> String {
    show::join_with_or(names.iter().map(|name| with_article(name.as_str().unwrap_or_default()).to_owned()).collect())
}

/// A type name with its article.
pub(super) fn with_article(name: &str) -> &'static str {
    match name {
        "null" => "null",
        "boolean" => "a boolean",
        "integer" => "an integer",
        "number" => "a number",
        "string" => "a string",
        "array" => "an array",
        _ => "an object",
    }
}

fn describe_type(case: &ErrorContext<'_>, kind: &TypeKind) -> (Value, String) {
    let names = match case.keyword_value {
        Some(Value::Array(names)) => names.clone(),
        _ => type_names(kind),
    };
    let hint = case.visible_value().and_then(|node| type_hint(node, &names)).unwrap_or_default();
    let message = format!("{} must be {}{}{hint}", case.subject(), join_types(&names), case.actual_type_suffix());
    let wanted = match <[Value; 1]>::try_from(names) {
        Ok([name]) => name,
        Err(names) => Value::Array(names),
    };
    (json!({ "type": wanted }), message)
}

/// How to correct a common mistake of type. Values are never coerced, so the model must resend them.
fn type_hint(node: Node<'_>, names: &[Value]) -> Option<&'static str> {
    let wants = |name: &str| names.iter().any(|wanted| wanted == name);
    match node.kind() {
        Kind::String => {
            let text = node.as_str()?;
            let text = text.trim();
            if (wants("number") || wants("integer")) && text.parse::<f64>().is_ok_and(f64::is_finite) {
                Some("; send the number without quotes")
            } else if wants("boolean") && matches!(text, "true" | "false") {
                Some("; send it without quotes")
            } else if (wants("object") && text.starts_with('{')) || (wants("array") && text.starts_with('[')) {
                Some("; send the JSON itself, not a string that holds it")
            } else if wants("array") {
                Some("; send an array, also for one item")
            } else {
                None
            }
        }
        Kind::Number | Kind::Bool if wants("string") => Some("; send it in double quotes"),
        Kind::Number | Kind::Bool | Kind::Object if wants("array") => Some("; send an array, also for one item"),
        _ => None,
    }
}

fn describe_enum(case: &ErrorContext<'_>, options: &Value) -> (Value, String) {
    let options = options.as_array().map(Vec::as_slice).unwrap_or_default();
    let listed = show::list(options.iter().map(show::literal));
    let hint = suggestion(case, options.iter());
    let message = format!("{} must be one of {listed}{}{hint}", case.subject(), case.actual_suffix());
    let allowed: Vec<&Value> = options.iter().take(MAX_ALLOWED_VALUES).collect();
    (json!({ "allowedValues": allowed }), message)
}

/// A suggestion of the allowed value that is similar to the sent one; empty if there is none.
pub(super) fn suggestion<'v>(case: &ErrorContext<'_>, options: impl Iterator<Item = &'v Value>) -> String {
    let sent = case.visible_value().and_then(|node| node.as_str());
    let meant = sent.and_then(|sent| suggest(&sent, options.filter_map(Value::as_str)));
    meant.map(|meant| format!("; did you mean {}?", show::literal(&json!(meant)))).unwrap_or_default()
}

fn describe_bound(case: &ErrorContext<'_>, comparison: &str, words: &str, limit: &Value) -> (Value, String) {
    let message = format!("{} must be {words} {limit}{}", case.subject(), case.actual_suffix());
    (json!({ "comparison": comparison, "limit": limit }), message)
}

/// Returns the property whose presence requires `name` (`dependentRequired`), and all names that it requires.
fn requiring_property<'c>(case: &ErrorContext<'c>, name: &str) -> Option<(&'c str, Vec<&'c str>)> {
    let dependencies = case.keyword_value?.as_object()?;
    dependencies.iter().find_map(|(property, needed)| {
        let needed: Vec<&str> = needed.as_array()?.iter().filter_map(Value::as_str).collect();
        let is_asking = needed.contains(&name) && case.node?.get(property).is_some();
        is_asking.then_some((property.as_str(), needed))
    })
}

/// Describes errors of length and number.
fn describe_size(case: &ErrorContext<'_>) -> Option<(Value, String)> {
    use ValidationErrorKind as Error;
    let (words, limit, one, many) = match case.kind {
        Error::MinLength { limit } => ("at least", *limit, "character", "characters"),
        Error::MaxLength { limit } => ("at most", *limit, "character", "characters"),
        Error::MinItems { limit } => ("at least", *limit, "item", "items"),
        Error::MaxItems { limit } => ("at most", *limit, "item", "items"),
        Error::AdditionalItems { limit } => ("at most", *limit as u64, "item", "items"),
        Error::MinProperties { limit } => ("at least", *limit, "property", "properties"),
        Error::MaxProperties { limit } => ("at most", *limit, "property", "properties"),
        _ => return None,
    };
    let count = case.count_suffix(|node| node.as_str().map_or(node.len(), |text| text.chars().count()));
    let limits = show::plural(limit, one, many);
    Some((json!({ "limit": limit }), format!("{} must have {words} {limits}{count}", case.subject())))
}

/// Describes all other errors.
fn describe_other(case: &ErrorContext<'_>) -> (Value, String) {
    use ValidationErrorKind as Error;
    let subject = case.subject();
    match case.kind {
        Error::UniqueItems => describe_duplicates(case),
        Error::Contains => describe_contains(case),
        Error::OneOfMultipleValid { context } => {
            let fitting: Vec<usize> =
                context.iter().enumerate().filter(|(_, errors)| errors.is_empty()).map(|(index, _)| index).collect();
            let forms = show::list(fitting.iter().map(|index| (index + 1).to_string()));
            let message =
                format!("{subject} fits more than one of the allowed forms ({forms}); it must fit exactly one");
            (json!({ "passingSchemas": fitting }), message)
        }
        Error::FalseSchema => (json!({}), format!("{subject} is not allowed; leave it out")),
        Error::Not { .. } => {
            (json!({}), format!("{subject} must not fit the schema at `#{}`", show::truncate(&case.schema_path)))
        }
        Error::PropertyNames { error } => {
            let name = error.instance().as_str().unwrap_or_default();
            let shown = case.visible_name(name);
            let reason = describe_name_error(error.kind());
            (
                json!({ "propertyName": shown }),
                format!("the property name `{shown}`{} {reason}", case.location_suffix()),
            )
        }
        Error::UnevaluatedItems { unexpected } => {
            let count = show::plural(unexpected.len() as u64, "item", "items");
            (json!({}), format!("{subject} has {count} that the schema does not allow"))
        }
        Error::ContentEncoding { content_encoding } => (
            json!({ "contentEncoding": content_encoding }),
            format!("{subject} must be encoded as `{content_encoding}`"),
        ),
        Error::ContentMediaType { content_media_type } => {
            let message = format!("{subject} must hold a document of the type `{content_media_type}`");
            (json!({ "contentMediaType": content_media_type }), message)
        }
        // The library's own message could contain the value.
        _ => (json!({}), format!("{subject} cannot be checked against `{}`", case.kind.keyword())),
    }
}

/// Why a property name is invalid, without repeating it.
fn describe_name_error(kind: &ValidationErrorKind) -> String {
    use ValidationErrorKind as Error;
    match kind {
        Error::Pattern { pattern } | Error::Custom { message: pattern, .. } => {
            format!("must match the pattern `{}`", show::truncate(pattern))
        }
        Error::MaxLength { limit } => format!("must have at most {}", show::plural(*limit, "character", "characters")),
        Error::MinLength { limit } => format!("must have at least {}", show::plural(*limit, "character", "characters")),
        Error::Format { format } => format!("must be {}", format_examples::describe_format(format)),
        Error::Enum { options } => {
            let options = options.as_array().map(Vec::as_slice).unwrap_or_default();
            format!("must be one of {}", show::list(options.iter().map(show::literal)))
        }
        Error::Constant { expected_value } => format!("must be {}", show::literal(expected_value)),
        _ => "is not allowed".to_owned(),
    }
}

/// Describes the first two equal elements.
fn describe_duplicates(case: &ErrorContext<'_>) -> (Value, String) {
    let mut seen = std::collections::HashMap::new();
    let elements = case.node.into_iter().flat_map(|node| node.elements());
    for (later, element) in elements.enumerate() {
        let mut canonical = String::new();
        element.write_canonical(&mut canonical);
        if let Some(first) = seen.insert(canonical, later) {
            let message =
                format!("the items {first} and {later} of {} are equal; each may be there once", case.subject());
            return (json!({ "i": first, "j": later }), message);
        }
    }
    (json!({}), format!("the items of {} must all be different", case.subject()))
}

fn describe_contains(case: &ErrorContext<'_>) -> (Value, String) {
    let bound = |keyword: &str| case.parent_schema.and_then(|schema| schema.get(keyword)).and_then(Value::as_u64);
    let min = bound("minContains").unwrap_or(1);
    let subject = case.subject();
    let items = show::plural(min, "item that fits", "items that fit");
    match bound("maxContains") {
        Some(max) => {
            let message = format!("{subject} must contain {min} to {max} items that fit the schema of `contains`");
            (json!({ "minContains": min, "maxContains": max }), message)
        }
        None => {
            (json!({ "minContains": min }), format!("{subject} must contain at least {items} the schema of `contains`"))
        }
    }
}
