//! Exports of a CommonJS module, as far as its top-level statements define them.

use oxc_ast::ast::{
    Argument, AssignmentExpression, AssignmentTarget, CallExpression, Expression, ObjectExpression, ObjectPropertyKind,
    Statement,
};

use super::ExecuteExport;
use super::bindings::{self, BindingValue};

/// Whether a CommonJS module exports a function under a name; its `default` export is `module.exports`.
pub(super) fn find_export(body: &[Statement<'_>], name: &str) -> ExecuteExport {
    if name == "default" {
        return module_exports_value(body);
    }
    let mut last = ExecuteExport::Missing(None);
    for expression in body.iter().flat_map(top_level_expressions) {
        // The last assignment wins, except that a later one without the name may only add other exports.
        match exported_by_expression(body, expression, name) {
            Some(ExecuteExport::Missing(_)) | None => {}
            Some(found) => last = found,
        }
    }
    last
}

/// Whether `module.exports` itself can be called.
fn module_exports_value(body: &[Statement<'_>]) -> ExecuteExport {
    let mut assigned = body.iter().flat_map(top_level_expressions).filter_map(|expression| match expression {
        Expression::AssignmentExpression(assignment) => {
            let is_whole = matches!(exports_target(&assignment.left, "default"), Some(ExportsTarget::Exports));
            is_whole.then(|| export_status(body, assigned_value(&assignment.right)))
        }
        _ => None,
    });
    assigned.next_back().unwrap_or(ExecuteExport::Missing(None))
}

/// The expressions that a top-level statement evaluates immediately.
pub(super) fn top_level_expressions<'a, 'b>(statement: &'b Statement<'a>) -> Vec<&'b Expression<'a>> {
    match statement {
        Statement::ExpressionStatement(statement) => vec![&statement.expression],
        Statement::VariableDeclaration(variables) => {
            variables.declarations.iter().filter_map(|declarator| declarator.init.as_ref()).collect()
        }
        _ => Vec::new(),
    }
}

fn exported_by_expression(body: &[Statement<'_>], expression: &Expression<'_>, name: &str) -> Option<ExecuteExport> {
    match expression {
        Expression::AssignmentExpression(assignment) => exported_by_assignment(body, assignment, name),
        Expression::CallExpression(call) => is_define_property(call, name).then_some(ExecuteExport::Exported),
        _ => None,
    }
}

/// `module.exports = …`, `exports.execute = …`, `module.exports.execute = …`, also chained.
fn exported_by_assignment(
    body: &[Statement<'_>],
    assignment: &AssignmentExpression<'_>,
    name: &str,
) -> Option<ExecuteExport> {
    match exports_target(&assignment.left, name) {
        Some(ExportsTarget::Exports) => Some(member_of_value(body, assigned_value(&assignment.right), name)),
        Some(ExportsTarget::Member) => Some(export_status(body, assigned_value(&assignment.right))),
        None => exported_by_expression(body, &assignment.right, name),
    }
}

/// The value at the end of `a = b = value`.
pub(super) fn assigned_value<'a, 'b>(mut expression: &'b Expression<'a>) -> &'b Expression<'a> {
    while let Expression::AssignmentExpression(assignment) = expression {
        expression = &assignment.right;
    }
    expression
}

pub(super) enum ExportsTarget {
    /// `module.exports`
    Exports,
    /// Its member with the name.
    Member,
}

pub(super) fn exports_target(left: &AssignmentTarget<'_>, name: &str) -> Option<ExportsTarget> {
    let member = left.as_member_expression()?;
    if member.is_specific_member_access("module", "exports") {
        return Some(ExportsTarget::Exports);
    }
    (member.static_property_name() == Some(name) && is_exports(member.object())).then_some(ExportsTarget::Member)
}

fn is_exports(expression: &Expression<'_>) -> bool {
    expression.is_specific_id("exports")
        || expression.as_member_expression().is_some_and(|m| m.is_specific_member_access("module", "exports"))
}

fn export_status(body: &[Statement<'_>], value: &Expression<'_>) -> ExecuteExport {
    match bindings::expression_value(body, value) {
        BindingValue::MaybeCallable => ExecuteExport::Exported,
        BindingValue::NotCallable(offset) => ExecuteExport::NotCallable(offset),
        BindingValue::Undeclared => ExecuteExport::Missing(None),
    }
}

/// Whether an exported value has a function as member of a name.
fn member_of_value(body: &[Statement<'_>], value: &Expression<'_>, name: &str) -> ExecuteExport {
    match value {
        Expression::ObjectExpression(object) => member_of_object(body, object, name),
        Expression::Identifier(id) => match bindings::initializer(body, &id.name) {
            Some(Expression::ObjectExpression(object)) => member_of_object(body, object, name),
            Some(Expression::CallExpression(call)) => required_exports(call),
            _ => ExecuteExport::Missing(None),
        },
        Expression::CallExpression(call) => required_exports(call),
        _ => ExecuteExport::Missing(None),
    }
}

fn required_exports(call: &CallExpression<'_>) -> ExecuteExport {
    bindings::required_module(call)
        .map_or(ExecuteExport::Missing(None), |module| ExecuteExport::ReexportedAll(vec![module.to_owned()]))
}

fn member_of_object(body: &[Statement<'_>], object: &ObjectExpression<'_>, name: &str) -> ExecuteExport {
    let mut spread = Vec::new();
    for member in &object.properties {
        match member {
            ObjectPropertyKind::ObjectProperty(property) if property.key.is_specific_static_name(name) => {
                return export_status(body, &property.value);
            }
            ObjectPropertyKind::ObjectProperty(_) => {}
            ObjectPropertyKind::SpreadProperty(all) => {
                if let Expression::CallExpression(call) = &all.argument {
                    spread.extend(bindings::required_module(call).map(str::to_owned));
                }
            }
        }
    }
    if spread.is_empty() { ExecuteExport::Missing(None) } else { ExecuteExport::ReexportedAll(spread) }
}

/// `Object.defineProperty(exports, "execute", …)`, as compilers write it.
fn is_define_property(call: &CallExpression<'_>, exported: &str) -> bool {
    let callee = call.callee.as_member_expression();
    let define = callee.is_some_and(|callee| callee.is_specific_member_access("Object", "defineProperty"));
    let [target, Argument::StringLiteral(name), ..] = call.arguments.as_slice() else { return false };
    define && name.value == exported && target.as_expression().is_some_and(is_exports)
}
