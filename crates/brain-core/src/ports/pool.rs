//! Work that takes the processor, beside the runtime that keeps everybody's turns going.
//!
//! As many jobs run at once as there are processors, and one of each person: what one person sends keeps nobody else
//! waiting for longer than a job of theirs. Invariants: a job that has begun runs to its end, whoever stops waiting for
//! it, and holds its place until then; a panic inside it is the panic of who waits. Not here: how long a job may take,
//! which is counted in what it does.

use std::collections::HashMap;
use std::panic::resume_unwind;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::core::ids::UserId;
use crate::limits::POOL_PEOPLE_KEPT;

/// See the module. One for the whole program.
#[derive(Debug)]
pub struct CpuPool {
    places: Arc<Semaphore>,
    /// Whose job runs or waits.
    people: Mutex<HashMap<UserId, Arc<Semaphore>>>,
}

impl Default for CpuPool {
    fn default() -> Self {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        Self { places: Arc::new(Semaphore::new(processors)), people: Mutex::default() }
    }
}

impl CpuPool {
    /// Runs a job of somebody's once it is their turn.
    pub async fn run<T: Send + 'static>(&self, owner: &UserId, job: impl FnOnce() -> T + Send + 'static) -> T {
        let own = place(self.own(owner)).await;
        let shared = place(self.places.clone()).await;
        let done = tokio::task::spawn_blocking(move || {
            let _places = (own, shared);
            job()
        });
        match done.await.map_err(tokio::task::JoinError::try_into_panic) {
            Ok(done) => done,
            Err(Ok(panic)) => resume_unwind(panic),
            // The runtime ends, and everything that waits with it.
            Err(Err(_)) => std::future::pending().await,
        }
    }

    /// Of each person one after the other.
    fn own(&self, owner: &UserId) -> Arc<Semaphore> {
        let mut people = self.people.lock().unwrap_or_else(PoisonError::into_inner);
        if people.len() >= POOL_PEOPLE_KEPT {
            people.retain(|_, own| Arc::strong_count(own) > 1);
        }
        people.entry(owner.clone()).or_insert_with(|| Arc::new(Semaphore::new(1))).clone()
    }
}

/// A place, once there is one. They are never closed.
async fn place(of: Arc<Semaphore>) -> Option<OwnedSemaphorePermit> {
    of.acquire_owned().await.ok()
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::time::Duration;

    use futures::FutureExt;

    use super::*;

    #[tokio::test]
    async fn one_persons_jobs_run_one_after_the_other_and_nobody_else_waits_for_them() {
        let pool = CpuPool { places: Arc::new(Semaphore::new(2)), people: Mutex::default() };
        let (ann, ben) = (UserId::new("ann"), UserId::new("ben"));
        let (release, held) = mpsc::channel::<()>();
        let mut first = Box::pin(pool.run(&ann, move || held.recv().is_ok()));
        assert!(first.as_mut().now_or_never().is_none());
        let mut second = Box::pin(pool.run(&ann, || true));
        assert!(second.as_mut().now_or_never().is_none(), "it began beside the first");
        assert_eq!(tokio::time::timeout(Duration::from_secs(10), pool.run(&ben, || 7)).await, Ok(7));
        assert!(second.as_mut().now_or_never().is_none());
        release.send(()).unwrap();
        assert!(first.await && second.await);
    }

    #[tokio::test]
    async fn who_stops_waiting_gives_the_place_back_when_the_job_ends() {
        let pool = CpuPool { places: Arc::new(Semaphore::new(1)), people: Mutex::default() };
        let ann = UserId::new("ann");
        let (release, held) = mpsc::channel::<()>();
        let mut given_up = Box::pin(pool.run(&ann, move || held.recv().is_ok()));
        assert!(given_up.as_mut().now_or_never().is_none());
        drop(given_up);
        let mut next = Box::pin(pool.run(&ann, || true));
        assert!(next.as_mut().now_or_never().is_none(), "the job still runs");
        release.send(()).unwrap();
        assert!(next.await);
    }

    #[tokio::test]
    async fn a_panic_is_that_of_who_waits_and_takes_no_place_along() {
        let pool = CpuPool { places: Arc::new(Semaphore::new(1)), people: Mutex::default() };
        let ann = UserId::new("ann");
        let job = std::panic::AssertUnwindSafe(pool.run(&ann, || panic!("in a job")));
        assert!(job.catch_unwind().await.is_err());
        assert_eq!(pool.run(&ann, || 7).await, 7);
    }
}
