//! A database, open for an operator's command. Nothing is created.

use std::time::Duration;

use futures_util::future::{FutureExt, ready};
use tokio_postgres::Row;
use tokio_postgres::types::Type;

use super::address::PostgresAddress;
use super::connection::{OpenClient, Parameter, PostgresConnections, unreadable_key};
use super::failure::{classify, failed};
use super::installation::{self, PostgresSettings};
use super::statements::{LAYOUT_VERSION, SESSIONS_PER_STATEMENT};
use super::{PostgresOptions, get, open, session_key};
use crate::call::SessionId;
use crate::json::HashKey;
use crate::store::error::StoreError;
use crate::store::shared::SharedStore;
use crate::store::shared::inspection::{FoundSession, Inspected, Inspection, IsErased, Visit};
use crate::store::shared::report::{Erased, PostgresCheck, RowCounts, StoreCheck};
use crate::store::shared::session_key::HASH_PREFIX;
use crate::store::shared::versioned::parse_fingerprint_key;

/// The time limit of one statement.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(30);

/// A connection to a store that exists.
pub(in crate::store::shared) struct PostgresInspection {
    connections: PostgresConnections,
    open: OpenClient,
    url: String,
    layout: i32,
    fingerprint_key: String,
}

impl PostgresInspection {
    /// # Errors
    /// If the server can't be used, has no store in the schema, or a newer one.
    pub(in crate::store::shared) async fn open(url: &str, schema: Option<&str>) -> Result<Self, StoreError> {
        let address = PostgresAddress::parse(url, schema).map_err(|error| StoreError::Failed(error.to_string()))?;
        let connections = PostgresConnections::new(address, 1, REQUEST_TIMEOUT);
        let open = connections.open().await?;
        let schema = &connections.address.schema;
        let found = installation::read(&connections, &open.client).await?;
        let Some(found) = found else { return Err(failed(&format!("has no store in the schema `{schema}`"))) };
        installation::check_layout(schema, found.layout)?;
        let fingerprint_key = found.fingerprint_key;
        Ok(Self { open, url: url.to_owned(), layout: found.layout, fingerprint_key, connections })
    }

    async fn query(&self, statement: &str, parameters: &[Parameter<'_>]) -> Result<Vec<Row>, StoreError> {
        let rows = self.connections.run(&self.open.client, statement, parameters).await?;
        Ok(rows.map_err(|error| classify(&error).failure)?)
    }
}

impl Inspection for PostgresInspection {
    fn scan<'a>(&'a mut self, visit: Visit<'a>) -> Inspected<'a, ()> {
        async move {
            let mut page_end = (i64::MAX, i64::MAX);
            loop {
                let page = [
                    (&page_end.0 as _, Type::INT8),
                    (&page_end.1 as _, Type::INT8),
                    (&SESSIONS_PER_STATEMENT as _, Type::INT8),
                ];
                let rows = self.query(&self.connections.statements.list, &page).await?;
                for row in &rows {
                    if visit(get(row, 2)?, get(row, 3)?).is_break() {
                        return Ok(());
                    }
                    page_end = (get(row, 0)?, get(row, 1)?);
                }
                if rows.is_empty() {
                    return Ok(());
                }
            }
        }
        .boxed_local()
    }

    fn find<'a>(&'a mut self, id: &'a str) -> Inspected<'a, Option<FoundSession>> {
        async move {
            let session = SessionId::from(id);
            // A hash as a list shows it is a key already.
            let listed = Some(id).filter(|id| id.starts_with(HASH_PREFIX));
            for key in [Some(&*session_key(&session)), listed].into_iter().flatten() {
                let found = self.query(&self.connections.statements.show, &[(&key, Type::TEXT)]).await?;
                let Some(row) = found.first() else { continue };
                let (names, contents): (Vec<String>, Vec<String>) = (get(row, 1)?, get(row, 2)?);
                let rows = names.into_iter().zip(contents).collect();
                return Ok(Some(FoundSession { key: key.to_owned(), document: get(row, 0)?, rows }));
            }
            Ok(None)
        }
        .boxed_local()
    }

    fn erase<'a>(&'a mut self, is_erased: IsErased<'a>) -> Inspected<'a, Erased> {
        async move {
            let (mut erased, mut last) = (Erased::default(), 0_i64);
            loop {
                let page = [(&last as _, Type::INT8), (&SESSIONS_PER_STATEMENT as _, Type::INT8)];
                let rows = self.query(&self.connections.statements.scan, &page).await?;
                let Some(end) = rows.last() else { return Ok(erased) };
                let mut numbers: Vec<i64> = Vec::new();
                for row in &rows {
                    if is_erased(get(row, 1)?, get(row, 2)?) {
                        numbers.push(get(row, 0)?);
                    }
                }
                if !numbers.is_empty() {
                    let statement = &self.connections.statements.erase;
                    erased.counts += counts(&self.query(statement, &[(&numbers, Type::INT8_ARRAY)]).await?)?;
                }
                last = get(end, 0)?;
            }
        }
        .boxed_local()
    }

    fn check(&mut self) -> Inspected<'_, StoreCheck> {
        async move {
            let settings = PostgresSettings::read(&self.connections, &self.open.client).await?;
            Ok(StoreCheck::Postgres(PostgresCheck {
                schema: self.connections.address.schema.clone(),
                layout: self.layout,
                known_layout: LAYOUT_VERSION,
                durability: settings.durability(),
                counts: counts(&self.query(&self.connections.statements.count, &[]).await?)?,
                problems: settings.problems(),
            }))
        }
        .boxed_local()
    }

    fn installation_key(&mut self) -> Inspected<'_, HashKey> {
        let key = parse_fingerprint_key(self.fingerprint_key.as_bytes());
        ready(key.ok_or_else(|| unreadable_key(&self.connections.address.schema))).boxed_local()
    }

    fn store_to_change<'a>(&'a mut self, _: &'a SessionId) -> Inspected<'a, SharedStore> {
        let schema = Some(self.connections.address.schema.clone());
        let opened = open(&self.url, PostgresOptions { schema, ..PostgresOptions::default() });
        ready(opened.map_err(|error| StoreError::Failed(error.to_string()))).boxed_local()
    }
}

/// The counts of an answer with kinds of rows and their numbers.
fn counts(rows: &[Row]) -> Result<RowCounts, StoreError> {
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
