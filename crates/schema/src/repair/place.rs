//! A place that the validator names: the value there, and what its schema wants.

use std::borrow::Cow;

use serde_json::Value;

use crate::annotation_plan::AnnotationPlan;
use crate::{ArgsSchema, Issue};
use toolgate_json::{Kind, Node, Tape};

/// A value that does not fit, with what the errors about it ask for.
pub(super) struct Place<'t> {
    pub(super) node: Node<'t>,
    /// The object or array that holds it; `None` for the whole arguments.
    pub(super) parent: Option<Node<'t>>,
    /// The wanted types.
    types: Vec<String>,
    /// The allowed values.
    values: Vec<Value>,
    /// Whether no alternative of an `anyOf` or `oneOf` fits.
    pub(super) is_union: bool,
    /// Whether its object must have it.
    pub(super) is_required: bool,
    /// Whether its name is the model's own: that of an entry of a map.
    pub(super) is_map_entry: bool,
}

/// Whether a keyword of a schema is about the entries of a map: `…/additionalProperties/type`, `…/patternProperties/x/type`.
fn is_of_map(schema_path: &str) -> bool {
    let mut steps = schema_path.rsplit('/').skip(1);
    let (schema, holder) = (steps.next(), steps.next());
    matches!(schema, Some("additionalProperties" | "unevaluatedProperties")) || holder == Some("patternProperties")
}

impl<'t> Place<'t> {
    /// The place of a path, with the issues about it. `None` if the value is absent, or if it is sensitive or may hold
    /// something sensitive under the `whole` schema.
    pub(super) fn new(
        whole: &AnnotationPlan,
        schema: &ArgsSchema,
        tape: &'t Tape,
        path: &str,
        issues: &[Issue],
    ) -> Option<Self> {
        let root = tape.root();
        if whole.visibility(root, path).shown.is_some() {
            return None;
        }
        let node = root.at(path)?;
        let above = path.rsplit_once('/').map(|(above, _)| above);
        let mut place = Self {
            node,
            parent: above.and_then(|above| root.at(above)),
            types: Vec::new(),
            values: Vec::new(),
            is_union: false,
            is_map_entry: issues.iter().any(|issue| issue.instance_path == path && is_of_map(&issue.schema_path)),
            is_required: schema.compiled().plan().is_required_at(root, path),
        };
        for issue in issues.iter().filter(|issue| issue.instance_path == path) {
            place.read(schema, issue)?;
        }
        Some(place)
    }

    /// Takes over what an issue asks for. `None` if its allowed values are not known completely.
    fn read(&mut self, schema: &ArgsSchema, issue: &Issue) -> Option<()> {
        match issue.keyword.as_str() {
            "type" => match issue.params.get("type") {
                Some(Value::Array(names)) => {
                    self.types.extend(names.iter().filter_map(Value::as_str).map(str::to_owned));
                }
                Some(Value::String(name)) => self.types.push(name.clone()),
                _ => {}
            },
            "enum" => self.values.extend(allowed_values(schema, issue)?),
            "const" => self.values.extend(issue.params.get("allowedValue").cloned()),
            "anyOf" | "oneOf" => self.is_union = true,
            _ => {}
        }
        Some(())
    }

    /// Whether one of the types is wanted; where only values are listed, whether one of them has the type.
    pub(super) fn wants(&self, kind: Kind) -> bool {
        if self.types.is_empty() {
            return self.values.iter().any(|value| kind_of(value) == kind);
        }
        let is_of_kind = |name: &String| name == kind.as_str() || (kind == Kind::Number && name == "integer");
        self.types.iter().any(is_of_kind)
    }

    /// Whether the errors say that no text is allowed: a type that is no string, or values without one.
    pub(super) fn takes_no_text(&self) -> bool {
        let says_something = !self.types.is_empty() || !self.values.is_empty();
        says_something && !self.wants(Kind::String)
    }

    /// The allowed texts, each once.
    pub(super) fn allowed_texts(&self) -> Vec<&str> {
        let mut texts: Vec<&str> = self.values.iter().filter_map(Value::as_str).collect();
        texts.sort_unstable();
        texts.dedup();
        texts
    }

    /// Whether the errors are about the value's type or about a list of allowed values.
    pub(super) fn is_of_wrong_type_or_value(&self) -> bool {
        !self.types.is_empty() || !self.values.is_empty() || self.is_union
    }

    /// The text, if the value is one.
    pub(super) fn text(&self) -> Option<Cow<'t, str>> {
        self.node.as_str()
    }
}

/// The values of an `enum`: of the schema, because an issue lists only the first ones of a long list.
fn allowed_values(schema: &ArgsSchema, issue: &Issue) -> Option<Vec<Value>> {
    let listed = issue.params.get("allowedValues")?.as_array()?;
    let all = issue
        .schema_path
        .strip_prefix('#')
        .and_then(|pointer| schema.compiled().document()?.pointer(pointer)?.as_array());
    match all.filter(|all| all.starts_with(listed)) {
        Some(all) => Some(all.clone()),
        None if listed.len() < crate::explain::MAX_ALLOWED_VALUES => Some(listed.clone()),
        None => None,
    }
}

const fn kind_of(value: &Value) -> Kind {
    match value {
        Value::Null => Kind::Null,
        Value::Bool(_) => Kind::Bool,
        Value::Number(_) => Kind::Number,
        Value::String(_) => Kind::String,
        Value::Array(_) => Kind::Array,
        Value::Object(_) => Kind::Object,
    }
}
