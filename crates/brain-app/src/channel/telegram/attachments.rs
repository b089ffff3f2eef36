//! Attachments: what a message holds beside words, made into words. Recordings are transcribed, text files are read,
//! contacts and locations are spelled out. Files and pictures are kept, to go along with a mail.
//!
//! Invariants: what is not the person's own stays marked as such; a transcript never counts as typed; nothing is
//! half-done: what cannot be read is answered with a sentence that says why and what to do; a recording is
//! transcribed once, even when the program is stopped in between; no address that is fetched or told of holds the
//! token. Not here: understanding pictures.

use super::context::TelegramContext;
use super::updates::incoming::{Download, IncomingMessage, IncomingUpdate, MessageContent};
use crate::channel::received_files;
use crate::config::telegram_user;
use brain_core::core::text::{shorten, visible};
use brain_core::core::turn::{Along, KeptFile, Origin, Part, Reply};
use brain_core::limits;
use brain_core::ports::records::{InboxEntry, Show};
use brain_core::ports::{Batch, Expect, Recording, StoreError};

pub(super) const UNSUPPORTED: &str =
    "That's a nice one, but I can't do anything with it. If there is something I can do for you, just write it.";
const PICTURE: &str = "I can't look into pictures or videos, so I go by your words alone.";
const NOT_HEARD: &str = "I can't listen to recordings here: whoever runs me has not set up a transcription service (TRANSCRIBE_BASE_URL). Could you write it instead?";
const LISTENING: &str = "Listening…";
const SILENT: &str = "I could not make out any words in that recording. Could you write it, or try again?";

/// What became of a message.
#[derive(Debug, Default)]
pub(super) struct Unpacked {
    /// Its words, the person's own and others'.
    pub parts: Vec<Part>,
    /// What to say when there are no words in any of the coalesced messages.
    pub sentence: Option<String>,
    /// What to say first when there are words, of this message or another.
    pub beside: Option<String>,
    /// The person did not want to wait for it.
    pub stopped: bool,
}

/// Makes words of a message. What a recording says is told here, once.
pub(super) async fn unpack(
    context: &TelegramContext,
    entry: &InboxEntry,
    update: &IncomingUpdate,
    message: &IncomingMessage,
) -> Result<Unpacked, StoreError> {
    let mut unpacked = Unpacked::default();
    let passed_on = matches!(message.origin, Origin::Forwarded);
    let along = passed_on.then(|| Along::Message { from: message.from.clone() });
    if !message.text.is_empty() {
        unpacked.parts.push(part(message, message.text.clone(), message.origin, along.clone()));
    }
    match &message.content {
        MessageContent::TextOnly => {}
        MessageContent::Recording(recording) => match transcript(context, entry, update, recording).await? {
            Listened::Stopped => unpacked.stopped = true,
            Listened::Words(words) => {
                let origin = if passed_on { Origin::Forwarded } else { Origin::Transcript };
                unpacked.parts.push(part(message, words, origin, along));
            }
            Listened::Nothing(why) => unpacked.cannot(&why, &why),
        },
        MessageContent::Picture(file) => match kept(context, update, file).await {
            Ok((kept, _)) => unpacked.add_file(message, kept, Err(PICTURE.to_owned())),
            Err(why) => unpacked.cannot(&why, &why),
        },
        MessageContent::File(file) => match kept(context, update, file).await {
            Ok((kept, bytes)) => {
                let read = received_files::text_of(&kept, bytes);
                unpacked.add_file(message, kept, read);
            }
            Err(why) => unpacked.cannot(&why, &why),
        },
        MessageContent::Contact { name, phone } => {
            let text = format!("{name}\n{phone}");
            let along = Along::Contact { name: name.clone(), phone: phone.clone() };
            unpacked.parts.push(part(message, text, Origin::Forwarded, Some(along)));
        }
        MessageContent::Location { latitude, longitude, name } => {
            let link = format!(
                "https://www.openstreetmap.org/?mlat={latitude}&mlon={longitude}#map=17/{latitude}/{longitude}"
            );
            let text = name.iter().cloned().chain([format!("{latitude}, {longitude}"), link]).collect::<Vec<_>>();
            let along = Along::Place { name: name.clone() };
            unpacked.parts.push(part(message, text.join("\n"), Origin::Forwarded, Some(along)));
        }
        MessageContent::Unsupported => unpacked.sentence = Some(UNSUPPORTED.to_owned()),
    }
    Ok(unpacked)
}

fn part(message: &IncomingMessage, text: String, origin: Origin, along: Option<Along>) -> Part {
    Part { along, ..Part::words(message.number, text, origin) }
}

impl Unpacked {
    /// Something could not be read: beside words that is told before the answer, alone it is the answer.
    fn cannot(&mut self, alone: &str, beside: &str) {
        (self.sentence, self.beside) = (Some(alone.to_owned()), Some(beside.to_owned()));
    }
}

impl Unpacked {
    /// A file, and what it says, or why that is not read.
    fn add_file(&mut self, message: &IncomingMessage, kept: KeptFile, read: Result<String, String>) {
        let (part, beside) = received_files::part(message.number, kept, read);
        self.beside = beside.or(self.beside.take());
        self.parts.push(part);
    }
}

/// Tells something before the turn, together with a note that it was told.
pub(super) async fn tell_once(
    context: &TelegramContext,
    entry: &InboxEntry,
    update: &IncomingUpdate,
    words: &str,
    note: &str,
) -> Result<(), StoreError> {
    if entry.transcript.is_some() {
        return Ok(());
    }
    let mut batch = Batch::default();
    batch.put(&InboxEntry { transcript: Some(note.to_owned()), ..entry.clone() }, Expect::Any)?;
    context.brain.tell(&update.place.id(), vec![Show::Send(Reply::text(words))], batch).await
}

/// What came of a recording.
enum Listened {
    Words(String),
    /// Why there are none, for the person.
    Nothing(String),
    /// The person did not want to wait.
    Stopped,
}

/// The words of a recording, shown to the person before anything is done with them.
async fn transcript(
    context: &TelegramContext,
    entry: &InboxEntry,
    update: &IncomingUpdate,
    recording: &Download,
) -> Result<Listened, StoreError> {
    if let Some(known) = entry.transcript.as_ref().filter(|known| !known.is_empty()) {
        return Ok(Listened::Words(known.clone()));
    }
    let chat = update.place.id();
    let stop = context.running(&chat).unwrap_or_default();
    context.brain.channel.typing(&chat).await;
    let listened = tokio::select! {
        biased;
        () = stop.cancelled() => return Ok(Listened::Stopped),
        listened = context.brain.with_status(&chat, || Some(LISTENING.to_owned()), listen(context, recording)) => listened,
    };
    Ok(match listened {
        Ok(words) => {
            tell_once(context, entry, update, &format!("🎙 “{}”", visible(&words)), &words).await?;
            Listened::Words(words)
        }
        Err(why) => Listened::Nothing(why),
    })
}

/// What a recording says; `Err` holds why that is not known, for the person.
async fn listen(context: &TelegramContext, recording: &Download) -> Result<String, String> {
    let Some(transcriber) = &context.transcriber else {
        return Err(NOT_HEARD.to_owned());
    };
    if recording.seconds.is_some_and(|seconds| seconds > limits::RECORDING_SECS_MAX) {
        let minutes = limits::RECORDING_SECS_MAX / 60;
        return Err(format!(
            "That recording is too long for me; I listen to up to {minutes} minutes. Could you send it in parts?"
        ));
    }
    let bytes = fetch(context, recording, limits::DOWNLOAD_BYTES_MAX).await?;
    // What the bytes are stands in the name: endpoints look at its ending.
    let mime = recording.mime.clone().unwrap_or_else(|| "audio/ogg".to_owned());
    let name = recording.name.clone().unwrap_or_else(|| format!("recording.{}", ending(&mime)));
    match transcriber.transcribe(Recording { bytes, name, mime }).await {
        Ok(words) if words.trim().is_empty() => Err(SILENT.to_owned()),
        Ok(words) => Ok(shorten(words.trim(), limits::MESSAGE_BYTES_MAX / 4)),
        Err(error) => {
            tracing::warn!(%error, "a recording could not be transcribed");
            Err("I could not get that recording transcribed just now, so I have done nothing with it. Please try again later, or write it.".to_owned())
        }
    }
}

fn ending(mime: &str) -> &'static str {
    match mime {
        "audio/mpeg" | "audio/mp3" => "mp3",
        "audio/mp4" | "audio/x-m4a" | "audio/m4a" => "m4a",
        "audio/wav" | "audio/x-wav" => "wav",
        "video/mp4" => "mp4",
        "audio/webm" | "video/webm" => "webm",
        _ => "ogg",
    }
}

/// Fetches a file and keeps it for the person; `Err` holds why it is not, for them.
async fn kept(
    context: &TelegramContext,
    update: &IncomingUpdate,
    file: &Download,
) -> Result<(KeptFile, Vec<u8>), String> {
    let bytes = fetch(context, file, limits::DOWNLOAD_BYTES_MAX).await?;
    received_files::keep(&context.files, telegram_user(update.who), file.name.clone(), file.mime.clone(), bytes).await
}

/// Downloads; `Err` is for the person.
async fn fetch(context: &TelegramContext, file: &Download, bytes_max: u64) -> Result<Vec<u8>, String> {
    if file.bytes.is_some_and(|bytes| bytes > bytes_max) {
        return Err(format!("That is too large for me; I can take up to {} MB.", bytes_max / 1024 / 1024));
    }
    context.channel.sender.api.download(&file.id, bytes_max).await.map_err(|error| {
        tracing::warn!(%error, "a file could not be fetched");
        "I could not fetch that from Telegram, so I have done nothing with it. Please send it again.".to_owned()
    })
}
