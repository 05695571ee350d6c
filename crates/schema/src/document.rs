//! A schema document: its dialect and the resources of its references. All validators of schemas are built here.

use std::collections::BTreeMap;
use std::sync::Arc;

use jsonschema::{Draft, PatternOptions, Registry, Retrieve, Uri, ValidationOptions, Validator, uri};
use once_cell::unsync::OnceCell;
use referencing::Resolver;
use serde_json::Value;

use super::non_recursive::{OPAQUE_REFERENCE, OpaqueReference};
use super::pattern::{PATTERN, Pattern};
use super::tape_json::TapeJson;
use super::{Formats, SchemaError};
use toolgate_json::pointer;

/// The base URI of a schema without `$id`.
const DEFAULT_BASE: &str = "json-schema:///";

/// How a schema is compiled.
#[derive(Debug, Clone, Default)]
pub struct CompileOptions {
    /// The formats that are checked.
    pub formats: Formats,
    /// Documents that a `$ref` may reach, by absolute URI without fragment. Nothing is fetched.
    pub resources: Arc<BTreeMap<String, Value>>,
}

/// A retriever that returns documents in memory and refuses all others.
struct InMemoryRetriever(Arc<BTreeMap<String, Value>>);

impl Retrieve for InMemoryRetriever {
    fn retrieve(&self, uri: &Uri<String>) -> Result<Value, Box<dyn std::error::Error + Send + Sync>> {
        let found = self.0.get(uri.as_str()).cloned();
        found.ok_or_else(|| "remote references are not fetched; put the schema into `$defs`".into())
    }
}

/// A schema with a known dialect.
pub(super) struct Document<'s> {
    pub(super) root: &'s Value,
    pub(super) draft: Draft,
    dialects: BTreeMap<String, Value>,
    base: Uri<String>,
    options: CompileOptions,
    /// Built for the first reference: most schemas have none.
    registry: OnceCell<Registry<'s>>,
    /// Complete validators of the reference targets that are opaque in this document.
    opaque_targets: Option<Arc<Vec<Validator<TapeJson>>>>,
}

impl<'s> Document<'s> {
    pub(super) fn new(root: &'s Value, options: &CompileOptions) -> Result<Self, SchemaError> {
        if !root.is_object() && !root.is_boolean() {
            let reason = format!("a schema is an object or a boolean, not {}", type_with_article(root));
            return Err(SchemaError::Invalid { pointer: String::new(), reason });
        }
        let (draft, dialects) = detect_draft(root, &options.resources)?;
        let resource = draft.create_resource_ref(root);
        let base = uri::from_str(resource.id().unwrap_or(DEFAULT_BASE))?;
        Ok(Self {
            root,
            draft,
            dialects,
            base,
            options: options.clone(),
            registry: OnceCell::new(),
            opaque_targets: None,
        })
    }

    /// Sets the validators of the opaque reference targets.
    pub(super) fn with_opaque_targets(mut self, whole: Arc<Vec<Validator<TapeJson>>>) -> Self {
        self.opaque_targets = Some(whole);
        self
    }

    /// The resources that references may reach.
    fn registry(&self) -> Result<&Registry<'s>, SchemaError> {
        self.registry.get_or_try_init(|| {
            let mut registry = Registry::new()
                .retriever(InMemoryRetriever(Arc::clone(&self.options.resources)))
                .draft(self.draft)
                .add(self.base.as_str(), self.draft.create_resource_ref(self.root))?;
            for (uri, dialect) in &self.dialects {
                registry = registry.add(uri, self.draft.create_resource(dialect.clone()))?;
            }
            Ok(registry.prepare()?)
        })
    }

    /// Whether the document is written in a published draft, not in a custom dialect.
    pub(super) fn has_standard_dialect(&self) -> bool {
        self.dialects.is_empty()
    }

    /// A resolver with the root of the document as its base.
    pub(super) fn resolver(&self) -> Result<Resolver<'_>, SchemaError> {
        Ok(self.registry()?.resolver(self.base.clone()))
    }

    /// The validator of the whole document.
    pub(super) fn validator(&self) -> Result<Validator<TapeJson>, SchemaError> {
        let options = self.validation_options(self.draft);
        if self.dialects.is_empty() {
            return Ok(options.build(self.root)?);
        }
        Ok(options.with_registry(self.registry()?).build(self.root)?)
    }

    /// A validator of arrays whose elements each have a schema of this document, given by JSON Pointer.
    pub(super) fn tuple_validator_by_pointer(&self, pointers: &[&str]) -> Result<Validator<TapeJson>, SchemaError> {
        let parts: Vec<Value> = pointers.iter().map(|pointer| self.reference_schema(pointer)).collect();
        self.build_external(serde_json::json!({ "prefixItems": parts }))
    }

    /// The same for copies of schemas that do not depend on this document.
    pub(super) fn tuple_validator_by_copy<'p>(
        &self,
        parts: impl Iterator<Item = &'p Value>,
    ) -> Result<Validator<TapeJson>, SchemaError> {
        // Before 2020-12, a tuple is written as an array in `items`.
        let keyword = if self.draft == Draft::Draft202012 { "prefixItems" } else { "items" };
        let parts: Vec<&Value> = parts.collect();
        Ok(self.validation_options(self.draft).build(&serde_json::json!({ keyword: parts }))?)
    }

    /// The validator of one schema of this document, given by JSON Pointer.
    pub(super) fn subschema_validator(&self, pointer: &str) -> Result<Validator<TapeJson>, SchemaError> {
        self.build_external(self.reference_schema(pointer))
    }

    fn reference_schema(&self, pointer: &str) -> Value {
        let base = self.base.as_str().trim_end_matches('#');
        serde_json::json!({ "$ref": format!("{base}#{}", pointer::to_fragment(pointer)) })
    }

    /// Builds the validator of a schema that is not part of the document but refers to it.
    fn build_external(&self, mut schema: Value) -> Result<Validator<TapeJson>, SchemaError> {
        if let Some(keywords) = schema.as_object_mut() {
            keywords.insert("$id".to_owned(), "toolgate:outside".into());
        }
        Ok(self.validation_options(Draft::Draft202012).with_registry(self.registry()?).build(&schema)?)
    }

    /// The validator's options. Names in `patternProperties` are matched in linear time, `pattern` as [`Pattern`] does.
    fn validation_options(&self, draft: Draft) -> ValidationOptions<'_, Arc<dyn Retrieve>, TapeJson> {
        let options = jsonschema::options_for::<TapeJson>()
            .with_draft(draft)
            .with_retriever(InMemoryRetriever(Arc::clone(&self.options.resources)))
            .with_pattern_options(PatternOptions::regex());
        // A custom dialect may not have the keyword.
        let options = if self.has_standard_dialect() {
            options.with_keyword(PATTERN, |around, pattern, _| Pattern::build_keyword(around, pattern))
        } else {
            options
        };
        let options = match self.opaque_targets.clone() {
            Some(whole) => options.with_keyword(OPAQUE_REFERENCE, move |around, value, _| {
                OpaqueReference::build_keyword(&whole, around, value)
            }),
            None => options,
        };
        self.options.formats.apply(options)
    }
}

fn type_with_article(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

/// Returns the draft of a schema (2020-12 if it declares none), and the custom dialects between schema and draft.
fn detect_draft(
    schema: &Value,
    resources: &BTreeMap<String, Value>,
) -> Result<(Draft, BTreeMap<String, Value>), SchemaError> {
    let mut dialects = BTreeMap::new();
    let mut current = schema;
    loop {
        let draft = Draft::default().detect(current);
        if draft != Draft::Unknown {
            return Ok((draft, dialects));
        }
        let declared = current.get("$schema").and_then(Value::as_str).unwrap_or_default().trim_end_matches('#');
        let known = resources.get_key_value(declared).filter(|(uri, _)| !dialects.contains_key(uri.as_str()));
        let Some((uri, dialect)) = known else {
            return Err(SchemaError::UnknownDialect { dialect: declared.to_owned() });
        };
        dialects.insert(uri.clone(), dialect.clone());
        current = dialect;
    }
}
