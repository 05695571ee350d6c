//! The session that the gate keeps for a principal, in which all its sessions share what a call must know of the others: the acts
//! that were done, and the calls that count. No host can name it, and its name does not say whose it is. It belongs to the principal,
//! so what erases the principal's sessions erases it.

use crate::admit::context::AdmissionContext;
use crate::call::SessionId;
use crate::json::KeyedHash;
use crate::session::key::hex;
use crate::session::state::SessionState;
use crate::store::{AttachRequest, Owner, StoreError, StoreRequests};

/// Its id. It names acts, which were the first things that it kept.
pub(in crate::admit) fn id(context: &AdmissionContext<'_>, principal: &str) -> SessionId {
    let key = context.attachment.session.fingerprint_key;
    let name = KeyedHash::from_text(key, &format!("acts of principal {principal}"));
    SessionId::of_gate(&format!("acts:{}", hex(&name.to_bytes())))
}

/// Creates it.
pub(in crate::admit) async fn begin(
    context: &AdmissionContext<'_>,
    principal: &str,
    session: SessionId,
) -> Result<(), StoreError> {
    let attach = AttachRequest {
        session,
        owner: Owner::new(Some(principal.to_owned()), None),
        state: SessionState::new("acts"),
        tools_version: "".into(),
        resume_only: false,
        now: context.now,
    };
    context.store.attach(attach).await.map(drop)
}
