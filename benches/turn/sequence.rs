//! The alternative to the pipeline: the same stages, one after another.
//!
//! The same fetches and the same calls through the same clients, each begun when the one before has ended.
//! It commits nothing and plans nothing, which is in its favour.

use std::sync::Arc;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use brain_agent::core::ids::UserId;
use brain_agent::ports::Call;
use brain_agent::services::catalog::registry::{Registration, Registry};
use brain_agent::services::contract::context::RequestContext;
use brain_agent::services::contract::error::ServiceError;
use brain_agent::services::contract::service::{ContextRequest, ContextRole, Noticed, Service};

use crate::world::World;

/// Fetches the context, then makes these calls.
pub async fn run(world: &World, user: &str, message: &str, calls: &[Call]) -> Duration {
    let chat = World::chat(user);
    let person = world.brain.user(&UserId::new(user), &chat).await.expect("a person");
    let ctx = world.brain.request_context(&person, &chat);
    let client = world.asked.client();
    let began = Instant::now();
    for registration in world.brain.services.now().iter() {
        let wanted = ContextRequest { message: message.to_owned(), limit: 10, in_sight_from: None };
        let _ = registration.service.notice(&ctx, &wanted).await;
    }
    for call in calls {
        client.complete(call.clone(), None).await.expect("an answer");
    }
    began.elapsed()
}

/// The same services, each so far away.
pub fn remote(services: &Registry, takes: Duration) -> Registry {
    let remote = |registration: &Arc<Registration>| {
        let mut registration = Registration::clone(registration);
        registration.service = Arc::new(Remote { inner: registration.service, takes });
        registration
    };
    Registry::new(services.now().iter().map(remote))
}

/// A service that is somewhere else: what it notices takes a while to arrive.
#[derive(Debug)]
struct Remote {
    inner: Arc<dyn Service>,
    takes: Duration,
}

#[async_trait]
impl Service for Remote {
    fn context_role(&self) -> ContextRole {
        self.inner.context_role()
    }

    async fn notice(&self, ctx: &RequestContext, wanted: &ContextRequest) -> Result<Vec<Noticed>, ServiceError> {
        tokio::time::sleep(self.takes).await;
        self.inner.notice(ctx, wanted).await
    }
}
