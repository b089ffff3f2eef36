//! Bounds of commands that arrive at run time as definitions.

/// Characters of a tool's name.
pub const TOOL_NAME_CHARS_MAX: usize = 128;
/// Characters of what is said of a tool, and of why one cannot be used.
pub const TOOL_SUMMARY_CHARS_MAX: usize = 200;
/// Long answers of one service that are kept whole, for as long as a page can be turned.
pub const TOOL_KEPT_MAX: usize = 20;
/// Bytes of each.
pub const TOOL_KEPT_BYTES_MAX: usize = 1024 * 1024;
/// Tools of one service that help shows.
pub const HELP_TOOLS_MAX: usize = 4;
/// Bytes of the schema of its parameters, as it arrives.
pub const TOOL_SCHEMA_BYTES_MAX: usize = 64 * 1_024;
/// Values of that schema, once what it refers to stands in its place.
pub const TOOL_SCHEMA_VALUES_MAX: usize = 4_096;
/// Levels of it.
pub const TOOL_SCHEMA_DEPTH_MAX: usize = 24;
/// Characters of a result that are journalled: its head and its tail.
pub const TOOL_RESULT_CHARS_MAX: usize = 20_000;
/// Characters of a result that its receipt shows.
pub const TOOL_RECEIPT_CHARS_MAX: usize = 1_500;
/// Fields of one form that a server asks to be filled in.
pub const FORM_FIELDS_MAX: usize = 20;
/// Characters of a field's name.
pub const FORM_NAME_CHARS_MAX: usize = 64;
/// Choices of one field.
pub const FORM_CHOICES_MAX: usize = 50;
/// Choices that are buttons, too.
pub const FORM_BUTTONS_MAX: usize = 8;
/// Characters of a choice.
pub const FORM_LABEL_CHARS_MAX: usize = 60;
/// Characters of what a server says of a form.
pub const FORM_MESSAGE_CHARS_MAX: usize = 600;
/// Characters of each thing that it says of a field.
pub const FORM_FIELD_CHARS_MAX: usize = 200;
/// Calls in a row that a server may answer with a question to the person.
pub const FORM_ROUNDS_MAX: usize = 3;
/// Forms of one service that wait for an answer, or stand on a card.
pub const FORMS_KEPT_MAX: usize = 50;
/// For how long: a question, and the card that its answer may need.
pub const FORM_KEPT_SECS: i64 = 2 * 24 * 3_600;
/// Looks elsewhere of one turn that need no yes: each tells by itself which one it is.
pub const LOOKS_ELSEWHERE_MAX: usize = 12;
/// Values of one of them; more could spell something out.
pub const LOOK_VALUES_MAX: usize = 24;
/// Bits that whoever plans may choose by itself in all looks elsewhere of one turn: a code of four figures has thirteen.
pub const LOOK_ADDED_BITS_MAX: u32 = 10;
/// Values that a receipt names of what was told, and characters of each.
pub const TOLD_VALUES_MAX: usize = 6;
pub const TOLD_CHARS_MAX: usize = 120;
