//! `bad-approvers`: `confirmation.approvers` must name roles, on a tool that asks, and no grant may make it needless.

use serde_json::Value;

use toolgate_definition::{MAX_APPROVER_COUNT, MAX_APPROVER_ROLE_BYTES, MAX_APPROVER_ROLES};

use super::LintSettings;
use crate::findings::code::Code;
use crate::findings::report::Findings;
use crate::tool_folder::tool_source::{ToolDocument, ToolSource};

const APPROVERS: &str = "/confirmation/approvers";

pub(super) fn check(tool: &ToolSource, _: &LintSettings, findings: &mut Findings) {
    let Some(document) = &tool.schema else { return };
    let Some(Value::Object(approvers)) = document.value_at(APPROVERS) else { return };
    if let Some(count @ Value::Number(number)) = approvers.get("count")
        && !number.as_u64().is_some_and(|count| (1..=u64::from(MAX_APPROVER_COUNT)).contains(&count))
    {
        let help = format!("it must be a whole number from 1 to {MAX_APPROVER_COUNT}");
        report(document, "/count", format!("`approvers.count` is {count}"), &help, findings);
    }
    if let Some(Value::Array(roles)) = approvers.get("roles") {
        check_roles(document, roles, findings);
    }
    if document.members.get("requiresConfirmation") == Some(&Value::Bool(false)) {
        let help = "set `requiresConfirmation` to true, or leave out `approvers`";
        report(document, "", "no call is confirmed, so nothing is there to approve".to_owned(), help, findings);
    }
    if matches!(document.value_at("/confirmation/grantable"), Some(Value::String(_))) {
        let message = "a grant would let calls run that no approver has seen".to_owned();
        let help = "leave out `grantable`: with `approvers`, each call is confirmed";
        findings.add(Code::BadApprovers, document.at_value("/confirmation/grantable"), message, help);
    }
}

fn check_roles(document: &ToolDocument, roles: &[Value], findings: &mut Findings) {
    if roles.is_empty() || roles.len() > MAX_APPROVER_ROLES {
        let help = format!("name 1 to {MAX_APPROVER_ROLES} roles, one of which an approver holds");
        report(document, "/roles", format!("`approvers.roles` has {} roles", roles.len()), &help, findings);
    }
    for (index, role) in roles.iter().enumerate() {
        let place = format!("/roles/{index}");
        if roles.iter().take(index).any(|before| before == role) {
            report(document, &place, format!("the role {role} is there twice"), "remove one", findings);
        }
        if role.as_str().is_some_and(|role| role.len() > MAX_APPROVER_ROLE_BYTES) {
            let help = format!("a role has at most {MAX_APPROVER_ROLE_BYTES} bytes");
            report(document, &place, "the name of a role is too long".to_owned(), &help, findings);
        }
    }
}

fn report(document: &ToolDocument, at: &str, message: String, help: &str, findings: &mut Findings) {
    findings.add(Code::BadApprovers, document.at_value(&format!("{APPROVERS}{at}")), message, help);
}
