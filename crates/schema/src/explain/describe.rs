//! Parameters and message of each kind of error.

use jsonschema::error::{TypeKind, ValidationErrorKind};
use serde_json::{Value, json};

use super::{Case, Explainer, format, show};
use toolgate_did_you_mean::nearest;
use toolgate_json::{Kind, Node};

/// How many allowed values the parameters repeat.
const MAX_ALLOWED_VALUES: usize = 50;

impl Explainer<'_> {
    /// What Ajv would give as `params`, and the message.
    pub(super) fn describe(&self, case: &Case<'_>) -> (Value, String) {
        use ValidationErrorKind as Error;
        match case.kind {
            Error::Type { kind } => wrong_type(case, kind),
            Error::Required { property } => self.missing(case, property.as_str().unwrap_or_default()),
            Error::Enum { options } => not_listed(case, options),
            Error::Constant { expected_value } => {
                let message = format!("{} must be {}{}", case.subject(), show::literal(expected_value), case.actual());
                (json!({ "allowedValue": **expected_value }), message)
            }
            Error::Minimum { limit } => compared(case, ">=", "at least", limit),
            Error::Maximum { limit } => compared(case, "<=", "at most", limit),
            Error::ExclusiveMinimum { limit } => compared(case, ">", "greater than", limit),
            Error::ExclusiveMaximum { limit } => compared(case, "<", "less than", limit),
            Error::MultipleOf { multiple_of } => {
                let divisor = case.keyword.cloned().unwrap_or_else(|| json!(multiple_of));
                let message = format!("{} must be a multiple of {divisor}{}", case.subject(), case.actual());
                (json!({ "multipleOf": divisor }), message)
            }
            Error::Pattern { pattern } => {
                let message =
                    format!("{} must match the pattern `{}`{}", case.subject(), show::cut(pattern), case.actual());
                (json!({ "pattern": pattern }), message)
            }
            Error::Format { format } => {
                let message = format!("{} must be {}{}", case.subject(), format::wanted(format), case.actual());
                (json!({ "format": format }), message)
            }
            _ => describe_size(case).unwrap_or_else(|| describe_whole(case)),
        }
    }

    /// A property that is required, or that another property asks for.
    fn missing(&self, case: &Case<'_>, name: &str) -> (Value, String) {
        let inside = case.inside();
        if let Some((property, needed)) = asking_property(case, name) {
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
        let hint = match self.misspelt(case, name) {
            Some(sent) => format!("; rename `{}`, which is not known", show::cut(&sent)),
            None => String::new(),
        };
        (json!({ "missingProperty": name }), format!("the required property `{name}` is missing{inside}{hint}"))
    }

    /// A property that was sent, is not known, and looks like the one that is missing.
    fn misspelt(&self, case: &Case<'_>, name: &str) -> Option<String> {
        let object = case.seen()?;
        let known = self.plan.names_at(self.root, case.path);
        let unknown: Vec<_> = object.members().map(|(sent, _)| sent).filter(|sent| !known.contains(&&**sent)).collect();
        nearest(name, unknown.iter().map(|sent| &**sent)).map(str::to_owned)
    }
}

/// The names of types, as the schema writes them.
pub(super) fn type_names(kind: &TypeKind) -> Vec<Value> {
    match kind {
        TypeKind::Single(single) => vec![json!(single.as_str())],
        TypeKind::Multiple(several) => several.iter().map(|kind| json!(kind.as_str())).collect(),
    }
}

fn any_of_types(names: &[Value]) -> String {
    show::either(names.iter().map(|name| with_article(name.as_str().unwrap_or_default()).to_owned()).collect())
}

/// A type's name with its article.
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

fn wrong_type(case: &Case<'_>, kind: &TypeKind) -> (Value, String) {
    let names = match case.keyword {
        Some(Value::Array(names)) => names.clone(),
        _ => type_names(kind),
    };
    let hint = case.seen().and_then(|node| type_hint(node, &names)).unwrap_or_default();
    let message = format!("{} must be {}{}{hint}", case.subject(), any_of_types(&names), case.actual_kind());
    let wanted = match <[Value; 1]>::try_from(names) {
        Ok([name]) => name,
        Err(names) => Value::Array(names),
    };
    (json!({ "type": wanted }), message)
}

/// How to send what was probably meant. Nothing is coerced, so it must be said.
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

fn not_listed(case: &Case<'_>, options: &Value) -> (Value, String) {
    let options = options.as_array().map(Vec::as_slice).unwrap_or_default();
    let listed = show::list(options.iter().map(show::literal));
    let hint = meant(case, options.iter());
    let message = format!("{} must be one of {listed}{}{hint}", case.subject(), case.actual());
    let allowed: Vec<&Value> = options.iter().take(MAX_ALLOWED_VALUES).collect();
    (json!({ "allowedValues": allowed }), message)
}

/// The one of the allowed values that looks like the one that was sent.
pub(super) fn meant<'v>(case: &Case<'_>, options: impl Iterator<Item = &'v Value>) -> String {
    let sent = case.seen().and_then(|node| node.as_str());
    let meant = sent.and_then(|sent| nearest(&sent, options.filter_map(Value::as_str)));
    meant.map(|meant| format!("; did you mean {}?", show::literal(&json!(meant)))).unwrap_or_default()
}

fn compared(case: &Case<'_>, comparison: &str, words: &str, limit: &Value) -> (Value, String) {
    let message = format!("{} must be {words} {limit}{}", case.subject(), case.actual());
    (json!({ "comparison": comparison, "limit": limit }), message)
}

/// The property whose presence asks for `name` (`dependentRequired`), and all that it asks for.
fn asking_property<'c>(case: &Case<'c>, name: &str) -> Option<(&'c str, Vec<&'c str>)> {
    let dependencies = case.keyword?.as_object()?;
    dependencies.iter().find_map(|(property, needed)| {
        let needed: Vec<&str> = needed.as_array()?.iter().filter_map(Value::as_str).collect();
        let is_asking = needed.contains(&name) && case.node?.get(property).is_some();
        is_asking.then_some((property.as_str(), needed))
    })
}

/// Too long, too short, too many, too few.
fn describe_size(case: &Case<'_>) -> Option<(Value, String)> {
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
    let count = case.count(|node| node.as_str().map_or(node.len(), |text| text.chars().count()));
    let limits = show::plural(limit, one, many);
    Some((json!({ "limit": limit }), format!("{} must have {words} {limits}{count}", case.subject())))
}

/// What concerns the value as a whole.
fn describe_whole(case: &Case<'_>) -> (Value, String) {
    use ValidationErrorKind as Error;
    let subject = case.subject();
    match case.kind {
        Error::UniqueItems => repeated(case),
        Error::Contains => too_few_or_many(case),
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
            (json!({}), format!("{subject} must not fit the schema at `#{}`", show::cut(&case.schema_path)))
        }
        Error::PropertyNames { error } => {
            let name = error.instance().as_str().unwrap_or_default();
            let shown = case.name(name);
            let reason = name_reason(error.kind());
            (json!({ "propertyName": shown }), format!("the property name `{shown}`{} {reason}", case.inside()))
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
        // What cannot be checked is refused; the library's own words could hold the value.
        _ => (json!({}), format!("{subject} cannot be checked against `{}`", case.kind.keyword())),
    }
}

/// Why a property name does not do, told without repeating it.
fn name_reason(kind: &ValidationErrorKind) -> String {
    use ValidationErrorKind as Error;
    match kind {
        Error::Pattern { pattern } => format!("must match the pattern `{}`", show::cut(pattern)),
        Error::MaxLength { limit } => format!("must have at most {}", show::plural(*limit, "character", "characters")),
        Error::MinLength { limit } => format!("must have at least {}", show::plural(*limit, "character", "characters")),
        Error::Format { format } => format!("must be {}", format::wanted(format)),
        Error::Enum { options } => {
            let options = options.as_array().map(Vec::as_slice).unwrap_or_default();
            format!("must be one of {}", show::list(options.iter().map(show::literal)))
        }
        Error::Constant { expected_value } => format!("must be {}", show::literal(expected_value)),
        _ => "is not allowed".to_owned(),
    }
}

/// The first two elements that are equal.
fn repeated(case: &Case<'_>) -> (Value, String) {
    let mut seen = std::collections::HashMap::new();
    let elements = case.node.into_iter().flat_map(|node| node.elements());
    for (later, element) in elements.enumerate() {
        let mut canonical = String::new();
        element.canonical(&mut canonical);
        if let Some(first) = seen.insert(canonical, later) {
            let message =
                format!("the items {first} and {later} of {} are equal; each may be there once", case.subject());
            return (json!({ "i": first, "j": later }), message);
        }
    }
    (json!({}), format!("the items of {} must all be different", case.subject()))
}

fn too_few_or_many(case: &Case<'_>) -> (Value, String) {
    let bound = |keyword: &str| case.around.and_then(|schema| schema.get(keyword)).and_then(Value::as_u64);
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
