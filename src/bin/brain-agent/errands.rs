//! Commands with one answer: done here where nobody holds the store, otherwise through the process that does.

use std::process::ExitCode;

use brain_agent::admin::looks::{self, OperatorView};
use brain_agent::admin::{self, Request};
use brain_agent::app::{self, StartError};
use brain_agent::channel::console::Session;
use brain_agent::channel::console::terminal::{self, TerminalSink, shared};
use brain_agent::channel::control::Client;
use brain_agent::clock::SystemClock;
use brain_agent::config::{self, Config};
use brain_agent::core::people::ConsoleUser;
use brain_agent::core::text::visible;
use brain_agent::eval;
use brain_agent::language::requests;
use brain_agent::language::requests::{ParseInput, Understood};
use brain_agent::language::routing::{self, Kind};
use brain_agent::language::time::{DateOrder, Reference};
use brain_agent::ports::{Clock, StoreError};
use brain_agent::services::across::filling::BUILDERS;

use crate::cli::{EvalArgs, Verb};
use crate::logs::Logs;
use crate::remote::wait_for_done;
use crate::runtime::{Runtime, RuntimeParts};

pub(crate) async fn ask(config: &Config, text: &str, user: &ConsoleUser, logs: &Logs) -> anyhow::Result<ExitCode> {
    logs.go_to_file(&config.data_dir);
    let line = serde_json::json!({"text": text}).to_string();
    let (_, sink) = shared(TerminalSink::default());
    let done = match Runtime::open(config, RuntimeParts::by(config)).await {
        Ok(mut runtime) => {
            runtime.await_servers().await;
            runtime.catch_up(&user.id()).await;
            let session = Session::open(runtime.brain.clone(), runtime.console.clone(), sink, None, user.clone()).await;
            let done = session.line(&runtime.console.line(line)).await;
            drop(session);
            runtime.close(&config.data_dir).await;
            serde_json::to_value(done)?
        }
        Err(StartError::Store(locked @ StoreError::Locked { .. })) => {
            let Ok(mut client) = Client::connect(&config.data_dir).await else {
                return Err(locked.into());
            };
            client.console(user).await?;
            client.send_raw(&line).await?;
            wait_for_done(&mut client, &sink, false).await?
        }
        Err(error) => return Err(error.into()),
    };
    Ok(exit_code(&done))
}

/// What built-in understanding makes of a message that follows nothing. Nothing is done, and nothing is kept.
pub(crate) fn explain(config: &Config, text: &str) -> ExitCode {
    use std::io::Write as _;
    let zone = app::zone(config);
    let order = DateOrder::usual_in(zone);
    let reference = Reference { now: SystemClock::new().now(), zone, order };
    let hearing = ParseInput::new(text, &reference, BUILDERS);
    let guess = routing::route(&hearing);
    let understood = requests::plan(&hearing, &guess.domains);
    let mut told = super::explain::explain(&understood);
    if guess.kind == Kind::Chat && understood != Understood::SmallTalk {
        told.push_str("routed: to no service, so nothing of it is done\n");
        if let Some(order) = requests::order(text, &reference) {
            told.push_str(&format!("offered as a task: {order}\n"));
        }
    }
    if !config.models.is_empty() {
        told.push_str(
            "note: a language model is set up and plans; this is what is understood when it can't be reached\n",
        );
    }
    let _ = write!(std::io::stdout().lock(), "{}", visible(&told));
    ExitCode::SUCCESS
}

/// 0 fine, 1 something failed, 3 something waits for consent.
fn exit_code(done: &serde_json::Value) -> ExitCode {
    let statuses: Vec<&str> =
        done["outcomes"].as_array().into_iter().flatten().filter_map(|o| o["status"].as_str()).collect();
    if done["path"] == "error" || statuses.iter().any(|s| ["failed", "unknown", "refused"].contains(s)) {
        ExitCode::from(1)
    } else if statuses.contains(&"pending") {
        ExitCode::from(3)
    } else {
        ExitCode::SUCCESS
    }
}

pub(crate) async fn pending(config: &Config, verb: Verb, json: bool) -> anyhow::Result<ExitCode> {
    let request = match verb {
        Verb::List => Request::List,
        Verb::Show { id } => Request::Show { id },
        Verb::Cancel { id } => Request::Cancel { id },
        Verb::Approve { id, digest, digest_option } => Request::Approve { id, digest: digest.or(digest_option) },
    };
    let here = async |runtime: &mut Runtime| {
        if matches!(request, Request::Approve { .. }) {
            runtime.await_servers().await;
        }
        admin::handle(&runtime.brain, &request).await
    };
    answered(&by_whoever_holds_the_store(config, serde_json::to_value(&request)?, here).await?, json)
}

/// What is only looked at.
pub(crate) async fn look(config: &Config, what: OperatorView, json: bool) -> anyhow::Result<ExitCode> {
    let here = async |runtime: &mut Runtime| looks::look(&runtime.brain, what).await;
    answered(&by_whoever_holds_the_store(config, serde_json::to_value(what)?, here).await?, json)
}

/// Takes the last kept turns again, one after the other, and tells of each as it is over.
pub(crate) async fn replay(config: &Config, limit: usize, json: bool) -> anyhow::Result<ExitCode> {
    let until = SystemClock::new().now();
    for taken in 0..limit {
        let what = OperatorView::Replay { limit, until, taken };
        let here = async |runtime: &mut Runtime| looks::look(&runtime.brain, what).await;
        let response = by_whoever_holds_the_store(config, serde_json::to_value(what)?, here).await?;
        if !response.ok {
            return answered(&response, json);
        }
        if response.records.is_empty() {
            let none = taken == 0 && !json;
            return if none { answered(&response, json) } else { Ok(ExitCode::SUCCESS) };
        }
        show_response(&response, json);
    }
    Ok(ExitCode::SUCCESS)
}

/// Done here where nobody holds the store, else asked of the process that does.
async fn by_whoever_holds_the_store(
    config: &Config,
    request: serde_json::Value,
    here: impl AsyncFnOnce(&mut Runtime) -> admin::Response,
) -> anyhow::Result<admin::Response> {
    match Runtime::open(config, RuntimeParts::by(config)).await {
        Ok(mut runtime) => {
            let response = here(&mut runtime).await;
            runtime.close(&config.data_dir).await;
            Ok(response)
        }
        Err(StartError::Store(locked @ StoreError::Locked { .. })) => match Client::connect(&config.data_dir).await {
            Ok(client) => Ok(client.request(&request).await?),
            Err(_) => Err(locked.into()),
        },
        Err(error) => Err(error.into()),
    }
}

pub(crate) fn answered(response: &admin::Response, json: bool) -> anyhow::Result<ExitCode> {
    show_response(response, json);
    Ok(if response.ok { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

fn show_response(response: &admin::Response, json: bool) {
    use std::io::Write as _;
    let mut stdout = std::io::stdout().lock();
    if json {
        for record in &response.records {
            let _ = writeln!(stdout, "{record}");
        }
        if !response.ok {
            eprintln!("brain-agent: {}", visible(&response.text));
        }
    } else if response.ok {
        let _ = writeln!(stdout, "{}", terminal::on_screen(&response.text));
    } else {
        eprintln!("brain-agent: {}", visible(&response.text));
    }
}

/// Figures are no failure, however bad: 0 when there are any.
pub(crate) async fn evaluate(config: &Config, args: &EvalArgs) -> anyhow::Result<ExitCode> {
    use std::io::Write as _;
    let who = if args.built_in { eval::Who::BuiltIn } else { eval::Who::Configured };
    let beside = beside(args)?;
    let sample = args.sample.map(|size| eval::Sample { size, seed: args.seed });
    let order = eval::EvalRequest { what: args.what, file: &args.file, who, sample };
    let mut report = eval::run(&order, config, beside.as_ref()).await?;
    if !args.errors {
        report.beside.iter_mut().for_each(|column| column.errors.clear());
    }
    let misses = std::mem::take(&mut report.errors);
    let misses = if args.errors { misses } else { Vec::new() };
    let mut stdout = std::io::stdout().lock();
    if args.json {
        report.errors = misses;
        writeln!(stdout, "{}", serde_json::to_string(&report)?)?;
        return Ok(ExitCode::SUCCESS);
    }
    write!(stdout, "{}", report.to_text())?;
    if !misses.is_empty() {
        writeln!(stdout)?;
    }
    for miss in &misses {
        writeln!(stdout, "{miss}")?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The second configuration of an evaluation, if one is asked for.
fn beside(args: &EvalArgs) -> anyhow::Result<Option<eval::ComparedConfig>> {
    if args.beside.is_empty() && !args.ungrounded {
        return Ok(None);
    }
    let mut over = Vec::new();
    for given in &args.beside {
        let Some((key, value)) = given.split_once('=') else {
            anyhow::bail!("--beside takes KEY=VALUE, such as LLM_MODEL=another");
        };
        over.push((key.to_owned(), value.to_owned()));
    }
    let settings = over.iter().map(|(key, value)| config::shown(key, value));
    let label: Vec<String> = settings.chain(args.ungrounded.then(|| "ungrounded".to_owned())).collect();
    let config = Config { grounds_plans: !args.ungrounded, ..Config::load_with(over)? };
    Ok(Some(eval::ComparedConfig { label: label.join(" "), config }))
}
