//! The erasure of a principal's sessions from a database.

use tokio_postgres::Row;
use tokio_postgres::types::Type;

use super::get;
use super::inspection::{PostgresInspection, counts};
use super::statements::SESSIONS_PER_STATEMENT;
use crate::store::StoreError;
use crate::store::overview::parse;
use crate::store::shared::report::ErasureReport;

/// Deletes the sessions of a principal with all of their rows. A session that begins meanwhile may stay. The server has
/// the values in dead rows until they are vacuumed, and in its write-ahead log and backups.
///
/// # Errors
/// If the server can't be used, or has no store in the schema.
pub async fn erase(url: &str, schema: Option<&str>, principal: &str) -> Result<ErasureReport, StoreError> {
    let inspection = PostgresInspection::open(url, schema).await?;
    let (mut report, mut last) = (ErasureReport::default(), 0_i64);
    loop {
        let page = [(&last as _, Type::INT8), (&SESSIONS_PER_STATEMENT as _, Type::INT8)];
        let rows = inspection.query(&inspection.connections.statements.scan, &page).await?;
        let Some(end) = rows.last() else { return Ok(report) };
        let erased = sessions_of(principal, &rows, &mut report)?;
        if !erased.is_empty() {
            let statement = &inspection.connections.statements.erase;
            let gone = inspection.query(statement, &[(&erased, Type::INT8_ARRAY)]).await?;
            report.erased += counts(&gone)?;
        }
        last = get(end, 0)?;
    }
}

/// The numbers of the sessions of a principal. Those that can't be read are reported.
fn sessions_of(principal: &str, rows: &[Row], report: &mut ErasureReport) -> Result<Vec<i64>, StoreError> {
    let mut numbers = Vec::new();
    for row in rows {
        match parse(get(row, 2)?) {
            Ok(document) if document.owner.principal() == Some(principal) => numbers.push(get(row, 0)?),
            Ok(_) => {}
            Err(_) => report.add_unreadable(get(row, 1)?),
        }
    }
    Ok(numbers)
}
