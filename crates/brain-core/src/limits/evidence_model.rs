//! Bounds of what a model does for a question over everything.

/// What a question may cost without being asked about first, in US dollars, unless set otherwise: ordinary questions
/// cost a cent or two with a small hosted model.
pub const ASK_ABOVE_USD: f64 = 0.05;
/// Nodes that a model may write for one question: they need three to eight, and more is not answered in time.
pub const DECOMPOSED_NODES_MAX: usize = 12;
/// Tokens of the answer that takes a question apart: twelve nodes of ordinary length.
pub const DECOMPOSE_TOKENS_MAX: u32 = 2_500;
/// Tokens of the answer that names a template: a few words for each slot.
pub const TEMPLATE_TOKENS_MAX: u32 = 120;
/// Lines of the conversation that it sees: two or three turns.
pub const DECOMPOSE_HISTORY_LINES: usize = 6;
/// Characters of each of them: what a question may refer to stands at their beginning.
pub const DECOMPOSE_HISTORY_CHARS: usize = 300;
/// Characters of a question, head and tail; longer ones are texts that came along.
pub const QUESTION_CHARS_MAX: usize = 2_000;
/// Of a graph that could not be used so much is shown again, in bytes: as much as it may have been written.
pub const REPAIRED_GRAPH_BYTES: usize = 8_000;
/// Problems of a graph that are told to whoever wrote it: later ones mostly follow from the first.
pub const GRAPH_PROBLEMS_MAX: usize = 8;
/// Characters of a text inside a node (a topic, a question, criteria).
pub const NODE_TEXT_CHARS_MAX: usize = 200;
/// Names and addresses of one node.
pub const NODE_PEOPLE_MAX: usize = 20;
/// Things that a search of a model's graph gives by default: of so many, features tell which are read closely.
pub const SEARCH_RESULTS_DEFAULT: usize = 200;
/// Things that a search of a model's graph gives at most: what more would bring is not read.
pub const SEARCH_RESULTS_MAX: usize = 400;
/// Things of one node that a model reads, best first; the rest is told from features and said to be unread. So many
/// calls are half of a question's tokens.
pub const EXTRACTS_MAX: usize = 40;
/// Conversations with those whose letters a model reads, which may say that a matter is settled: the newest.
pub const BESIDE_THREADS_MAX: usize = 200;
/// Of these, such as stand below one letter.
pub const BESIDE_LINES_MAX: usize = 6;
/// Lines of what is known before anything is looked for, of each kind.
pub const KNOWN_LINES_MAX: usize = 6;
/// Calls of one node side by side: what ordinary endpoints do without making one wait for the other.
pub const EXTRACTS_AT_ONCE: usize = 8;
/// Tokens of the prompt that reads one thing, instructions included (bytes / 4).
pub const EXTRACT_TOKENS_IN_MAX: usize = 2_000;
/// Tokens of an ordinary one: the instructions, and a few letters of a dozen lines.
pub const EXTRACT_TOKENS_IN_USUAL: usize = 1_000;
/// Tokens of what it tells.
pub const EXTRACT_TOKENS_OUT_MAX: u32 = 500;
/// Findings that are ranked by a model; those behind them stay behind them.
pub const RANKED_MAX: usize = 60;
/// Tokens of a ranking: the numbers of sixty findings and as much again.
pub const RANK_TOKENS_OUT_MAX: u32 = 2_000;
/// Findings that are told apart by one call: with more of them small models mix them up.
pub const CLASSIFY_BATCH: usize = 10;
/// Tokens for each of them.
pub const CLASSIFY_TOKENS_OUT_EACH: u32 = 500;
/// Findings of one node that a model tells apart; the rest is told by features.
pub const CLASSIFIED_MAX: usize = 100;
/// Findings of one node that an answer is made of; that there are more is always said.
pub const SYNTHESIS_ITEMS_MAX: usize = 10;
/// The same where the question asks for every one of them: as many as a page or two of lines holds.
pub const SYNTHESIS_ALL_ITEMS_MAX: usize = 40;
/// Bytes of all findings that an answer is made of: eight thousand tokens.
pub const SYNTHESIS_FINDINGS_BYTES: usize = 32_000;
/// Tokens of an answer.
pub const SYNTHESIS_TOKENS_MAX: u32 = 2_000;
/// How long the calls of one node may take together; after that it goes on with what there is. The rest of a node's
/// time is for looking things up.
pub const NODE_CALLS_MS_MAX: u64 = 16_000;
/// The same with a model that is known to be slow, which reads one thing after the other, and as many as fit in.
pub const SLOW_NODE_CALLS_MS_MAX: u64 = 90_000;
