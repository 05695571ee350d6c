//! The calls of a database whose outcome may be uncertain.

use tokio_postgres::types::Type;

use super::connection::{Parameter, PostgresConnections};
use super::get;
use super::statements::SESSIONS_PER_STATEMENT;
use crate::store::error::StoreError;
use crate::store::reconcile::{UncertainCall, UncertainCalls, UncertainPage};
use crate::store::shared::backend::BackendFailure;

pub(super) async fn list(
    connections: &PostgresConnections,
    page: &UncertainPage,
) -> Result<UncertainCalls, StoreError> {
    let after: i64 = page.cursor.as_deref().and_then(|cursor| cursor.parse().ok()).unwrap_or_default();
    let parameters: [Parameter<'_>; 2] = [(&after, Type::INT8), (&SESSIONS_PER_STATEMENT, Type::INT8)];
    let rows = connections.first().query(&connections.statements.uncertain, &parameters).await;
    let rows = rows.map_err(BackendFailure::into_error)?;
    let Some(row) = rows.first() else { return Ok(UncertainCalls::default()) };
    let last: Option<i64> = get(row, 0)?;
    let (names, contents): (Vec<String>, Vec<String>) = (get(row, 1)?, get(row, 2)?);
    let records = names.iter().zip(&contents);
    let calls = records.filter_map(|(name, row)| UncertainCall::from_stored(name, row, page.begun_by));
    Ok(UncertainCalls { calls: calls.collect(), next: last.map(|last| last.to_string()) })
}
