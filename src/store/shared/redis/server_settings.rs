//! The server's settings that decide whether it keeps what it is given: read once a connection.
//!
//! A server that evicts keys, or that loses the last writes when it stops, forgets calls that have run; they could then
//! run again.

use crate::store::error::StoreError;
use redis::aio::MultiplexedConnection;
use redis::{ErrorKind, RedisError, ServerErrorKind};

/// The settings as the server names them.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct ServerSettings {
    maxmemory_policy: String,
    save: String,
    appendonly: String,
    appendfsync: String,
}

impl ServerSettings {
    /// Reads the settings. `None` if the server or the user's rights do not allow it.
    pub(super) async fn read(connection: &mut MultiplexedConnection) -> Result<Option<Self>, RedisError> {
        let mut settings = Self::default();
        let values = [
            ("maxmemory-policy", &mut settings.maxmemory_policy),
            ("save", &mut settings.save),
            ("appendonly", &mut settings.appendonly),
            ("appendfsync", &mut settings.appendfsync),
        ];
        for (name, value) in values {
            let read = redis::cmd("CONFIG").arg("GET").arg(name).query_async::<Vec<String>>(connection).await;
            match read {
                // A name and its value.
                Ok(pair) => *value = pair.into_iter().nth(1).unwrap_or_default(),
                Err(error) if is_forbidden(&error) => return Ok(None),
                Err(error) => return Err(error),
            }
        }
        Ok(Some(settings))
    }

    /// Logs what the server may forget.
    ///
    /// # Errors
    /// If the server evicts keys, unless `allow_eviction`.
    pub(super) fn check(&self, allow_eviction: bool) -> Result<(), StoreError> {
        if let Some(problem) = self.eviction_problem() {
            if !allow_eviction {
                return Err(StoreError::Failed(format!(
                    "{problem}; set `maxmemory-policy noeviction`, or accept it with `allowEviction`"
                )));
            }
            tracing::warn!("{problem}");
        }
        if let Some(problem) = self.durability_problem() {
            tracing::warn!("{problem}");
        }
        Ok(())
    }

    /// What the server forgets if its memory is full.
    fn eviction_problem(&self) -> Option<String> {
        let policy = &self.maxmemory_policy;
        (policy != "noeviction").then(|| {
            format!("redis evicts keys (`maxmemory-policy {policy}`), and a call that it forgets can run twice")
        })
    }

    /// What the server forgets if it stops.
    fn durability_problem(&self) -> Option<String> {
        let Self { save, appendonly, appendfsync, .. } = self;
        match (appendonly.as_str(), appendfsync.as_str(), save.as_str()) {
            ("yes", "no", _) => Some(
                "redis leaves writing to the system (`appendfsync no`): a crash can forget many seconds".to_owned(),
            ),
            ("yes", _, _) => None,
            (_, _, "") => Some(
                "redis writes nothing to disk (`save \"\"`, `appendonly no`): a restart forgets all calls".to_owned(),
            ),
            _ => Some(format!(
                "redis writes snapshots only (`save {save}`): a crash forgets the calls since the last one"
            )),
        }
    }

    /// The reasons for which the server may forget calls.
    pub(super) fn problems(&self) -> Vec<String> {
        [self.eviction_problem(), self.durability_problem()].into_iter().flatten().collect()
    }

    /// The setting `maxmemory-policy`.
    pub(super) fn eviction_policy(&self) -> &str {
        &self.maxmemory_policy
    }

    /// The settings that decide what a restart loses.
    pub(super) fn persistence(&self) -> String {
        let Self { save, appendonly, appendfsync, .. } = self;
        format!("appendonly {appendonly}, appendfsync {appendfsync}, save \"{save}\"")
    }
}

/// Whether the server is a node of a cluster, which refuses to read an installation's key and a session together: their keys
/// are of different slots. False if the server does not say.
pub(super) async fn is_cluster_node(connection: &mut MultiplexedConnection) -> Result<bool, RedisError> {
    match redis::cmd("INFO").arg("cluster").query_async::<String>(connection).await {
        Ok(info) => Ok(info.lines().any(|line| line == "cluster_enabled:1")),
        Err(error) if is_forbidden(&error) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Whether the server does not know a command, or refuses it to this user.
fn is_forbidden(error: &RedisError) -> bool {
    let by_rights = matches!(error.kind(), ErrorKind::Server(ServerErrorKind::NoPerm));
    by_rights || error.detail().is_some_and(|detail| detail.contains("unknown command"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(policy: &str) -> ServerSettings {
        ServerSettings {
            maxmemory_policy: policy.to_owned(),
            save: String::new(),
            appendonly: "yes".to_owned(),
            appendfsync: "everysec".to_owned(),
        }
    }

    #[test]
    fn a_server_that_evicts_is_refused_unless_that_is_accepted() {
        assert_eq!(settings("noeviction").check(false), Ok(()));
        for policy in ["allkeys-lru", "volatile-ttl"] {
            let Err(StoreError::Failed(message)) = settings(policy).check(false) else { panic!("`{policy}` is used") };
            assert!(message.contains(&format!("`maxmemory-policy {policy}`")), "{message}");
            assert_eq!(settings(policy).check(true), Ok(()));
        }
    }

    #[test]
    fn what_a_stop_loses_depends_on_the_settings_of_persistence() {
        let problem = |appendonly: &str, appendfsync: &str, save: &str| {
            let settings = ServerSettings {
                save: save.to_owned(),
                appendonly: appendonly.to_owned(),
                appendfsync: appendfsync.to_owned(),
                ..settings("noeviction")
            };
            assert_eq!(settings.problems(), Vec::from_iter(settings.durability_problem()));
            settings.durability_problem()
        };
        for appendfsync in ["always", "everysec"] {
            assert_eq!(problem("yes", appendfsync, ""), None);
        }
        let contains = |problem: Option<String>, text: &str| problem.is_some_and(|problem| problem.contains(text));
        assert!(contains(problem("yes", "no", "3600 1"), "`appendfsync no`"));
        assert!(contains(problem("no", "everysec", ""), "writes nothing to disk"));
        assert!(contains(problem("no", "no", "3600 1"), "snapshots only (`save 3600 1`)"));
    }

    #[test]
    fn a_report_names_all_settings_and_problems() {
        let settings = ServerSettings { appendonly: "no".to_owned(), ..settings("allkeys-lru") };
        assert_eq!(settings.persistence(), "appendonly no, appendfsync everysec, save \"\"");
        assert_eq!(settings.eviction_policy(), "allkeys-lru");
        let problems = settings.problems();
        assert!(
            problems.len() == 2 && problems[0].contains("evicts") && problems[1].contains("forgets all"),
            "{problems:?}"
        );
    }
}
