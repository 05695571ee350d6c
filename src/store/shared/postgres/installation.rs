//! The installation on the server: created by the first process, recognized by the others, and the server's settings
//! that decide whether it keeps what it is given.

use tokio_postgres::Client;

use super::connection::{PostgresConnections, misread};
use super::failure::{classify, failed, is_missing_table};
use super::statements::LAYOUT_VERSION;
use crate::json::HashKey;
use crate::session::key::hex;
use crate::store::error::StoreError;
use crate::store::shared::backend::BackendFailure;

/// What the store's own table holds.
pub(super) struct Installation {
    /// The version of the table layout.
    pub(super) layout: i32,
    /// 32 hex digits.
    pub(super) fingerprint_key: String,
    /// Whether the tables have what this version has added.
    is_complete: bool,
}

impl PostgresConnections {
    /// The installation behind a connection; created by the first one of the process if it is absent, and completed if an
    /// earlier version has made it.
    pub(super) async fn find_installation(
        &self,
        client: &Client,
        is_first: bool,
    ) -> Result<Option<Installation>, BackendFailure> {
        if is_first {
            check_settings(self, client).await?;
        }
        let found = read(self, client).await?;
        let is_usable = match &found {
            // Those of a newer version are refused.
            Some(found) => found.is_complete || found.layout > LAYOUT_VERSION,
            None => !is_first,
        };
        if is_usable {
            return Ok(found);
        }
        create(self, client).await?;
        read(self, client).await
    }

    /// Refuses the tables of a newer version, which another process may have made since the connection was opened.
    pub(super) fn check_layout(&self, layout: i32) -> Result<(), BackendFailure> {
        check_layout(&self.address.schema, layout).map_err(BackendFailure::Permanent)
    }
}

/// Reads the installation. `None` if the schema has none.
pub(super) async fn read(
    connections: &PostgresConnections,
    client: &Client,
) -> Result<Option<Installation>, BackendFailure> {
    let rows = match connections.run(client, &connections.statements.installation, &[]).await? {
        Ok(rows) => rows,
        Err(error) if is_missing_table(&error) => return Ok(None),
        Err(error) => return Err(classify(&error).failure),
    };
    let Some(row) = rows.first() else { return Ok(None) };
    let read =
        || Ok(Installation { layout: row.try_get(0)?, fingerprint_key: row.try_get(1)?, is_complete: row.try_get(2)? });
    read().map(Some).map_err(|error: tokio_postgres::Error| BackendFailure::Permanent(misread(&error)))
}

/// Creates the schema and the tables, unless another process does it first.
async fn create(connections: &PostgresConnections, client: &Client) -> Result<(), BackendFailure> {
    let schema = connections.address.schema.as_str();
    let found = connections.run(client, "SELECT to_regnamespace($1) IS NOT NULL", &[(&schema, TEXT)]).await?;
    let found = found.map_err(|error| classify(&error).failure)?;
    let is_there = found.first().and_then(|row| row.try_get(0).ok()).unwrap_or(false);
    if !is_there {
        execute(connections, client, &connections.statements.create_schema()).await?;
    }
    let key = hex(&HashKey::random().to_bytes());
    execute(connections, client, &connections.statements.create_tables(&key)).await
}

const TEXT: tokio_postgres::types::Type = tokio_postgres::types::Type::TEXT;

/// Runs statements in one transaction.
async fn execute(connections: &PostgresConnections, client: &Client, text: &str) -> Result<(), BackendFailure> {
    let done = connections.in_time(client.batch_execute(text)).await?;
    done.map_err(|error| classify(&error).failure)
}

/// Refuses the tables of a newer version.
pub(super) fn check_layout(schema: &str, layout: i32) -> Result<(), StoreError> {
    if layout <= LAYOUT_VERSION {
        return Ok(());
    }
    Err(failed(&format!(
        "has tables in `{schema}` that were written by a newer toolgate (their layout is {layout}, this one knows \
         {LAYOUT_VERSION}); use that one"
    )))
}

/// The settings of a server as it names them; `None` for those that it does not know.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct PostgresSettings {
    fsync: Option<String>,
    full_page_writes: Option<String>,
    synchronous_commit: Option<String>,
    server_encoding: Option<String>,
}

impl PostgresSettings {
    /// Reads the settings as they are for this user and database.
    pub(super) async fn read(connections: &PostgresConnections, client: &Client) -> Result<Self, BackendFailure> {
        let statement = "SELECT current_setting('fsync', true), current_setting('full_page_writes', true),
             current_setting('synchronous_commit', true), current_setting('server_encoding', true)";
        let rows = connections.run(client, statement, &[]).await?.map_err(|error| classify(&error).failure)?;
        let Some(row) = rows.first() else { return Ok(Self::default()) };
        let text = |index: usize| row.try_get::<_, Option<String>>(index).ok().flatten();
        Ok(Self { fsync: text(0), full_page_writes: text(1), synchronous_commit: text(2), server_encoding: text(3) })
    }

    /// The settings that decide what a crash loses.
    pub(super) fn durability(&self) -> String {
        let shown = |setting: &Option<String>| setting.clone().unwrap_or_else(|| "unknown".to_owned());
        let (fsync, commit) = (shown(&self.fsync), shown(&self.synchronous_commit));
        format!("fsync {fsync}, synchronous_commit {commit}")
    }

    /// The reasons for which the server may forget calls, as sentences.
    pub(super) fn problems(&self) -> Vec<String> {
        let is_off = |setting: &Option<String>| setting.as_deref() == Some("off");
        let risks = [
            (&self.fsync, "postgres does not wait for the disk (`fsync off`): a crash can damage or forget everything"),
            (
                &self.full_page_writes,
                "postgres writes parts of pages (`full_page_writes off`): a crash can damage tables",
            ),
            (
                &self.synchronous_commit,
                "postgres answers before it has written (`synchronous_commit off`): a crash forgets the last calls",
            ),
        ];
        risks.into_iter().filter(|(setting, _)| is_off(setting)).map(|(_, problem)| problem.to_owned()).collect()
    }

    /// # Errors
    /// If the database can't hold every text.
    fn check_encoding(&self) -> Result<(), StoreError> {
        match self.server_encoding.as_deref() {
            None | Some("UTF8") => Ok(()),
            Some(other) => {
                Err(failed(&format!("keeps the database in the encoding `{other}`; name a database in `UTF8`")))
            }
        }
    }
}

/// Checks the settings, and logs what the server may forget.
async fn check_settings(connections: &PostgresConnections, client: &Client) -> Result<(), BackendFailure> {
    let settings = PostgresSettings::read(connections, client).await?;
    settings.check_encoding().map_err(BackendFailure::Permanent)?;
    for problem in settings.problems() {
        tracing::warn!("{problem}");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_crash_can_forget_is_a_problem() {
        let on = || Some("on".to_owned());
        let settings =
            PostgresSettings { fsync: on(), full_page_writes: on(), synchronous_commit: on(), server_encoding: None };
        assert_eq!(settings.problems(), Vec::<String>::new());
        let late = PostgresSettings { synchronous_commit: Some("off".to_owned()), ..settings };
        assert_eq!(late.durability(), "fsync on, synchronous_commit off");
        let [problem] = &late.problems()[..] else { panic!("{late:?}") };
        assert!(problem.contains("`synchronous_commit off`"), "{problem}");
    }

    #[test]
    fn a_database_that_does_not_hold_every_text_is_refused() {
        let of = |encoding: &str| PostgresSettings {
            server_encoding: Some(encoding.to_owned()),
            ..PostgresSettings::default()
        };
        assert_eq!(of("UTF8").check_encoding(), Ok(()));
        let refused = of("LATIN1").check_encoding().unwrap_err().to_string();
        assert!(refused.contains("`LATIN1`"), "{refused}");
    }
}
