//! The calls of a module that send an HTTP request whose method changes something: `fetch(url, { method: "POST" })`,
//! `axios.delete(url)`.

use oxc_ast::ast::{Argument, CallExpression, Expression, ObjectPropertyKind, Program};
use oxc_ast_visit::{Visit, walk};
use oxc_span::{GetSpan as _, Span};

use super::HttpWrite;

/// The methods that are not safe by RFC 9110 (section 9.2.1), of those that clients send.
const WRITING_METHODS: [&str; 4] = ["POST", "PUT", "PATCH", "DELETE"];

/// Clients with a function for each method.
const CLIENTS: [&str; 5] = ["axios", "got", "ky", "needle", "superagent"];

pub(super) fn http_writes(program: &Program<'_>) -> Vec<HttpWrite> {
    let mut seen = WriteCollector { writes: Vec::new() };
    seen.visit_program(program);
    seen.writes
}

struct WriteCollector {
    writes: Vec<HttpWrite>,
}

impl WriteCollector {
    fn add(&mut self, method: &str, span: Span) {
        let method = method.to_ascii_uppercase();
        if WRITING_METHODS.contains(&method.as_str()) {
            self.writes.push(HttpWrite { method, span: span.start as usize..span.end as usize });
        }
    }

    fn add_method_option(&mut self, argument: &Argument<'_>) {
        let Argument::ObjectExpression(options) = argument else { return };
        for property in &options.properties {
            let ObjectPropertyKind::ObjectProperty(property) = property else { continue };
            if let (true, Expression::StringLiteral(text)) =
                (property.key.is_specific_static_name("method"), &property.value)
            {
                self.add(&text.value, text.span());
            }
        }
    }
}

impl<'a> Visit<'a> for WriteCollector {
    fn visit_call_expression(&mut self, call: &CallExpression<'a>) {
        for argument in &call.arguments {
            self.add_method_option(argument);
        }
        if let Expression::StaticMemberExpression(member) = &call.callee
            && let Expression::Identifier(client) = &member.object
            && CLIENTS.contains(&client.name.as_str())
        {
            self.add(&member.property.name, member.property.span());
        }
        walk::walk_call_expression(self, call);
    }
}
