//! Approvers: other principals than the one who asks confirm a call. Who they are, and which roles they hold, the host says with
//! the answer, from its own authentication. How many have confirmed, the store says.

use std::collections::BTreeSet;

use serde_json::json;

use crate::admit::context::AdmissionContext;
use crate::admit::decision::StageResult;
use crate::definition::{Approvers, Confirmation};
use crate::error::{ErrorType, ToolError};
use crate::json::KeyedHash;
use crate::store::{ApproverName, Question};

/// Who answers a confirmation in place of who asks.
#[derive(Debug, Clone, Default)]
pub struct Approver {
    /// The principal.
    pub principal: String,
    /// The roles that it holds.
    pub roles: BTreeSet<String>,
}

/// AUTH if this approver, or the session's own user without one, may not confirm the question. `asker` is the
/// principal of the session.
///
/// # Errors
/// Says who can.
pub fn check_approver(asker: Option<&str>, question: &Question, approver: Option<&Approver>) -> Result<(), ToolError> {
    let tool = &question.tool;
    let refused = |message: String| Err(ToolError::new(ErrorType::Auth, message));
    let (approvers, approver) = match (&question.approvers, approver) {
        (None, None) => return Ok(()),
        (None, Some(_)) => return refused(format!("`{tool}` is confirmed by who asks for it, and has no approvers")),
        (Some(approvers), None) => {
            let message =
                format!("`{tool}` is confirmed by {}, not by who asks for it; it has not run", who(approvers));
            let details = json!({ "reason": "approvers", "roles": approvers.roles, "count": approvers.count });
            return Err(ToolError::new(ErrorType::Auth, message).with_details(details));
        }
        (Some(approvers), Some(approver)) => (approvers, approver),
    };
    // Without a principal of the session, any approver may be who asks.
    if approver.principal.is_empty() || asker.is_none_or(|asker| asker == approver.principal) {
        return refused(format!("`{tool}` can't be confirmed or denied as an approver by who asks for it"));
    }
    if !approvers.roles.iter().any(|role| approver.roles.contains(role)) {
        return refused(format!("`{tool}` is confirmed by {}: this person holds no such role", who(approvers)));
    }
    Ok(())
}

/// The name under which the store counts an approver who may confirm the question; `None` if its own user does.
pub(in crate::admit) fn approver_name(
    context: &AdmissionContext<'_>,
    question: &Question,
    approver: Option<&Approver>,
) -> StageResult<Option<ApproverName>> {
    check_approver(context.attachment.principal.as_deref(), question, approver)?;
    let key = context.attachment.session.fingerprint_key;
    Ok(approver.map(|approver| KeyedHash::from_text(key, &format!("approver {}", approver.principal))))
}

/// VALIDATION for changed arguments that several people would have to see.
pub(in crate::admit) fn check_edit(question: &Question) -> Result<(), ToolError> {
    match &question.approvers {
        Some(approvers) if approvers.count > 1 => {
            let message = "the arguments can't be changed: each approver confirms what the others saw; nothing has run";
            Err(ToolError::new(ErrorType::Validation, message))
        }
        _ => Ok(()),
    }
}

/// AUTH if the session has no principal: any approver could be who asks.
pub(in crate::admit) fn check_asker(
    context: &AdmissionContext<'_>,
    tool: &str,
    with: &Confirmation,
) -> Result<(), ToolError> {
    if with.approvers.is_none() || context.attachment.principal.is_some() {
        return Ok(());
    }
    let message = format!("`{tool}` is confirmed by another person than who asks, and this session has no principal");
    Err(ToolError::new(ErrorType::Auth, message))
}

/// Who confirms, in words.
pub(in crate::admit) fn who(Approvers { roles, count }: &Approvers) -> String {
    let roles: Vec<String> = roles.iter().map(|role| format!("`{role}`")).collect();
    let roles = match roles.as_slice() {
        [role] => format!("the role {role}"),
        _ => format!("one of the roles {}", roles.join(", ")),
    };
    match count {
        1 => format!("another person with {roles}"),
        _ => format!("{count} other people with {roles}"),
    }
}

/// The answer to an approver whose confirmation is not the last one that the question needs.
#[must_use]
pub fn needs_more(question: &Question) -> ToolError {
    let needed = question.approvers.as_ref().map_or(0, |approvers| approvers.count);
    let given = question.confirmed_by.len();
    let message = format!("`{}` has {given} of {needed} confirmations, and has not run", question.tool);
    ToolError::new(ErrorType::ConfirmationRequired, message)
        .with_details(json!({ "confirmations": given, "count": needed }))
}
