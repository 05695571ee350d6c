//! Where a value of a module's default export stands in its text, as far as literals show it.
//!
//! Positions only: what the value is, the module itself has said. A value that no literal shows stands where the
//! nearest one above it does.

use std::ops::Range;

use oxc_allocator::Allocator;
use oxc_ast::ast::{
    Argument, CallExpression, ExportDefaultDeclarationKind, Expression, ObjectExpression, ObjectProperty,
    ObjectPropertyKind, Statement,
};
use oxc_span::{GetSpan, SourceType, Span};

use super::handler::{self, bindings};
use super::spots::Spot;
use toolgate_json::pointer;

/// The spot of the value at a JSON Pointer into the default export; of the module's beginning where it has none.
pub(super) fn locate(text: &str, pointer: &str) -> Spot {
    let found = [SourceType::mjs(), SourceType::cjs()].into_iter().find_map(|kind| {
        let allocator = Allocator::default();
        let body = &handler::parsed(&allocator, text, kind)?.program.body;
        Some(follow(body, exported(body)?, pointer))
    });
    found.unwrap_or(Spot { key: None, value: 0..0 })
}

/// `export default …`, `export { … as default }`, `module.exports = …`.
fn exported<'a, 'b>(body: &'b [Statement<'a>]) -> Option<&'b Expression<'a>> {
    body.iter().find_map(|statement| match statement {
        Statement::ExportDefaultDeclaration(export) => match &export.declaration {
            ExportDefaultDeclarationKind::FunctionDeclaration(_)
            | ExportDefaultDeclarationKind::ClassDeclaration(_) => None,
            other => other.as_expression(),
        },
        Statement::ExportNamedDeclaration(export) => {
            let specifier = export.specifiers.iter().find(|specifier| specifier.exported.name() == "default")?;
            bindings::literal(body, &specifier.local.name())
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

fn follow(body: &[Statement<'_>], root: &Expression<'_>, at: &str) -> Spot {
    let mut spot = Spot { key: None, value: range(root.span()) };
    let mut node = Node::Value(root);
    for name in pointer::tokens(at) {
        let Some((found, below)) = step(body, node, &name) else { break };
        spot = found;
        node = below;
    }
    spot
}

/// What a pointer has come to.
#[derive(Clone, Copy)]
enum Node<'a, 'b> {
    Value(&'b Expression<'a>),
    /// The object of `z.object({ … })`: what JSON Schema calls `properties`.
    Members(&'b ObjectExpression<'a>),
}

fn step<'a, 'b>(body: &'b [Statement<'a>], node: Node<'a, 'b>, name: &str) -> Option<(Spot, Node<'a, 'b>)> {
    let value = match node {
        Node::Members(object) => return member(object, name),
        Node::Value(value) => named(body, value),
    };
    match value {
        Expression::ObjectExpression(object) => member(object, name),
        Expression::ArrayExpression(list) => {
            let element = list.elements.get(pointer::index(name)?)?.as_expression()?;
            Some((Spot { key: None, value: range(element.span()) }, Node::Value(element)))
        }
        Expression::CallExpression(call) => in_call(body, call, name),
        _ => None,
    }
}

/// What a variable begins with, or the expression itself.
fn named<'a, 'b>(body: &'b [Statement<'a>], expression: &'b Expression<'a>) -> &'b Expression<'a> {
    match expression {
        Expression::Identifier(id) => bindings::literal(body, &id.name).unwrap_or(expression),
        _ => expression,
    }
}

fn member<'a, 'b>(object: &'b ObjectExpression<'a>, name: &str) -> Option<(Spot, Node<'a, 'b>)> {
    let property = property(object, name)?;
    let spot = Spot { key: Some(range(property.key.span())), value: range(property.value.span()) };
    Some((spot, Node::Value(&property.value)))
}

/// The last of a name wins.
fn property<'a, 'b>(object: &'b ObjectExpression<'a>, name: &str) -> Option<&'b ObjectProperty<'a>> {
    object.properties.iter().rev().find_map(|member| match member {
        ObjectPropertyKind::ObjectProperty(property) if property.key.is_specific_static_name(name) => Some(&**property),
        _ => None,
    })
}

/// In a schema that is built by calls: `z.object({ … }).describe('…')`, `z.array(z.object({ … }))`, `v.pipe(v.object(…))`;
/// and in an object that a function takes and gives back.
fn in_call<'a, 'b>(
    body: &'b [Statement<'a>],
    call: &'b CallExpression<'a>,
    name: &str,
) -> Option<(Spot, Node<'a, 'b>)> {
    let argument = call.arguments.first().and_then(Argument::as_expression).map(|argument| named(body, argument));
    match (name, argument) {
        ("properties", Some(Expression::ObjectExpression(object))) if property(object, name).is_none() => {
            Some((Spot { key: None, value: range(call.span) }, Node::Members(object)))
        }
        (_, Some(Expression::ObjectExpression(object))) => member(object, name),
        ("items", Some(inner)) if method(call) == Some("array") => {
            Some((Spot { key: None, value: range(inner.span()) }, Node::Value(inner)))
        }
        (_, Some(Expression::CallExpression(inner))) => in_call(body, inner, name),
        // `….optional()`: what is called is a method of the schema before it.
        _ => match call.callee.as_member_expression()?.object() {
            Expression::CallExpression(before) => in_call(body, before, name),
            _ => None,
        },
    }
}

fn method<'a>(call: &'a CallExpression<'_>) -> Option<&'a str> {
    call.callee.as_member_expression()?.static_property_name()
}

fn range(span: Span) -> Range<usize> {
    span.start as usize..span.end as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The texts of the member's name, where it has one, and of its value.
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
            assert_eq!(locate(text, "/a"), Spot { key: None, value: 0..0 }, "{text}");
        }
    }
}
