//! The alternative to the pipeline: the same stages, one after another.
//!
//! The same fetches and the same calls through the same clients, each begun when the one before has ended.
//! It commits nothing and plans nothing, which is in its favour.

use std::sync::Arc;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use brain_agent::core::ids::UserId;
use brain_agent::core::plan::Params;
use brain_agent::core::stakes::Authorized;
use brain_agent::ports::Call;
use brain_agent::services::service::{
    Attempt, Noticed, Performed, Prepared, RequestContext, Service, ServiceError, Wanted,
};

use crate::world::World;

/// Fetches the context, then makes these calls.
pub async fn run(world: &World, user: &str, message: &str, calls: &[Call]) -> Duration {
    let chat = World::chat(user);
    let person = world.brain.user(&UserId::new(user), &chat).await.expect("a person");
    let ctx = world.brain.request_context(&person, &chat);
    let client = world.asked.client();
    let began = Instant::now();
    for service in &world.brain.services {
        let wanted = Wanted { message: message.to_owned(), limit: 10 };
        let _ = service.notice(&ctx, &wanted).await;
    }
    for call in calls {
        client.complete(call.clone(), None).await.expect("an answer");
    }
    began.elapsed()
}

/// A service that is somewhere else: what it notices takes a while to arrive.
#[derive(Debug)]
pub struct Remote {
    pub inner: Arc<dyn Service>,
    pub takes: Duration,
}

#[async_trait]
impl Service for Remote {
    fn name(&self) -> &'static str {
        self.inner.name()
    }

    async fn prepare(&self, ctx: &RequestContext, command: &str, params: Params) -> Result<Prepared, ServiceError> {
        self.inner.prepare(ctx, command, params).await
    }

    async fn perform(&self, ctx: &RequestContext, authorized: &Authorized, attempt: &Attempt) -> Performed {
        self.inner.perform(ctx, authorized, attempt).await
    }

    async fn notice(&self, ctx: &RequestContext, wanted: &Wanted) -> Result<Vec<Noticed>, ServiceError> {
        tokio::time::sleep(self.takes).await;
        self.inner.notice(ctx, wanted).await
    }
}
