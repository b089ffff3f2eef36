//! Bounds of what routing and planning with a model may see and say.

/// What the router sees of one message: head and tail together.
pub const ROUTE_MESSAGE_CHARS: usize = 2_000;
/// What whoever chooses commands sees of each earlier message.
pub const ROUTE_HISTORY_CHARS: usize = 400;
/// Tokens of the conversation that they see, and as many of what is in hand and open.
pub const SIGHT_CONTROL_TOKENS: usize = 250;
/// Tokens of what is in hand and open, beside the conversation, for parameters and words.
pub const SIGHT_TOKENS: usize = 1_200;
/// Characters of the last answer, where the conversation has only its beginning.
pub const SIGHT_ANSWER_CHARS: usize = 1_600;
/// Rows of the last list that are named with their ids.
pub const SIGHT_ROWS_MAX: usize = 20;
/// Characters of what a thing in sight is called.
pub const SIGHT_LABEL_CHARS: usize = 80;
/// Characters of what is known of a row beside what it is called.
pub const ROW_DETAIL_CHARS: usize = 240;
/// Characters of a receipt that a model is told.
pub const FACT_CHARS: usize = 1_500;
/// Characters of the rows of a result that a model is told beside its receipt.
pub const FACT_ROWS_CHARS: usize = 4_000;
/// Things that are in hand: what was made or found last, and a few before it.
pub const SIGHT_ITEMS_MAX: usize = 4;
/// Tokens of what a model says at once in a conversation: letters are in it.
pub const CONVERSATION_TOKENS_MAX: u32 = 3_000;
/// Lines of what was looked at that stand below words about it.
pub const LOOK_LINES_BELOW_WORDS: usize = 12;
/// Lines of each of several looks that stand there at least.
pub const LOOK_LINES_MIN: usize = 3;
/// Days whose dates are told, today among them.
pub const SIGHT_DAYS: u64 = 14;
/// Characters of each of our messages in the conversation.
pub const ANSWER_IN_HISTORY_CHARS: usize = 400;
/// Conversation messages the planner sees as they are; from so many on, what is older is shown in short.
pub const PLAN_HISTORY_MESSAGES: usize = 10;
/// Of these so many stay as they are, whatever comes into the summary of what is older.
pub const HISTORY_RECENT_MESSAGES: usize = 4;
/// Messages that a turn reads where the summary is behind.
pub const HISTORY_BEHIND_MAX: usize = 40;
/// Token budget of what earlier rounds of the turn have come to.
pub const ROUNDS_TOKENS: usize = 600;
/// From so many of their results on, the older ones are shown in short.
pub const ROUNDS_RESULTS_MAX: usize = 5;
/// Bytes that a token stands for at least, in what people write.
pub const TOKEN_BYTES: usize = 4;
/// Characters of each side of a summary of a conversation.
pub const SUMMARY_CHARS_MAX: usize = 1_000;
/// Tokens of the answer that is one.
pub const SUMMARY_TOKENS: u32 = 400;
/// Things that a summary names beside its text, on each side.
pub const SUMMARY_THINGS_MAX: usize = 8;
/// Characters of one message on its way into a summary.
pub const FOLDED_MESSAGE_CHARS: usize = 800;
/// Messages that come into a summary with one call.
pub const FOLDED_MESSAGES_MAX: usize = 24;
/// Messages that are read of a conversation without a summary: what is older is found, but in no summary.
pub const FOLDED_FIRST_MESSAGES: usize = 60;
/// Summaries of one conversation that are made one after the other; what is left comes after its next turn.
pub const FOLDS_AT_ONCE_MAX: usize = 8;
/// Bytes of what comes into a summary, from which on a model words it.
pub const SUMMARY_WORDED_BYTES_MIN: usize = 400;
/// So many of ten telling words of a sentence of notes stand in the message that bears it out.
pub const SUMMARY_BORNE_OUT_TENTHS: usize = 7;
/// So many of ten telling words of a summary stand in what it sums up, unless it is of something else.
pub const SUMMARY_OWN_TENTHS: usize = 4;
/// Characters of a message in a summary that nobody words.
pub const EXTRACTED_CHARS: usize = 100;
/// Answers of a model that are no summary of what they are to sum up, before code makes one.
pub const SUMMARIES_UNFIT_MAX: u32 = 2;
/// Open cards that planners are told of.
pub const WAITING_SHOWN_MAX: usize = 5;
/// Characters of what each of these is about.
pub const WAITING_CHARS_MAX: usize = 2_000;
/// Token budget of the conversation inside the plan prompt (bytes / 4).
pub const PLAN_HISTORY_TOKENS: usize = 2_500;
/// One speculative context fetch.
pub const CONTEXT_FETCH_MS: u64 = 1_500;
/// Items of one service in the context of a plan: more would crowd out the message.
pub const CONTEXT_ITEMS_MAX: usize = 10;
/// Facts about the person in context (DESIGN §4).
pub const CONTEXT_FACTS_MAX: usize = 5;
/// Making vectors of some texts while nobody waits.
pub const EMBED_MS: u64 = 60_000;
/// Making one of a question, which a turn waits for.
pub const EMBED_QUESTION_MS: u64 = 800;
/// An embedding endpoint that failed is left alone for so long.
pub const EMBED_REST_SECS: u64 = 300;
/// Characters of a text of which a vector is made: more than models of this kind read.
pub const EMBED_CHARS_MAX: usize = 2_000;
/// Texts in one request.
pub const EMBEDDED_AT_ONCE: usize = 64;
/// Answer of an embedding endpoint: so many vectors of 4,096 numbers.
pub const EMBED_BYTES_MAX: usize = 8 * 1024 * 1024;
/// Facts of one person that get a vector.
pub const EMBEDDED_FACTS_MAX: usize = 20_000;
/// Characters of the rule that says what the assistant is for: the guard's prompt stays at 250 tokens.
pub const POLICY_CHARS_MAX: usize = 500;
/// Characters of the list of commands in one prompt: 600 tokens. More commands are divided by services first.
pub const CATALOG_CHARS_MAX: usize = 2_400;
/// Commands that share words with a message and are named beside it: 100 tokens.
pub const NEAR_COMMANDS_MAX: usize = 4;
/// Characters of what a command is found by.
pub const TELLING_WORDS_CHARS_MAX: usize = 800;
/// Characters of the list of commands with their parameters in one prompt: 4,000 tokens. With more of them a command is
/// chosen first.
pub const PLAN_COMMANDS_CHARS_MAX: usize = 16_000;
/// Commands that one message can select: each costs a call.
pub const SELECTED_MAX: usize = 5;
/// Tokens of the choice of one command, with the words that it covers.
pub const SELECTION_TOKENS: u32 = 100;
/// Things of one service that a command's parameters are filled in from: those first that the words fit.
pub const FITTING_ITEMS_MAX: usize = 8;
/// Tokens of the conversation that a command's parameters are filled in from.
pub const FITTING_HISTORY_TOKENS: usize = 400;
/// Tokens of the conversation that talk, and words about what was done, see.
pub const CHAT_HISTORY_TOKENS: usize = 600;
/// Tokens of the parameters of one command, beside the words of the message.
pub const PARAMS_TOKENS: u32 = 120;
/// The same of what a model words itself.
pub const COMPOSED_TOKENS_MAX: u32 = 500;
/// The same in all.
pub const PARAMS_TOKENS_MAX: u32 = 2_000;
/// Tasks that one request is refined into, where nothing else is set, and how many can be set.
pub const TASKS_USUAL: usize = 100;
/// See above.
pub const TASKS_MAX: usize = 1_000;
/// How deep tasks are refined into tasks, where nothing else is set, and how deep can be set.
pub const TASK_DEPTH_USUAL: usize = 10;
/// See above.
pub const TASK_DEPTH_MAX: usize = 100;
/// Services that are named to a planner that named another one.
pub const TASK_SERVICES_SHOWN_MAX: usize = 40;
/// Characters of the list of services in one prompt: 700 tokens, which is thirty of them. Of more, the nearest to the words.
pub const SERVICES_CHARS_MAX: usize = 2_800;
/// A turn that takes longer tells which of its nodes are over.
pub const NODES_TOLD_AFTER_MS: u64 = 6_000;
/// Characters in a row that nobody sees: with so many something is spelled. A flag has six.
pub const HIDDEN_IN_A_ROW_MAX: usize = 8;
/// Nodes one graph holds, where nothing else is set: more is a sign of a runaway model.
pub const GRAPH_NODES_MAX: usize = 100;
/// Nodes of one graph that run side by side: what a model endpoint answers at once without making others wait.
pub const GRAPH_WIDTH_MAX: usize = 8;
/// Dependencies in a row: each is a wait, and ten of a second are as long as a person waits for an answer.
pub const GRAPH_DEPTH_MAX: usize = 10;
