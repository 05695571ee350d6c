//! The sessions of a database, read without a lock and without changing them.

use tokio_postgres::types::Type;

use super::inspection::PostgresInspection;
use super::statements::SESSIONS_PER_STATEMENT;
use super::{get, session_key};
use crate::call::SessionId;
use crate::clock::EpochMs;
use crate::store::StoreError;
use crate::store::overview::{
    OverviewBuilder, SessionFilter, SessionList, SessionOverview, parse, summarize, unreadable,
};
use crate::store::shared::session_key::HASH_PREFIX;

/// Lists sessions, the last used first. A session that is used meanwhile may be left out.
///
/// # Errors
/// If the server can't be used, or has no store in the schema.
pub async fn list(url: &str, schema: Option<&str>, filter: &SessionFilter) -> Result<SessionList, StoreError> {
    let inspection = PostgresInspection::open(url, schema).await?;
    let (mut list, mut page_end) = (SessionList::default(), (i64::MAX, i64::MAX));
    loop {
        let page = [
            (&page_end.0 as _, Type::INT8),
            (&page_end.1 as _, Type::INT8),
            (&SESSIONS_PER_STATEMENT as _, Type::INT8),
        ];
        let rows = inspection.query(&inspection.connections.statements.list, &page).await?;
        for row in &rows {
            if !list.add(get(row, 2)?, get(row, 3)?, filter) {
                return Ok(list);
            }
            page_end = (get(row, 0)?, get(row, 1)?);
        }
        if rows.is_empty() {
            return Ok(list);
        }
    }
}

/// Shows one session. `None` if there is none under this id.
///
/// # Errors
/// If the server can't be used, has no store in the schema, or the session's document can't be read.
pub async fn show(
    url: &str,
    schema: Option<&str>,
    id: &str,
    now: EpochMs,
) -> Result<Option<SessionOverview>, StoreError> {
    let inspection = PostgresInspection::open(url, schema).await?;
    let session = SessionId::from(id);
    // A hash as a list shows it is a key already.
    let listed = Some(id).filter(|id| id.starts_with(HASH_PREFIX));
    for key in [Some(&*session_key(&session)), listed].into_iter().flatten() {
        let found = inspection.query(&inspection.connections.statements.show, &[(&key, Type::TEXT)]).await?;
        let Some(row) = found.first() else { continue };
        let document = parse(get(row, 0)?).map_err(|error| unreadable(key, &error))?;
        let mut builder = OverviewBuilder::default();
        let (names, contents): (Vec<String>, Vec<String>) = (get(row, 1)?, get(row, 2)?);
        for (name, content) in names.iter().zip(&contents) {
            builder.add_row(name, content, now);
        }
        return Ok(Some(builder.finish(summarize(key.to_owned(), &document))));
    }
    Ok(None)
}
