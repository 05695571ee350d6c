//! The calls of a server whose outcome may be uncertain.

use super::connection::RedisConnections;
use super::keys::{SESSION_PATTERN, SessionKeys, tag_of};
use crate::store::reconcile::{UncertainCall, UncertainCalls, UncertainPage};
use crate::store::shared::backend::BackendFailure;

/// The number of keys that one part of the search looks at: other commands wait for the server meanwhile.
const KEYS_PER_PAGE: usize = 100;

pub(super) async fn list(
    connections: &RedisConnections,
    page: &UncertainPage,
) -> Result<UncertainCalls, BackendFailure> {
    let mut scan = redis::cmd("SCAN");
    scan.arg(page.cursor.as_deref().unwrap_or("0")).arg("MATCH").arg(SESSION_PATTERN).arg("COUNT").arg(KEYS_PER_PAGE);
    let (next, keys): (String, Vec<String>) = connections.query(&scan).await?;
    let tables: Vec<String> =
        keys.iter().filter_map(|key| tag_of(key)).map(|tag| SessionKeys::for_tag(tag).rows).collect();
    let records = records_of(connections, &tables).await?;
    let calls = records.iter().filter_map(|(name, row)| UncertainCall::from_stored(name, row, page.begun_by));
    Ok(UncertainCalls { calls: calls.collect(), next: (next != "0").then_some(next) })
}

/// The names and contents of the records in some sessions' hashes of rows. Answers, which may be large, stay on the server.
async fn records_of(
    connections: &RedisConnections,
    tables: &[String],
) -> Result<Vec<(String, String)>, BackendFailure> {
    if tables.is_empty() {
        return Ok(Vec::new());
    }
    let mut names = redis::pipe();
    for table in tables {
        names.cmd("HKEYS").arg(table);
    }
    let names: Vec<Vec<String>> = connections.query_pipeline(&names).await?;
    let mut wanted: Vec<(&String, Vec<String>)> = tables.iter().zip(names).collect();
    for (_, names) in &mut wanted {
        names.retain(|name| name.starts_with("call:"));
    }
    wanted.retain(|(_, names)| !names.is_empty());
    if wanted.is_empty() {
        return Ok(Vec::new());
    }
    let mut contents = redis::pipe();
    for (table, names) in &wanted {
        contents.cmd("HMGET").arg(table).arg(names);
    }
    let contents: Vec<Vec<Option<String>>> = connections.query_pipeline(&contents).await?;
    let records = wanted.into_iter().zip(contents).flat_map(|((_, names), contents)| names.into_iter().zip(contents));
    Ok(records.filter_map(|(name, content)| Some((name, content?))).collect())
}
