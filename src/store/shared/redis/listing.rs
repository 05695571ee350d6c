//! The sessions of a server, read without changing them or their time to live.

use std::collections::HashSet;
use std::time::Duration;

use super::inspection::{Inspection, checked};
use super::keys::{SessionKeys, plain_tag};
use crate::call::SessionId;
use crate::clock::EpochMs;
use crate::store::StoreError;
use crate::store::overview::{
    OverviewBuilder, SessionFilter, SessionList, SessionOverview, parse, summarize, unreadable,
};
use crate::store::shared::ending::WITHOUT_EXPIRY;

/// Lists sessions, in no order.
///
/// # Errors
/// If the server can't be used.
pub async fn list(url: &str, filter: &SessionFilter) -> Result<SessionList, StoreError> {
    let mut inspection = Inspection::open(url).await?;
    let (mut list, mut cursor, mut seen) = (SessionList::default(), 0, HashSet::new());
    loop {
        let (next, mut tags) = inspection.scan(cursor).await?;
        // A server that resizes its table finds keys again.
        tags.retain(|tag| seen.insert(tag.clone()));
        for (tag, document) in inspection.documents(tags).await? {
            if !list.add(tag, &document, filter) {
                return Ok(list);
            }
        }
        if next == 0 {
            return Ok(list);
        }
        cursor = next;
    }
}

/// Shows one session. `None` if there is none under this id.
///
/// # Errors
/// If the server can't be used, or the session's document can't be read.
pub async fn show(url: &str, id: &str, now: EpochMs) -> Result<Option<SessionOverview>, StoreError> {
    let mut inspection = Inspection::open(url).await?;
    let keys = SessionKeys::for_session(&SessionId::from(id));
    let tags = [Some(keys.tag()), plain_tag(id)];
    for tag in tags.into_iter().flatten() {
        let Some((tag, document)) = inspection.documents(vec![tag.to_owned()]).await?.pop() else { continue };
        let document = parse(&document).map_err(|error| unreadable(&tag, &error))?;
        let mut builder = OverviewBuilder::default();
        for (name, content) in inspection.rows(&tag).await? {
            builder.add_row(&name, &content, now);
        }
        return Ok(Some(builder.finish(summarize(tag, &document))));
    }
    Ok(None)
}

/// How long the server keeps a session that is not used.
pub(in crate::store::shared) async fn time_to_live(url: &str, id: &str) -> Result<Duration, StoreError> {
    let mut inspection = Inspection::open(url).await?;
    let keys = SessionKeys::for_session(&SessionId::from(id));
    let left = redis::cmd("PTTL").arg(&keys.session).query_async::<i64>(&mut inspection.server).await;
    Ok(u64::try_from(checked(left)?).map_or(WITHOUT_EXPIRY, Duration::from_millis))
}
