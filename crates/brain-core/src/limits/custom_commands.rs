//! Bounds of services that the operator's file describes.

/// Bytes of the file.
pub const DECLARED_FILE_BYTES_MAX: u64 = 1024 * 1024;
/// Services of it: as many as servers that bring tools.
pub const DECLARED_SERVICES_MAX: usize = 50;
/// Commands of a service.
pub const DECLARED_COMMANDS_MAX: usize = 100;
/// Parameters of a command.
pub const DECLARED_PARAMS_MAX: usize = 30;
/// Characters of the name of a service, a command or a parameter.
pub const DECLARED_NAME_CHARS_MAX: usize = 40;
/// Characters of what a router is told of a service.
pub const DECLARED_ABOUT_CHARS_MAX: usize = 100;
/// Characters of a text, where the file says nothing else: what somebody says in a message.
pub const DECLARED_TEXT_CHARS_MAX: u64 = 2_000;
/// Programs that start another one, behind each other in one call.
pub const WRAPPERS_MAX: usize = 8;
/// How long a call may take, where the file says nothing else.
pub const DECLARED_CALL_SECS: u64 = 30;
/// The same at most: a turn waits for it.
pub const DECLARED_CALL_SECS_MAX: u64 = 600;
