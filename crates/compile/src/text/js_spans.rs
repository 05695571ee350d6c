//! Finds the source span of a value in a JavaScript module's default export, as far as literals show it.
//!
//! Computes spans only; the values themselves come from running the module. A value without a literal gets the span of
//! the nearest enclosing literal.

use std::ops::Range;

use oxc_allocator::Allocator;
use oxc_ast::ast::{
    Argument, CallExpression, ExportDefaultDeclarationKind, Expression, ObjectExpression, ObjectProperty,
    ObjectPropertyKind, Statement,
};
use oxc_span::{GetSpan, SourceType, Span};

use super::json_spans::ValueSpan;
use crate::handler::{self, bindings};
use toolgate_json::pointer;

/// The span of the value at a JSON Pointer into the default export; the beginning of the module if it has no default
/// export.
pub(crate) fn locate(text: &str, pointer: &str) -> ValueSpan {
    let found = [SourceType::mjs(), SourceType::cjs()].into_iter().find_map(|kind| {
        let allocator = Allocator::default();
        let body = &handler::parse_module(&allocator, text, kind)?.program.body;
        Some(follow_pointer(body, default_export(body)?, pointer))
    });
    found.unwrap_or(ValueSpan { key: None, value: 0..0 })
}

/// `export default …`, `export { … as default }`, `module.exports = …`.
fn default_export<'a, 'b>(body: &'b [Statement<'a>]) -> Option<&'b Expression<'a>> {
    body.iter().find_map(|statement| match statement {
        Statement::ExportDefaultDeclaration(export) => match &export.declaration {
            ExportDefaultDeclarationKind::FunctionDeclaration(_)
            | ExportDefaultDeclarationKind::ClassDeclaration(_) => None,
            other => other.as_expression(),
        },
        Statement::ExportNamedDeclaration(export) => {
            let specifier = export.specifiers.iter().find(|specifier| specifier.exported.name() == "default")?;
            bindings::initializer(body, &specifier.local.name())
        }
        Statement::ExpressionStatement(statement) => match &statement.expression {
            Expression::AssignmentExpression(assignment) => {
                let member = assignment.left.as_member_expression()?;
                member.is_specific_member_access("module", "exports").then_some(&assignment.right)
            }
            _ => None,
        },
        _ => None,
    })
}

fn follow_pointer(body: &[Statement<'_>], root: &Expression<'_>, at: &str) -> ValueSpan {
    let mut spot = ValueSpan { key: None, value: byte_range(root.span()) };
    let mut node = JsNode::Value(root);
    for name in pointer::tokens(at) {
        let Some((found, below)) = follow_token(body, node, &name) else { break };
        spot = found;
        node = below;
    }
    spot
}

/// The syntax that a pointer prefix resolved to.
#[derive(Clone, Copy)]
enum JsNode<'a, 'b> {
    Value(&'b Expression<'a>),
    /// The object of `z.object({ … })`, which is `properties` in JSON Schema.
    Properties(&'b ObjectExpression<'a>),
}

fn follow_token<'a, 'b>(
    body: &'b [Statement<'a>],
    node: JsNode<'a, 'b>,
    name: &str,
) -> Option<(ValueSpan, JsNode<'a, 'b>)> {
    let value = match node {
        JsNode::Properties(object) => return member_span(object, name),
        JsNode::Value(value) => resolve_identifier(body, value),
    };
    match value {
        Expression::ObjectExpression(object) => member_span(object, name),
        Expression::ArrayExpression(list) => {
            let element = list.elements.get(pointer::parse_index(name)?)?.as_expression()?;
            Some((ValueSpan { key: None, value: byte_range(element.span()) }, JsNode::Value(element)))
        }
        Expression::CallExpression(call) => follow_call(body, call, name),
        _ => None,
    }
}

/// The initializer of a variable, or the expression itself.
fn resolve_identifier<'a, 'b>(body: &'b [Statement<'a>], expression: &'b Expression<'a>) -> &'b Expression<'a> {
    match expression {
        Expression::Identifier(id) => bindings::initializer(body, &id.name).unwrap_or(expression),
        _ => expression,
    }
}

fn member_span<'a, 'b>(object: &'b ObjectExpression<'a>, name: &str) -> Option<(ValueSpan, JsNode<'a, 'b>)> {
    let property = last_property(object, name)?;
    let spot = ValueSpan { key: Some(byte_range(property.key.span())), value: byte_range(property.value.span()) };
    Some((spot, JsNode::Value(&property.value)))
}

/// The last property of this name, which wins in JavaScript.
fn last_property<'a, 'b>(object: &'b ObjectExpression<'a>, name: &str) -> Option<&'b ObjectProperty<'a>> {
    object.properties.iter().rev().find_map(|member| match member {
        ObjectPropertyKind::ObjectProperty(property) if property.key.is_specific_static_name(name) => Some(&**property),
        _ => None,
    })
}

/// Follows a token in a schema that is built by calls: `z.object({ … }).describe('…')`, `z.array(z.object({ … }))`,
/// `v.pipe(v.object(…))`; and in an object that is passed through a function.
fn follow_call<'a, 'b>(
    body: &'b [Statement<'a>],
    call: &'b CallExpression<'a>,
    name: &str,
) -> Option<(ValueSpan, JsNode<'a, 'b>)> {
    let argument =
        call.arguments.first().and_then(Argument::as_expression).map(|argument| resolve_identifier(body, argument));
    match (name, argument) {
        ("properties", Some(Expression::ObjectExpression(object))) if last_property(object, name).is_none() => {
            Some((ValueSpan { key: None, value: byte_range(call.span) }, JsNode::Properties(object)))
        }
        (_, Some(Expression::ObjectExpression(object))) => member_span(object, name),
        ("items", Some(inner)) if method_name(call) == Some("array") => {
            Some((ValueSpan { key: None, value: byte_range(inner.span()) }, JsNode::Value(inner)))
        }
        (_, Some(Expression::CallExpression(inner))) => follow_call(body, inner, name),
        // `….optional()`: a method of the schema that precedes it.
        _ => match call.callee.as_member_expression()?.object() {
            Expression::CallExpression(before) => follow_call(body, before, name),
            _ => None,
        },
    }
}

fn method_name<'a>(call: &'a CallExpression<'_>) -> Option<&'a str> {
    call.callee.as_member_expression()?.static_property_name()
}

fn byte_range(span: Span) -> Range<usize> {
    span.start as usize..span.end as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The texts of the member's name, if any, and of its value.
    fn texts(text: &str, pointer: &str) -> (Option<String>, String) {
        let spot = locate(text, pointer);
        let slice = |range: Range<usize>| text.get(range).unwrap().to_owned();
        (spot.key.map(slice), slice(spot.value))
    }

    fn value(text: &str, pointer: &str) -> String {
        texts(text, pointer).1
    }

    #[test]
    fn every_form_of_a_default_export_is_found() {
        for text in [
            "export default { a: 1 }",
            "const tool = { a: 1 }\nexport default tool",
            "const tool = { a: 1 }\nexport { tool as default }",
            "export default defineTool({ a: 1 })",
            "module.exports = { a: 1 }",
            "const tool = { 'a': 1 }; module.exports = tool",
            "if (!x) return\nmodule.exports = { ...y, a: 1 }",
        ] {
            assert_eq!(value(text, "/a"), "1", "{text}");
        }
    }

    #[test]
    fn schemas_made_by_calls_are_followed() {
        let text = "
            import * as z from 'zod'
            const place = z.object({ city: z.string() })
            export default {
              parameters: z.object({
                when: z.array(z.object({ day: z.iso.date() })).optional(),
                where: place.describe('where'),
              }).strict(),
            }";
        assert_eq!(texts(text, "/parameters/properties/when").0.as_deref(), Some("when"));
        assert_eq!(value(text, "/parameters/properties/when/items/properties/day"), "z.iso.date()");
        assert_eq!(value(text, "/parameters/properties/where"), "place.describe('where')");
        let piped = "export default { parameters: v.pipe(v.object({ a: v.string() }), v.check(x)) }";
        assert_eq!(value(piped, "/parameters/properties/a"), "v.string()");
    }

    #[test]
    fn plain_json_schema_is_followed_by_its_names() {
        let text = "export default { parameters: { type: 'object', properties: { 'a/b': { enum: [1, 2] } } } }";
        assert_eq!(value(text, "/parameters/properties/a~1b/enum/1"), "2");
    }

    #[test]
    fn what_no_literal_shows_stands_where_the_nearest_does() {
        let text = "import { parameters } from './p.js'\nexport default { a: make(), parameters }";
        assert_eq!(texts(text, "/parameters/properties/x"), (Some("parameters".into()), "parameters".into()));
        assert_eq!(value(text, "/b"), "{ a: make(), parameters }");
        for text in ["", "export const a = 1", "export default", "export default function () {}", &"[".repeat(5000)] {
            assert_eq!(locate(text, "/a"), ValueSpan { key: None, value: 0..0 }, "{text}");
        }
    }
}
