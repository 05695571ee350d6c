//! A non-recursive copy of a recursive schema, for explaining errors.
//!
//! The validator explains every alternative of `anyOf` and `oneOf` completely. If alternatives are recursive, the work
//! doubles with every level of the value. In this copy, a recursive reference is opaque: it only reports whether its
//! target accepts the value. Its errors are listed afterwards, and only in the alternative that is reported.

use std::collections::BTreeSet;
use std::sync::Arc;

use jsonschema::{Draft, Keyword, ValidationError, Validator};
use serde_json::{Map, Value};

use super::annotation_plan::{AnnotationPlan, Reference};
use super::document::Document;
use super::tape_json::TapeJson;
use super::{CompileOptions, SchemaError};
use toolgate_json::Node;

/// The keyword that replaces a recursive `$ref`; its value is the index of the target.
pub(super) const OPAQUE_REFERENCE: &str = "toolgate:cut";

/// Validators with opaque recursive references: of the whole schema, and of each reference target.
pub(super) struct NonRecursiveSchema {
    pub(super) root: Validator<TapeJson>,
    targets: Vec<RecursionTarget>,
}

struct RecursionTarget {
    /// JSON Pointer of the schema.
    pointer: String,
    validator: Validator<TapeJson>,
}

impl NonRecursiveSchema {
    /// Builds the copy; `None` if the schema is not recursive.
    pub(super) fn build(
        schema: &Value,
        plan: &AnnotationPlan,
        options: &CompileOptions,
    ) -> Result<Option<Self>, SchemaError> {
        let references = plan.recursive_references();
        if references.is_empty() {
            return Ok(None);
        }
        let targets: Vec<&str> =
            references.iter().map(|reference| reference.target.as_str()).collect::<BTreeSet<_>>().into_iter().collect();
        let document = Document::new(schema, options)?;
        let whole: Vec<_> =
            targets.iter().map(|target| document.subschema_validator(target)).collect::<Result<_, _>>()?;
        let mut cut = schema.clone();
        for reference in references {
            if let Ok(number) = targets.binary_search(&reference.target.as_str()) {
                replace_reference(&mut cut, reference, number, document.draft);
            }
        }
        let document = Document::new(&cut, options)?.with_opaque_targets(Arc::new(whole));
        let shallow_target = |pointer: &&str| {
            Ok(RecursionTarget { pointer: (*pointer).to_owned(), validator: document.subschema_validator(pointer)? })
        };
        let targets = targets.iter().map(shallow_target).collect::<Result<_, SchemaError>>()?;
        Ok(Some(Self { root: document.validator()?, targets }))
    }

    /// The index, validator and pointer of a target, by the message of the error that its opaque reference created.
    pub(super) fn target(&self, message: &str) -> Option<(usize, &Validator<TapeJson>, &str)> {
        let number = message.parse().ok()?;
        let target = self.targets.get(number)?;
        Some((number, &target.validator, &target.pointer))
    }
}

/// Replaces a reference by an opaque one. Up to draft 7, siblings of a `$ref` are ignored, so they are removed as well.
fn replace_reference(schema: &mut Value, reference: &Reference, number: usize, draft: Draft) {
    let Some(holder) = schema.pointer_mut(&reference.holder).and_then(Value::as_object_mut) else { return };
    if matches!(draft, Draft::Draft4 | Draft::Draft6 | Draft::Draft7) {
        let kept = ["definitions", "$defs", "$schema"];
        *holder = std::mem::take(holder).into_iter().filter(|(name, _)| kept.contains(&name.as_str())).collect();
    }
    holder.remove("$ref");
    holder.insert(OPAQUE_REFERENCE.to_owned(), number.into());
}

/// The keyword of an opaque reference: only checks whether the target accepts the value.
pub(super) struct OpaqueReference {
    validators: Arc<Vec<Validator<TapeJson>>>,
    number: usize,
}

impl OpaqueReference {
    /// The keyword's factory for the validator's builder.
    pub(super) fn build_keyword<'s>(
        whole: &Arc<Vec<Validator<TapeJson>>>,
        _around: &'s Map<String, Value>,
        number: &'s Value,
    ) -> Result<Box<dyn for<'i> Keyword<'i, TapeJson>>, ValidationError<'s>> {
        let number = number.as_u64().and_then(|number| usize::try_from(number).ok());
        let number = number.ok_or_else(|| ValidationError::schema("the number of a target"))?;
        Ok(Box::new(Self { validators: Arc::clone(whole), number }))
    }
}

impl<'i> Keyword<'i, TapeJson> for OpaqueReference {
    fn validate(&self, node: Node<'i>) -> Result<(), ValidationError<'i>> {
        if self.is_valid(node) { Ok(()) } else { Err(ValidationError::custom(self.number.to_string())) }
    }

    fn is_valid(&self, node: Node<'i>) -> bool {
        self.validators.get(self.number).is_some_and(|validator| validator.is_valid(node))
    }
}
