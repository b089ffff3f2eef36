//! Type erasure: what a command's own types become, and what is said of every command in the same way.

use serde::Serialize;
use serde_json::Value;

use super::command::{Command, Completed, Subject};
use super::error::ServiceError;
use super::param_error::ParamError;
use super::service::{Performed, Prepared};
use brain_core::core::card::{CardBody, Row};
use brain_core::core::plan::Taint;

/// Whoever checks first never sees this: a stored action of an older version may.
pub(in crate::services) fn unreadable(error: &ParamError) -> ServiceError {
    tracing::warn!(why = error.for_planner(), "an action does not fit its command any more");
    ServiceError::Refused(match error {
        ParamError::Unfit { .. } => error.to_string(),
        ParamError::Missing { .. } | ParamError::Asked { .. } | ParamError::Invalid(_) => {
            format!("I can't do that as it stands ({error}); nothing was changed.")
        }
    })
}

/// A prepared command as parameters.
pub(in crate::services) fn erased<T: Command>(prepared: Prepared<T>) -> Result<Prepared, ServiceError> {
    Ok(match prepared {
        Prepared::Ready { params, target, notes, untrusted } => {
            let Ok(Value::Object(mut params)) = serde_json::to_value(&params) else {
                return Err(ServiceError::Broken(format!("{} has no parameters by name", T::NAME)));
            };
            params.retain(|_, value| !value.is_null());
            Prepared::Ready { params, target, notes, untrusted }
        }
        Prepared::NotFound { what } => Prepared::NotFound { what },
        Prepared::Every { ids } => Prepared::Every { ids },
        Prepared::Several { param, question, candidates } => Prepared::Several { param, question, candidates },
    })
}

/// A card with what code knows of its action, whatever the command: the account, whose words it holds, remarks.
pub(in crate::services) fn framed(mut card: CardBody, subject: &Subject<'_>) -> CardBody {
    if let Some(label) = subject.action.account.as_ref().and_then(|account| account.label.as_deref()) {
        card.rows.push(Row::words("Account", label));
    }
    let taints = subject.action.taints.iter();
    for warning in taints.map(Taint::warning).chain(subject.action.notes.iter().cloned()) {
        if !card.warnings.contains(&warning) {
            card.warnings.push(warning);
        }
    }
    card
}

/// The end of a command, as the journal keeps it.
pub(in crate::services) fn performed<T: Serialize>(done: Result<Completed<T>, ServiceError>) -> Performed {
    match done {
        Ok(Completed::Succeeded { output, changes, untrusted, reversal }) => match serde_json::to_value(&output) {
            Ok(result) => Performed { reversal, ..Performed::changed(result, changes).holding(untrusted) },
            Err(error) => Performed::failed(error.to_string()),
        },
        Ok(Completed::Doubtful(why)) => Performed::unknown(why),
        Err(error) => Performed::from(error),
    }
}
