//! The erasure of a principal's sessions from a server.

use super::inspection::{Inspection, checked};
use super::keys::SessionKeys;
use crate::store::StoreError;
use crate::store::overview::parse;
use crate::store::shared::report::ErasureReport;

/// Deletes the sessions of a principal with all of their rows. A session that begins meanwhile may stay. The server's
/// snapshots and append-only file have the values until they are next rewritten.
///
/// # Errors
/// If the server can't be used.
pub async fn erase(url: &str, principal: &str) -> Result<ErasureReport, StoreError> {
    let mut inspection = Inspection::open(url).await?;
    let (mut report, mut cursor) = (ErasureReport::default(), 0);
    loop {
        let (next, tags) = inspection.scan(cursor).await?;
        let mut erased = Vec::new();
        for (tag, document) in inspection.documents(tags).await? {
            match parse(&document) {
                Ok(document) if document.owner.principal() == Some(principal) => erased.push(tag),
                Ok(_) => {}
                Err(_) => report.add_unreadable(tag),
            }
        }
        report.erased += inspection.count(&erased).await?;
        delete(&mut inspection, &erased).await?;
        if next == 0 {
            return Ok(report);
        }
        cursor = next;
    }
}

/// Deletes sessions, each in one step.
async fn delete(inspection: &mut Inspection, tags: &[String]) -> Result<(), StoreError> {
    if tags.is_empty() {
        return Ok(());
    }
    let mut commands = redis::pipe();
    for tag in tags {
        commands.cmd("DEL").arg(&SessionKeys::for_tag(tag).all()).ignore();
    }
    let deleted: Result<(), _> = commands.query_async(&mut inspection.server).await;
    checked(deleted)
}
