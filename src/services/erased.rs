//! What a command's own types become once its type is erased.

use serde_json::Value;

use super::command::Command;
use super::error::ServiceError;
use super::param_error::ParamError;
use super::service::Prepared;

/// Whoever checks first never sees this: a stored action of an older version may.
pub(super) fn unreadable(error: &ParamError) -> ServiceError {
    tracing::warn!(why = error.for_planner(), "an action does not fit its command any more");
    ServiceError::Refused(match error {
        ParamError::Unfit { .. } => error.to_string(),
        ParamError::Missing { .. } | ParamError::Invalid(_) => {
            format!("I can't do that as it stands ({error}); nothing was changed.")
        }
    })
}

/// A prepared command as parameters.
pub(super) fn erased<T: Command>(prepared: Prepared<T>) -> Result<Prepared, ServiceError> {
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
