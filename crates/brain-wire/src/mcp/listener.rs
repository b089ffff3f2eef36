//! What a server says without being asked: that its tools changed, how far a call is, and questions in the middle of one.
//!
//! Invariants: progress belongs to the call whose token it names, and to no other; a question belongs to a call only
//! where no other can be meant: it is the only one under way, and none was let go lately, whose question could come now.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rmcp::model::{
    ClientConfig, CustomRequest, CustomResult, ElicitRequestParams, ElicitResult, ElicitationAction,
    ElicitationCapability, ErrorCode, ErrorData, FormElicitationCapability, Implementation, ProgressNotificationParam,
    ProgressToken, ProtocolVersion,
};
use rmcp::service::{NotificationContext, RequestContext};
use rmcp::{ClientHandler, RoleClient};
use serde_json::Value;
use tokio::sync::{Notify, watch};

use super::asking::{ASKS, ElicitationForm};
use super::secrets::ServerSecrets;
use brain_core::limits;

/// Hears a server.
#[derive(Debug, Clone)]
pub(super) struct McpListener {
    /// What it was given, and should not be heard saying.
    pub(super) secrets: ServerSecrets,
    /// Its tools are others than before.
    pub(super) changed: Arc<Notify>,
    pub(super) calls: Arc<CallsUnderWay>,
}

/// The calls of one connection that have no answer yet.
#[derive(Debug, Default)]
pub(super) struct CallsUnderWay(Mutex<OpenCalls>);

#[derive(Debug, Default)]
struct OpenCalls {
    begun: u64,
    open: Vec<OpenCall>,
    /// When one was let go: for a while what it asks may still come.
    strayed: Option<Instant>,
}

#[derive(Debug)]
struct OpenCall {
    id: u64,
    token: Option<ProgressToken>,
    progress: watch::Sender<String>,
    answers: Vec<(ElicitationForm, Value)>,
    /// In the order of the server's own ids: they arrive side by side.
    asked: BTreeMap<RequestKey, ElicitationForm>,
    is_unclear: bool,
}

/// A call under way, until this is dropped.
#[derive(Debug)]
pub(super) struct CallUnderWay<'a> {
    calls: &'a CallsUnderWay,
    id: u64,
    is_answered: bool,
}

impl CallsUnderWay {
    fn calls(&self) -> MutexGuard<'_, OpenCalls> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins one, with what it can answer.
    pub(super) fn begin(
        &self,
        progress: watch::Sender<String>,
        answers: Vec<(ElicitationForm, Value)>,
    ) -> CallUnderWay<'_> {
        let mut calls = self.calls();
        calls.begun += 1;
        let id = calls.begun;
        calls.open.push(OpenCall { id, token: None, progress, answers, asked: BTreeMap::new(), is_unclear: false });
        CallUnderWay { calls: self, id, is_answered: false }
    }

    /// A question of the older protocol, by the server's id of it: what it is told.
    fn asked(&self, id: RequestKey, asked: Value) -> ElicitResult {
        let mut calls = self.calls();
        let late = Duration::from_secs(limits::MCP_STRAY_SECS);
        let has_strays = calls.strayed.is_some_and(|at| at.elapsed() < late);
        let form = ElicitationForm::new(None, asked);
        match calls.open.as_mut_slice() {
            [only] if !has_strays => {
                if let Some(at) = only.answers.iter().position(|(known, _)| *known == form) {
                    // Once: who asks the same again was not content with it.
                    let (_, content) = only.answers.swap_remove(at);
                    return ElicitResult::new(ElicitationAction::Accept).with_content(content);
                }
                let is_new = only.asked.values().all(|known| *known != form);
                if only.asked.len() < limits::MCP_ASKED_FORMS_MAX && is_new {
                    only.asked.insert(id, form);
                }
            }
            several => several.iter_mut().for_each(|call| call.is_unclear = true),
        }
        ElicitResult::new(ElicitationAction::Cancel)
    }
}

/// A server's id of a request, as text behind its length: `9` and `asked-9` come before `10` and `asked-10`.
type RequestKey = (usize, String);

fn id_of(context: &RequestContext<RoleClient>) -> RequestKey {
    let id = context.id.to_string();
    (id.len(), id)
}

impl CallUnderWay<'_> {
    /// The token by which its progress is told.
    pub(super) fn is_told_by(&self, token: ProgressToken) {
        if let Some(call) = self.calls.calls().open.iter_mut().find(|call| call.id == self.id) {
            call.token = Some(token);
        }
    }

    /// It has its answer; what was asked meanwhile, and whether something was that is not about it for certain.
    pub(super) fn end(mut self) -> (Vec<ElicitationForm>, bool) {
        self.is_answered = true;
        let calls = self.calls.calls();
        let call = calls.open.iter().find(|call| call.id == self.id);
        call.map(|call| (call.asked.values().cloned().collect(), call.is_unclear)).unwrap_or_default()
    }
}

impl Drop for CallUnderWay<'_> {
    fn drop(&mut self) {
        let mut calls = self.calls.calls();
        calls.open.retain(|call| call.id != self.id);
        if !self.is_answered {
            calls.strayed = Some(Instant::now());
        }
    }
}

impl McpListener {
    pub(super) fn new(secrets: ServerSecrets) -> Self {
        Self { secrets, changed: Arc::default(), calls: Arc::default() }
    }
}

impl ClientHandler for McpListener {
    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.changed.notify_one();
    }

    async fn on_progress(&self, said: ProgressNotificationParam, _: NotificationContext<RoleClient>) {
        let part =
            said.total.filter(|total| *total > 0.0).map(|total| format!("{:.0} %", 100.0 * said.progress / total));
        let message = said.message.map(|words| self.secrets.masked(&words));
        let words = [part, message].into_iter().flatten().collect::<Vec<_>>().join(": ");
        let calls = self.calls.calls();
        if let Some(call) = calls.open.iter().find(|call| call.token.as_ref() == Some(&said.progress_token)) {
            call.progress.send_replace(words);
        }
    }

    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        context: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        Ok(self.calls.asked(id_of(&context), serde_json::to_value(request).unwrap_or_default()))
    }

    /// A question that the library cannot read arrives here.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleClient>,
    ) -> Result<CustomResult, ErrorData> {
        if request.method != ASKS {
            return Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, request.method, None));
        }
        let told = self.calls.asked(id_of(&context), request.params.unwrap_or_default());
        Ok(CustomResult::new(serde_json::to_value(told).unwrap_or_default()))
    }

    fn get_info(&self) -> ClientConfig {
        let mut info = ClientConfig::default();
        info.client_info = Implementation::new("brain-agent", env!("CARGO_PKG_VERSION"));
        // Where there is a greeting; the newer protocol has none.
        info.protocol_version = ProtocolVersion::V_2025_11_25;
        info.capabilities.elicitation = Some(ElicitationCapability::new().with_form(FormElicitationCapability::new()));
        info
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn id(number: usize) -> RequestKey {
        (1, number.to_string())
    }

    fn question(message: &str) -> Value {
        json!({"message": message, "requestedSchema": {"type": "object", "properties": {}}})
    }

    #[test]
    fn a_question_is_answered_once_and_only_by_the_call_that_brings_its_answer() {
        let calls = CallsUnderWay::default();
        let form = ElicitationForm::new(None, question("Who?"));
        let call = calls.begin(watch::Sender::default(), vec![(form.clone(), json!({"name": "Ana"}))]);
        assert_eq!(calls.asked(id(1), question("Who else?")).action, ElicitationAction::Cancel);
        assert_eq!(calls.asked(id(2), question("Who?")).content, Some(json!({"name": "Ana"})));
        assert_eq!(
            calls.asked(id(3), question("Who?")).action,
            ElicitationAction::Cancel,
            "it was not content with that"
        );
        let asked: Vec<ElicitationForm> =
            ["Who else?", "Who?"].map(|message| ElicitationForm::new(None, question(message))).into();
        assert_eq!(call.end(), (asked, false));
        assert_eq!(calls.asked(id(4), question("Who?")).action, ElicitationAction::Cancel, "nobody's call");
    }

    #[test]
    fn what_may_be_asked_about_another_call_is_asked_of_nobody() {
        let calls = CallsUnderWay::default();
        let begin = || calls.begin(watch::Sender::default(), Vec::new());
        let (one, other) = (begin(), begin());
        calls.asked(id(5), question("Which?"));
        assert_eq!(one.end(), (Vec::new(), true));
        drop(other);
        let later = begin();
        calls.asked(id(6), question("Which?"));
        assert_eq!(later.end(), (Vec::new(), true), "the one that was let go may still ask");
    }
}
