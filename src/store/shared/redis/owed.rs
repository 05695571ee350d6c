//! The sessions that owe a result, oldest first.

use redis::Script;

use super::connection::RedisConnections;
use super::keys::{OWED_KEY, SessionKeys};
use super::{ServerTime, to_epoch_ms};
use crate::clock::EpochMs;
use crate::store::shared::backend::BackendFailure;

/// The number of sessions that are looked at in one step.
const SESSIONS_PER_STEP: usize = 100;

/// Forgets sessions that have expired. `KEYS[1]` the sessions that owe results, then the keys of sessions; `ARGV` their names.
const FORGET_SCRIPT: &str = "
for at, name in ipairs(ARGV) do
  if redis.call('EXISTS', KEYS[at + 1]) == 0 then redis.call('ZREM', KEYS[1], name) end
end
";

/// Since when the oldest result of a session that is there is owed, and the server's time. Forgets the sessions before it, which
/// have expired.
pub(super) async fn since(connections: &RedisConnections) -> Result<(Option<EpochMs>, EpochMs), BackendFailure> {
    let mut first = redis::pipe();
    first.cmd("TIME");
    first.cmd("ZRANGE").arg(OWED_KEY).arg(0).arg(SESSIONS_PER_STEP - 1).arg("WITHSCORES");
    loop {
        let (time, owing): (ServerTime, Vec<(String, EpochMs)>) = connections.query_pipeline(&first).await?;
        let now = to_epoch_ms(time);
        if owing.is_empty() {
            return Ok((None, now));
        }
        let keys: Vec<String> = owing.iter().map(|(tag, _)| SessionKeys::for_tag(tag).session).collect();
        let mut exist = redis::pipe();
        for key in &keys {
            exist.cmd("EXISTS").arg(key);
        }
        let found: Vec<bool> = connections.query_pipeline(&exist).await?;
        let gone = found.iter().take_while(|is_there| !**is_there).count();
        if gone > 0 {
            let script = Script::new(FORGET_SCRIPT);
            let mut forget = script.key(OWED_KEY);
            for ((tag, _), key) in owing.iter().zip(&keys).take(gone) {
                forget.key(key).arg(tag);
            }
            connections.invoke::<()>(&forget).await?;
        }
        if let Some((_, since)) = owing.get(gone) {
            return Ok((Some(*since), now));
        }
    }
}
