//! Failures of the server and of the connection, as the store reports them.

use std::error::Error as _;
use std::io;

use tokio_postgres::Error;
use tokio_postgres::error::{DbError, SqlState};

use crate::store::error::StoreError;
use crate::store::shared::backend::BackendFailure;

/// A failure, and what it says of the connection.
pub(super) struct PostgresFailure {
    pub(super) failure: BackendFailure,
    pub(super) breaks_connection: bool,
    /// It leads to a server that can't be written to: behind the address there may be another one by now.
    pub(super) is_wrong_server: bool,
}

impl PostgresFailure {
    const fn keeping(failure: BackendFailure) -> Self {
        Self { failure, breaks_connection: false, is_wrong_server: false }
    }

    const fn breaking(failure: BackendFailure) -> Self {
        Self { failure, breaks_connection: true, is_wrong_server: false }
    }
}

impl From<BackendFailure> for PostgresFailure {
    fn from(failure: BackendFailure) -> Self {
        Self::breaking(failure)
    }
}

/// Describes a failure without the server's address, which may include a password.
pub(super) fn failed(what: &str) -> StoreError {
    StoreError::Failed(format!("postgres {what}"))
}

/// The text of an error with its cause.
pub(super) fn describe(error: &Error) -> String {
    match (error.as_db_error(), error.source()) {
        (Some(refusal), _) => refusal.message().to_owned(),
        (None, Some(cause)) => format!("{error}: {cause}"),
        (None, None) => error.to_string(),
    }
}

pub(super) fn classify(error: &Error) -> PostgresFailure {
    if let Some(refusal) = error.as_db_error() {
        return classify_refusal(refusal);
    }
    PostgresFailure::breaking(classify_connection(error))
}

/// Classifies what the server, or a pooler in front of it, answered.
fn classify_refusal(refusal: &DbError) -> PostgresFailure {
    let code = refusal.code();
    let (keeps, breaks) = (PostgresFailure::keeping, PostgresFailure::breaking);
    let (transient, permanent) = (BackendFailure::Transient, BackendFailure::Permanent);
    let refused = || failed(&format!("refused: {}", refusal.message()));
    if *code == SqlState::T_R_SERIALIZATION_FAILURE || *code == SqlState::T_R_DEADLOCK_DETECTED {
        keeps(BackendFailure::Conflict)
    } else if *code == SqlState::CANNOT_CONNECT_NOW {
        breaks(transient(failed("is starting or stopping")))
    } else if *code == SqlState::TOO_MANY_CONNECTIONS {
        breaks(transient(failed("has no connection left")))
    } else if is_shutdown(code) {
        breaks(transient(failed("broke the connection")))
    } else if *code == SqlState::LOCK_NOT_AVAILABLE || *code == SqlState::QUERY_CANCELED {
        keeps(transient(refused()))
    } else if *code == SqlState::READ_ONLY_SQL_TRANSACTION {
        let failure = permanent(failed("is a standby, or read-only, and can't be written to"));
        PostgresFailure { is_wrong_server: true, ..breaks(failure) }
    } else {
        // A pooler reports its own failures as those of the connection.
        let failure = if code.code().starts_with("08") { transient(refused()) } else { permanent(refused()) };
        breaks(failure)
    }
}

fn is_shutdown(code: &SqlState) -> bool {
    let codes = [SqlState::ADMIN_SHUTDOWN, SqlState::CRASH_SHUTDOWN, SqlState::IDLE_SESSION_TIMEOUT];
    codes.contains(code)
}

/// Whether the tables are not there.
pub(super) fn is_missing_table(error: &Error) -> bool {
    matches!(error.code(), Some(code) if *code == SqlState::UNDEFINED_TABLE || *code == SqlState::INVALID_SCHEMA_NAME)
}

fn classify_connection(error: &Error) -> BackendFailure {
    let (mut cause, mut io_kind) = (error.source(), None);
    while let Some(inner) = cause {
        if let Some(io) = inner.downcast_ref::<io::Error>() {
            if let Some(tls) = io.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>()) {
                return tls_failure(tls);
            }
            io_kind = Some(io.kind());
        }
        cause = inner.source();
    }
    let is_connecting = error.to_string().starts_with("error connecting");
    match io_kind {
        Some(_) if is_connecting => BackendFailure::Transient(failed("can't be reached")),
        Some(_) => BackendFailure::Transient(failed("broke the connection")),
        None if error.is_closed() => BackendFailure::Transient(failed("broke the connection")),
        None => BackendFailure::Permanent(failed(&format!("can't be used: {}", describe(error)))),
    }
}

fn tls_failure(error: &rustls::Error) -> BackendFailure {
    BackendFailure::Permanent(match error {
        rustls::Error::InvalidCertificate(_) => failed(&format!(
            "is not trusted: {error}; its authority must be one of this system's, or in the file that `SSL_CERT_FILE` \
             names"
        )),
        _ => failed(&format!("can't be used: {error}")),
    })
}
