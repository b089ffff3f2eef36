//! What is looked at, and one look with its limit.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;
use tokio::time::timeout;

use super::check::Check;
use crate::config::Config;
use brain_core::limits;
use brain_wire::accounts::{AccountConfig, AccountProbe};

/// What is looked at.
#[derive(Debug, Clone)]
pub struct Subjects {
    /// Everything that is configured.
    pub config: Config,
    /// The accounts of people.
    pub accounts: Vec<AccountConfig>,
    /// Who looks at their servers.
    pub probe: Arc<dyn AccountProbe>,
    /// Where `.env` lies.
    pub working_dir: PathBuf,
    /// How long the checks may take.
    pub limits: CheckLimits,
}

/// How long checks may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CheckLimits {
    /// Each.
    pub check: Duration,
    /// The question to a model.
    pub model: Duration,
    /// The start of a server that brings tools.
    pub server: Duration,
}

impl Default for CheckLimits {
    fn default() -> Self {
        let [check, model, server] =
            [limits::CHECK_MS, limits::CHECK_MODEL_MS, limits::CHECK_SERVER_MS].map(Duration::from_millis);
        Self { check, model, server }
    }
}

/// Something that is looked at, beside everything else.
pub(super) struct CheckJob<'a> {
    /// What its lines begin with.
    pub(super) name: String,
    limit: Duration,
    /// What to do when it takes longer.
    advice: &'static str,
    work: BoxFuture<'a, Vec<Check>>,
}

impl<'a> CheckJob<'a> {
    pub(super) fn new(
        name: impl Into<String>,
        limit: Duration,
        advice: &'static str,
        work: impl Future<Output = Vec<Check>> + Send + 'a,
    ) -> Self {
        Self { name: name.into(), limit, advice, work: Box::pin(work) }
    }

    pub(super) async fn run(self) -> Vec<Check> {
        let Self { name, limit, advice, work } = self;
        match timeout(limit, work).await {
            Ok(checks) => checks,
            Err(_) => vec![Check::error(name, format!("did not answer in {}", secs(limit))).advised(advice)],
        }
    }
}

/// `10 s`, `0.3 s`.
pub(super) fn secs(length: Duration) -> String {
    format!("{} s", length.as_secs_f64())
}
