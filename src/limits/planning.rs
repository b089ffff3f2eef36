//! Bounds of what routing and planning with a model may see and say.

/// What the router sees of one message: head and tail together.
pub const ROUTE_MESSAGE_CHARS: usize = 2_000;
/// What the router sees of each earlier message.
pub const ROUTE_HISTORY_CHARS: usize = 200;
/// How many of the person's own messages the router sees.
pub const ROUTE_HISTORY_MESSAGES: usize = 3;
/// Conversation messages the planner may see, and their budget.
pub const PLAN_HISTORY_MESSAGES: usize = 10;
/// Token budget of the conversation inside the plan prompt (bytes / 4).
pub const PLAN_HISTORY_TOKENS: usize = 2_500;
/// One speculative context fetch.
pub const CONTEXT_FETCH_MS: u64 = 1_500;
/// Items of one service in the context of a plan: more would crowd out the message.
pub const CONTEXT_ITEMS_MAX: usize = 10;
/// Facts about the person in context (DESIGN §4).
pub const CONTEXT_FACTS_MAX: usize = 5;
/// Characters of the list of commands in one prompt: 600 tokens. More commands are divided by services first.
pub const CATALOG_CHARS_MAX: usize = 2_400;
/// Characters of the list of commands with their parameters in one prompt: 4,000 tokens. With more of them a command is
/// chosen first.
pub const PLAN_COMMANDS_CHARS_MAX: usize = 16_000;
/// Commands that one message can select: each costs a call.
pub const SELECTED_MAX: usize = 5;
/// Tokens of the choice of one command, with the words that it covers.
pub const SELECTION_TOKENS: u32 = 100;
/// Things of one service that a command's parameters are filled in from: those first that the words fit.
pub const FITTING_ITEMS_MAX: usize = 8;
/// Messages of the conversation that a command's parameters are filled in from.
pub const FITTING_MESSAGES_MAX: usize = 4;
/// Messages of the conversation before words about what was done.
pub const RESPOND_HISTORY_MESSAGES: usize = 3;
/// Tokens of the conversation that small talk sees.
pub const CHAT_HISTORY_TOKENS: usize = 600;
/// Tokens of the parameters of one command, beside the words of the message.
pub const PARAMS_TOKENS: u32 = 120;
/// The same of what a model words itself.
pub const COMPOSED_TOKENS_MAX: u32 = 500;
/// The same in all.
pub const PARAMS_TOKENS_MAX: u32 = 2_000;
