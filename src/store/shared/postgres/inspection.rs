//! What an operator's commands read from a database. They create nothing.

use std::time::Duration;

use tokio_postgres::Row;

use super::address::PostgresAddress;
use super::connection::{OpenClient, Parameter, PostgresConnections, unreadable_key};
use super::failure::{classify, failed};
use super::get;
use super::installation::{self, PostgresSettings};
use super::statements::LAYOUT_VERSION;
use crate::json::HashKey;
use crate::store::StoreError;
use crate::store::shared::report::{PostgresCheck, RowCounts};
use crate::store::shared::versioned::parse_fingerprint_key;

/// The time limit of one statement.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(30);

/// A connection for an operator's command, to a store that exists.
pub(super) struct PostgresInspection {
    pub(super) connections: PostgresConnections,
    open: OpenClient,
    layout: i32,
    fingerprint_key: String,
}

impl PostgresInspection {
    /// # Errors
    /// If the server can't be used, has no store in the schema, or a newer one.
    pub(super) async fn open(url: &str, schema: Option<&str>) -> Result<Self, StoreError> {
        let address = PostgresAddress::parse(url, schema).map_err(|error| StoreError::Failed(error.to_string()))?;
        let connections = PostgresConnections::new(address, 1, REQUEST_TIMEOUT);
        let open = connections.open().await?;
        let schema = &connections.address.schema;
        let found = installation::read(&connections, &open.client).await?;
        let Some(found) = found else { return Err(failed(&format!("has no store in the schema `{schema}`"))) };
        installation::check_layout(schema, found.layout)?;
        Ok(Self { open, layout: found.layout, fingerprint_key: found.fingerprint_key, connections })
    }

    pub(super) async fn query(&self, statement: &str, parameters: &[Parameter<'_>]) -> Result<Vec<Row>, StoreError> {
        let rows = self.connections.run(&self.open.client, statement, parameters).await?;
        Ok(rows.map_err(|error| classify(&error).failure)?)
    }
}

/// The counts of an answer with kinds of rows and their numbers.
pub(super) fn counts(rows: &[Row]) -> Result<RowCounts, StoreError> {
    let mut counts = RowCounts::default();
    for row in rows {
        let number = u64::try_from(get::<i64>(row, 1)?).unwrap_or_default();
        match get::<&str>(row, 0)? {
            "session" => counts.sessions += number,
            "call" => counts.records += number,
            "answer" => counts.answers += number,
            "question" => counts.questions += number,
            _ => {}
        }
    }
    Ok(counts)
}

/// The installation's key.
///
/// # Errors
/// If the server can't be used, or has no store.
pub async fn installation_key(url: &str, schema: Option<&str>) -> Result<HashKey, StoreError> {
    let inspection = PostgresInspection::open(url, schema).await?;
    parse_fingerprint_key(inspection.fingerprint_key.as_bytes())
        .ok_or_else(|| unreadable_key(&inspection.connections.address.schema))
}

/// Checks that the server is reachable and keeps what it is given, and counts what it keeps.
///
/// # Errors
/// If the server can't be reached, is not trusted, refuses a statement, has no store, or one of a newer version.
pub async fn check(url: &str, schema: Option<&str>) -> Result<PostgresCheck, StoreError> {
    let inspection = PostgresInspection::open(url, schema).await?;
    let settings = PostgresSettings::read(&inspection.connections, &inspection.open.client).await?;
    Ok(PostgresCheck {
        schema: inspection.connections.address.schema.clone(),
        layout: inspection.layout,
        known_layout: LAYOUT_VERSION,
        durability: settings.durability(),
        counts: counts(&inspection.query(&inspection.connections.statements.count, &[]).await?)?,
        problems: settings.problems(),
    })
}
