//! A service of one's own, in one file: what a service brings, and the one line that registers it.
//!
//! It has two commands. `forecast` asks a server elsewhere, so its parameters leave the machine: a place that was taken
//! from somebody else's text needs a yes. `set_home` keeps the place that is meant when none is named.
//!
//! ```sh
//! cargo run --example weather -- "what's the weather in Lisbon tomorrow?"
//! WEATHER_URL=http://127.0.0.1:8099/forecast cargo run --example weather -- "set my weather home to Porto"
//! ```
//!
//! `WEATHER_URL` answers `GET ?place=…&day=…` with `{"summary": "light rain", "high_c": 17}`.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use brain_agent::app::{self, Parts};
use brain_agent::channel::console::terminal::TerminalSink;
use brain_agent::channel::console::{ConsoleChannel, Session};
use brain_agent::clock::SystemClock;
use brain_agent::config::Config;
use brain_agent::core::card::CardBody;
use brain_agent::core::ids::{MessageId, UserId};
use brain_agent::core::people::ConsoleUser;
use brain_agent::core::plan::{ActingAccount, Action};
use brain_agent::core::stakes::Stakes;
use brain_agent::services::catalog::registry::Registration;
use brain_agent::services::contract::command::{
    Base, Command, Completed, Effect, Handle, Invocation, PastTimes, Receipt, Slot, Subject,
};
use brain_agent::services::contract::error::ServiceError;
use brain_agent::services::contract::service::{Service, ServiceInfo};
use brain_agent::services::contract::show;
use brain_agent::store::MemoryStore;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Everyday ways of asking, for when no model is there. A slot is a parameter.
const PHRASES: &str = "
forecast
  (what is|what's|whats|how is|how's) the weather [like] [in {place}]
  (what is|what's|whats|how is|how's) the weather [like] [in {place}] {day:time}
  (weather|weather forecast|forecast) (in|for) {place}
set_home
  set my weather home to {place}
";

/// How long the server may take.
const TIMEOUT: Duration = Duration::from_secs(5);

/// The weather, from a server elsewhere.
#[derive(Debug)]
pub struct Weather {
    server: String,
    client: reqwest::Client,
    homes: Mutex<HashMap<UserId, String>>,
}

/// The service with its commands: what a program registers.
pub fn registration(server: &str) -> Registration {
    let client = reqwest::Client::new();
    let weather = Weather { server: server.to_owned(), client, homes: Mutex::default() };
    let info = ServiceInfo::new("weather", "Weather", "weather forecasts for a place", "the weather");
    Registration::of(info, Arc::new(weather)).command::<Forecast>().command::<SetHome>().phrases(PHRASES).end()
}

impl Service for Weather {}

/// The weather at a place, on a day.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Forecast {
    /// A town; the person's own when they name none.
    place: Option<String>,
    /// A day in the person's own words; today when none is named.
    day: Option<String>,
}

/// What the server says.
#[derive(Debug, Serialize, Deserialize)]
pub struct Outlook {
    /// Of which place.
    #[serde(default)]
    place: String,
    /// In a few words: "light rain".
    summary: String,
    /// The highest temperature, in degrees Celsius.
    high_c: i32,
}

impl Command for Forecast {
    type Output = Outlook;

    const NAME: &'static str = "forecast";
    const SUMMARY: &'static str = "look up the weather";
    const EXAMPLE: &'static str = "What's the weather in Lisbon?";
    const STATUS: &'static str = "Looking out of the window…";
    const STAKES: Stakes = Stakes::Low;
    const REFERENCES: &'static [&'static str] = &[];

    fn slots(&mut self) -> Vec<Slot<'_>> {
        let day =
            self.day.as_mut().map(|value| Slot::Time { param: "day", value, base: Base::Now, past: PastTimes::Ask });
        day.into_iter().collect()
    }

    fn card(&self, subject: &Subject<'_>) -> CardBody {
        CardBody::titled("Look up the weather?")
            .row("Place", self.place.clone().unwrap_or_default())
            .row("Day", self.day.as_deref().map(|day| show::time(day, subject.reference)).unwrap_or_default())
    }

    fn receipt(&self, output: &Outlook, _: &Receipt<'_>) -> String {
        format!("🌦 {}: {}, up to {} °C", output.place, output.summary, output.high_c)
    }

    fn attempt(&self, _: &Action) -> String {
        "look up the weather".to_owned()
    }
}

#[async_trait]
impl Handle<Forecast> for Weather {
    fn effect(&self, _: Option<&ActingAccount>) -> Effect {
        Effect::ReadElsewhere
    }

    async fn perform(&self, call: Invocation<'_, Forecast>) -> Result<Completed<Outlook>, ServiceError> {
        let place = call.command.place.or_else(|| self.home(&call.ctx.owner)).ok_or_else(|| {
            ServiceError::Refused("I don't know where you are. Say “set my weather home to Lisbon”.".to_owned())
        })?;
        let unreachable = |error: reqwest::Error| ServiceError::Unreachable {
            place: "The weather server".to_owned(),
            why: error.without_url().to_string(),
        };
        let day =
            call.command.day.unwrap_or_else(|| call.ctx.now.with_timezone(&call.ctx.zone).date_naive().to_string());
        let mut url = reqwest::Url::parse(&self.server)
            .map_err(|_| ServiceError::NotSetUp("WEATHER_URL is no address, so I can't look.".to_owned()))?;
        url.query_pairs_mut().append_pair("place", &place).append_pair("day", &day);
        let asked = self.client.get(url).timeout(TIMEOUT).send().await.map_err(unreachable)?;
        let answer = asked.error_for_status().map_err(unreachable)?.bytes().await.map_err(unreachable)?;
        let outlook: Outlook = serde_json::from_slice(&answer)?;
        Ok(Completed::read(Outlook { place, ..outlook }))
    }
}

/// Keep the place that is meant when none is named.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SetHome {
    place: String,
}

/// The place that was kept.
#[derive(Debug, Serialize, Deserialize)]
pub struct Home {
    place: String,
}

impl Command for SetHome {
    type Output = Home;

    const NAME: &'static str = "set_home";
    const SUMMARY: &'static str = "remember where the person is for the weather";
    const EXAMPLE: &'static str = "Set my weather home to Porto";
    const STATUS: &'static str = "Noting where you are…";
    const STAKES: Stakes = Stakes::Low;

    fn question(_: &str) -> &'static str {
        "Which place?"
    }

    fn card(&self, _: &Subject<'_>) -> CardBody {
        CardBody::titled("Remember this place for the weather?").row("Place", &self.place)
    }

    fn receipt(&self, output: &Home, _: &Receipt<'_>) -> String {
        format!("🌦 Your weather is that of {} from now on.", output.place)
    }

    fn attempt(&self, _: &Action) -> String {
        "remember your place".to_owned()
    }
}

#[async_trait]
impl Handle<SetHome> for Weather {
    /// Outside the store: this small service keeps it in its own memory.
    fn effect(&self, _: Option<&ActingAccount>) -> Effect {
        Effect::WriteElsewhere
    }

    async fn perform(&self, call: Invocation<'_, SetHome>) -> Result<Completed<Home>, ServiceError> {
        let place = call.command.place;
        let mut homes = self.homes.lock().unwrap_or_else(PoisonError::into_inner);
        homes.insert(call.ctx.owner.clone(), place.clone());
        Ok(Completed::read(Home { place }))
    }
}

impl Weather {
    fn home(&self, owner: &UserId) -> Option<String> {
        self.homes.lock().unwrap_or_else(PoisonError::into_inner).get(owner).cloned()
    }
}

/// One turn of a conversation with the weather in it, over a store that is gone afterwards.
#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let asked = std::env::args().skip(1).collect::<Vec<_>>().join(" ");
    let server = std::env::var("WEATHER_URL").unwrap_or_else(|_| "http://127.0.0.1:8099/forecast".to_owned());
    let folder = tempfile::tempdir()?;
    let console = Arc::new(ConsoleChannel::after(MessageId(0), folder.path()));
    let parts = Parts {
        store: Arc::new(MemoryStore::new()),
        data_dir: folder.path().to_owned(),
        clock: Arc::new(SystemClock::new()),
        channel: console.clone(),
        zone: None,
    };
    let brain = Arc::new(app::build(&Config::parse(Vec::new(), Vec::new())?, parts)?);
    brain.services.register(registration(&server))?;
    let sink = Arc::new(TerminalSink::default());
    let line = console.line(sink.line(&asked).to_string());
    Session::open(brain, console, sink, None, ConsoleUser::default()).await.line(&line).await;
    Ok(())
}
