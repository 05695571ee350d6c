//! Failures of the server and of the connection, as the store reports them.

use std::error::Error;
use std::io;
use std::sync::Arc;

use redis::RedisError;

use crate::store::error::StoreError;
use crate::store::shared::backend::BackendFailure;

/// A failure, and what it says of the connection.
pub(super) struct RedisFailure {
    pub(super) failure: BackendFailure,
    pub(super) connection: ConnectionState,
}

/// What a failure says of the connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ConnectionState {
    Usable,
    Broken,
    /// It leads to a server that takes no commands, or not these: behind the address there may be another one by now.
    WrongServer,
}

/// Classifies an error. The message contains no address, which may include a password.
pub(super) fn classify(error: &RedisError) -> RedisFailure {
    match server_code(error) {
        Some(code) => classify_refusal(&code, error),
        None => RedisFailure { failure: classify_connection(error), connection: ConnectionState::Broken },
    }
}

/// Describes an error without the server's address, which may include a password.
pub(super) fn describe(error: &RedisError) -> StoreError {
    classify(error).failure.into_error()
}

/// Why a node of a cluster is refused.
pub(super) fn is_cluster_node() -> StoreError {
    failed("is a node of a Redis Cluster, which can't be used as a store; name a server that is not part of one")
}

fn failed(what: &str) -> StoreError {
    StoreError::Failed(format!("redis {what}"))
}

/// The code of the server's answer; `None` if the error is not an answer.
fn server_code(error: &RedisError) -> Option<String> {
    let answers = error.clone().into_server_errors();
    let first = answers.as_deref().and_then(|answers| answers.first()).map(|(_, answer)| answer.code().to_owned());
    let code = first.or_else(|| error.code().map(str::to_owned))?;
    Some(if code == "ERR" { code_in_script(&error.to_string()).unwrap_or(code) } else { code })
}

/// The code of a script's command. Before version 7 it is in the text: `ERR Error running script …: -READONLY You can't …`.
fn code_in_script(text: &str) -> Option<String> {
    let is_code = |word: &&str| word.len() > 2 && word.bytes().all(|byte| byte.is_ascii_uppercase());
    let mut words = text.split(" -").skip(1).filter_map(|part| part.split(' ').next());
    words.find(is_code).map(str::to_owned)
}

/// Classifies what the server, or a proxy in front of it, answered.
fn classify_refusal(code: &str, error: &RedisError) -> RedisFailure {
    let usable = |failure| RedisFailure { failure, connection: ConnectionState::Usable };
    let wrong = |failure| RedisFailure { failure, connection: ConnectionState::WrongServer };
    let (transient, permanent) = (BackendFailure::Transient, BackendFailure::Permanent);
    match code {
        "LOADING" => wrong(transient(failed("is still loading"))),
        "TRYAGAIN" => usable(transient(failed("is still loading"))),
        "MASTERDOWN" => wrong(transient(failed("is a replica that has lost its primary"))),
        "READONLY" => wrong(permanent(failed("is a replica that can't be written to"))),
        "MOVED" | "ASK" | "CROSSSLOT" | "CLUSTERDOWN" => wrong(permanent(is_cluster_node())),
        "OOM" => usable(permanent(failed("is full (`maxmemory`) and takes no writes"))),
        "MISCONF" => usable(permanent(failed("takes no writes, because it can't save them to its disk"))),
        _ => usable(permanent(failed(&format!("refused: {error}")))),
    }
}

fn classify_connection(error: &RedisError) -> BackendFailure {
    if let Some(distrust) = certificate_error(error) {
        return BackendFailure::Permanent(failed(&format!(
            "is not trusted: {distrust}; its authority must be one of this system's, or in the file that \
             `SSL_CERT_FILE` names"
        )));
    }
    if error.is_connection_refusal() {
        BackendFailure::Transient(failed("can't be reached"))
    } else if error.is_timeout() {
        BackendFailure::Transient(failed("does not answer"))
    } else if error.is_io_error() || error.is_connection_dropped() {
        BackendFailure::Transient(failed("broke the connection"))
    } else {
        BackendFailure::Permanent(failed(&format!("can't be used: {error}")))
    }
}

/// Why TLS rejected the server's certificate, if that is the cause.
fn certificate_error(error: &RedisError) -> Option<String> {
    // The crate wraps the cause in an `Arc`, which is the error's source itself.
    let cause = error.source()?.downcast_ref::<Arc<dyn Error + Send + Sync>>()?;
    match cause.downcast_ref::<io::Error>()?.get_ref()?.downcast_ref()? {
        tls @ rustls::Error::InvalidCertificate(_) => Some(tls.to_string()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use redis::ServerErrorKind;

    /// Whether another attempt may succeed, the message, and the state of the connection.
    fn classified(error: impl Into<RedisError>) -> (bool, String, ConnectionState) {
        let RedisFailure { failure, connection } = classify(&error.into());
        let is_transient = matches!(failure, BackendFailure::Transient(_));
        (is_transient, failure.into_error().to_string().replace("the session store failed: ", ""), connection)
    }

    fn of_server(kind: ServerErrorKind) -> (bool, String, ConnectionState) {
        classified((redis::ErrorKind::Server(kind), "as it says"))
    }

    #[test]
    fn what_passes_by_itself_is_tried_again() {
        let network = |kind: io::ErrorKind| classified(io::Error::from(kind));
        let transient = |message: &str| (true, message.to_owned(), ConnectionState::Broken);
        assert_eq!(network(io::ErrorKind::ConnectionRefused), transient("redis can't be reached"));
        assert_eq!(network(io::ErrorKind::TimedOut), transient("redis does not answer"));
        // A connection that was dropped, and any other failure of the network.
        for kind in [io::ErrorKind::ConnectionReset, io::ErrorKind::Other] {
            assert_eq!(network(kind), transient("redis broke the connection"));
        }
        let (is_transient, message, _) = classified((redis::ErrorKind::UnexpectedReturnType, "as it says"));
        assert!(!is_transient && message.starts_with("redis can't be used: "), "{message}");
        assert!(of_server(ServerErrorKind::BusyLoading).0 && of_server(ServerErrorKind::TryAgain).0);
    }

    #[test]
    fn a_server_that_another_one_has_replaced_is_left() {
        use ServerErrorKind::{Ask, BusyLoading, ClusterDown, CrossSlot, MasterDown, Moved, ReadOnly};
        for kind in [Ask, BusyLoading, ClusterDown, CrossSlot, MasterDown, Moved, ReadOnly] {
            assert_eq!(of_server(kind).2, ConnectionState::WrongServer, "{kind:?}");
        }
        let in_script =
            "Error running script (call to f_1): @user_script:1: -READONLY You can't write against a replica.";
        let of_script = (redis::ErrorKind::Server(ServerErrorKind::ResponseError), "as it says", in_script.to_owned());
        assert_eq!(classified(of_script), of_server(ReadOnly));
        let (is_transient, message, connection) = of_server(ServerErrorKind::NoPerm);
        assert!(!is_transient && connection == ConnectionState::Usable, "{message}");
        assert!(message.starts_with("redis refused: "), "{message}");
    }
}
