//! Claims that enough replicas must have before a write's handler starts.

use tokio::time::Instant;

use super::keys::SessionKeys;
use super::{RedisBackend, ReplicaWait, to_ms};
use crate::call::SessionId;
use crate::store::error::StoreError;
use crate::store::shared::backend::BackendFailure;
use crate::store::shared::backoff::try_until;
use crate::store::shared::job::StoreJob;
use crate::store::shared::probe::is_probe;
use crate::store::shared::versioned_session::VersionedSession;

impl RedisBackend {
    /// Commits a session, and revokes the jobs whose claim too few replicas have.
    pub(super) async fn write_claims(
        &self,
        id: &SessionId,
        keys: &SessionKeys,
        session: VersionedSession,
        jobs: &mut [Box<StoreJob>],
        until: Instant,
    ) -> Result<(), BackendFailure> {
        self.write_session(id, keys, session, until).await?;
        let wanted = self.options.replicas.count;
        if wanted == 0 || !jobs.iter().any(|job| needs_replicas(job)) {
            return Ok(());
        }
        let replicas = self.wait_for_replicas(keys, until).await?;
        if replicas < wanted {
            let lack = format!("{replicas} of {wanted} replicas have the claim in time");
            tracing::warn!(lack, "a write was refused");
            let waiting = jobs.iter_mut().filter(|job| needs_replicas(job));
            waiting.for_each(|job| job.revoke(StoreError::SessionFailed(lack.clone())));
        }
        Ok(())
    }

    /// The number of replicas that have the commit in time. `WAIT` is about the writes of its own connection, which may be
    /// another one than the commit's; replicas apply writes in their order, so one more write is waited for. It must
    /// not renew the session's key, by whose expiry a commit decides whether to renew the others.
    async fn wait_for_replicas(&self, keys: &SessionKeys, until: Instant) -> Result<u32, BackendFailure> {
        let ReplicaWait { count, timeout } = self.options.replicas;
        // The connection gives up after a quarter.
        let timeout = timeout.min(self.options.shared.operation_timeout / 5);
        let mut commands = redis::pipe();
        commands.cmd("PEXPIRE").arg(&keys.commits).arg(self.options.shared.idle_ms()).ignore();
        commands.cmd("WAIT").arg(count).arg(to_ms(timeout).max(1));
        let (replicas,) = try_until(until, async || self.connections.query_pipeline::<(u32,)>(&commands).await).await?;
        Ok(replicas)
    }
}

/// Whether a job is revoked if too few replicas have it: the claim of a write, and what asks whether such a claim is taken.
fn needs_replicas(job: &StoreJob) -> bool {
    job.operation().needs_replicas() || is_probe(job)
}
