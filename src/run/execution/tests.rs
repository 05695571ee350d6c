use tokio::sync::oneshot;

use super::*;

/// Joins an execution. The answer comes to the receiver.
fn join(execution: &Execution, id: Option<&str>) -> oneshot::Receiver<CallerAnswer> {
    let (sender, receiver) = oneshot::channel();
    let receive = Box::new(move |answer| drop(sender.send(answer)));
    assert!(execution.join(id.map(CallId::from), None, receive).is_ok());
    receiver
}

#[tokio::test]
async fn the_last_cancelled_reader_stops_the_handler() {
    let execution = Execution::running(CancellationPolicy::Abort);
    let first = join(&execution, Some("a"));
    let second = join(&execution, Some("b"));
    assert!(execution.cancel("a", "barge-in"));
    assert!(!execution.cancel("a", "again"));
    let Ok(CallerAnswer::Cancelled(cancelled)) = first.await else { panic!("not cancelled") };
    assert_eq!(cancelled.effect, CancellationEffect::Continues);
    assert!(execution.cancel("b", "barge-in"));
    let Ok(CallerAnswer::Cancelled(cancelled)) = second.await else { panic!("not cancelled") };
    assert_eq!(cancelled.effect, CancellationEffect::Aborted);
    assert_eq!(execution.aborted().await, "barge-in");
}

#[tokio::test]
async fn a_number_means_one_caller_of_an_id() {
    let execution = Execution::running(CancellationPolicy::Abort);
    let mut answers = Vec::new();
    for number in [1, 2] {
        let (sender, receiver) = oneshot::channel();
        let receive = Box::new(move |answer| drop(sender.send(answer)));
        assert!(execution.join(Some("call_0".into()), Some(CallerNumber(number)), receive).is_ok());
        answers.push(receiver);
    }
    assert!(!execution.cancel_caller(CallerNumber(3), "closed"));
    assert!(execution.cancel_caller(CallerNumber(1), "closed"));
    let Ok(CallerAnswer::Cancelled(cancelled)) = answers.remove(0).await else { panic!("not cancelled") };
    assert_eq!(cancelled.effect, CancellationEffect::Continues);
    assert!(answers.remove(0).try_recv().is_err(), "the other caller waits");
    assert!(!execution.is_stopping());
}

#[tokio::test]
async fn a_write_that_has_not_begun_is_cancelled_like_any_call() {
    let execution = Execution::waiting(CancellationPolicy::Shield);
    let caller = join(&execution, None);
    assert_eq!(execution.cancel_all("user"), 1);
    let Ok(CallerAnswer::Cancelled(cancelled)) = caller.await else { panic!("not cancelled") };
    assert_eq!(cancelled.effect, CancellationEffect::Aborted);
    assert!(!execution.begin(), "it never begins");
    assert!(Execution::waiting(CancellationPolicy::Shield).begin());
}

#[tokio::test]
async fn a_closed_execution_has_answered_its_callers() {
    let execution = Execution::running(CancellationPolicy::LetFinish);
    let caller = join(&execution, None);
    assert!(futures_util::FutureExt::now_or_never(execution.closed()).is_none(), "it runs");
    execution.close("shutdown");
    let Ok(CallerAnswer::Cancelled(cancelled)) = caller.await else { panic!("not cancelled") };
    assert_eq!((cancelled.reason.as_str(), cancelled.effect), ("shutdown", CancellationEffect::Continues));
    execution.closed().await;
    assert_eq!(execution.aborted().await, "");
    assert!(execution.join(None, None, Box::new(|_| ())).is_err(), "no caller can join it any more");
}

#[tokio::test]
async fn an_execution_is_stopping_until_it_is_closed() {
    let execution = Execution::running(CancellationPolicy::Shield);
    assert!(!execution.is_stopping());
    execution.stop("deadline");
    assert!(execution.is_stopping());
    execution.close("done");
    assert!(!execution.is_stopping());
}

#[tokio::test]
async fn a_started_write_is_shielded() {
    let execution = Execution::running(CancellationPolicy::Shield);
    let caller = join(&execution, None);
    assert_eq!(execution.cancel_all("user"), 1);
    let Ok(CallerAnswer::Cancelled(cancelled)) = caller.await else { panic!("not cancelled") };
    assert_eq!(cancelled.effect, CancellationEffect::Unknown);
    let stopped = tokio::time::timeout(std::time::Duration::from_millis(1), execution.aborted()).await;
    assert!(stopped.is_err(), "a write runs on");
}
