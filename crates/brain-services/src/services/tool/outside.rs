//! What a call to somewhere outside comes to, in words for its person.

use super::ToolResult;
use super::receipt::framed_answer;
use crate::services::contract::command::{Completed, Effect};
use crate::services::contract::error::ServiceError;
use crate::services::contract::holder::Holder;
use brain_core::core::ids::UserId;
use brain_core::core::text::{head_and_tail, one_line, shorten, visible};
use brain_core::limits;
use brain_wire::outside::{CallError, ToolAnswer};

/// What the answer of `title` comes to. What may have happened is doubtful where it changes anything, and is never an error.
pub fn answered(
    title: &str,
    effect: Effect,
    answer: Result<ToolAnswer, CallError>,
) -> Result<Completed<ToolResult>, ServiceError> {
    let said = |words: &str| visible(&shorten(&one_line(words), limits::TOOL_SUMMARY_CHARS_MAX));
    match answer {
        Ok(ToolAnswer { text, is_error: false }) => Ok(Completed::read(ToolResult::new(text))),
        Ok(ToolAnswer { text, is_error: true }) => {
            Err(ServiceError::Refused(format!("{title} says that it failed: {}", whole(&text))))
        }
        Err(CallError::Unreachable(why)) => Err(ServiceError::Unreachable { place: title.to_owned(), why: said(&why) }),
        Err(CallError::Rejected(why)) => {
            Err(ServiceError::Refused(format!("{title} did not take it, and nothing was done: {}", whole(&why))))
        }
        Err(CallError::Unanswered(why)) => match effect {
            Effect::Read | Effect::ReadElsewhere => {
                Err(ServiceError::Refused(format!("{title} gave no answer: {}.", said(&why))))
            }
            Effect::WriteHere | Effect::WriteElsewhere => Ok(Completed::Doubtful(format!(
                "{title} did not say whether it did it: {}. Look there before you ask again.",
                said(&why)
            ))),
        },
    }
}

/// A failure's words: quoted where they are short, else in a frame, as there may be an address in them.
fn whole(words: &str) -> String {
    let line = one_line(words);
    if line.chars().count() <= limits::TOOL_SUMMARY_CHARS_MAX {
        return format!("“{line}”");
    }
    format!("\n{}", framed_answer(&head_and_tail(words.trim(), limits::TOOL_RECEIPT_CHARS_MAX)))
}

/// Why a person may not use it, in a sentence; `None`: they may.
pub fn not_open(title: &str, holders: &[Holder], owner: &UserId) -> Option<String> {
    let may = holders.iter().any(|holder| holder.is(owner));
    (!may).then(|| format!("{title} is not open to you; whoever runs me decides that. Nothing was done."))
}
