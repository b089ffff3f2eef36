//! Bounds of searching, of the index, and of the log that feeds it.

use std::time::Duration;

/// Characters of a description that a search reads.
pub const SEARCH_CHARS_MAX: usize = 2_000;
/// Messages that are looked at for what the person said about something.
pub const TALKED_LOOKED_AT: usize = 20;
/// Those that are told.
pub const TALKED_MAX: usize = 3;
/// Those that a prompt is given.
pub const TOLD_MAX: usize = 2;
/// Messages that are read for them.
pub const TOLD_READ_MAX: usize = 6;
/// Characters of each.
pub const TALKED_CHARS: usize = 200;
/// Characters of a statement that may be proposed to be remembered; a longer one says more than one thing.
pub const LEARNED_CHARS_MAX: usize = 200;
/// Messages of one turn behind one of them, until its answer.
pub const TALKED_PARTS_MAX: u64 = 10;
/// Candidates shown when a description matches several items.
pub const CANDIDATES_MAX: usize = 8;
/// Lines of the change log that wait for its reader, each a commit: enough for an import while the index is being
/// built. Beyond it the oldest are dropped, and the index is built again from the records.
pub const CHANGES_MAX: usize = 100_000;
/// Longest word the search index keeps: longer ones are keys and pictures in letters.
pub const INDEX_WORD_BYTES_MAX: usize = 64;
/// Bytes of a body that are searched: the longest mails people write themselves.
pub const INDEX_BODY_BYTES_MAX: usize = 256 * 1024;
/// Bytes of a body that are kept for snippets: what somebody would look at.
pub const INDEX_SNIPPET_BYTES_MAX: usize = 8 * 1024;
/// Words of a query that count.
pub const INDEX_QUERY_WORDS_MAX: usize = 32;
/// Words of the index that a slip in a query may stand for.
pub const INDEX_SLIPS_MAX: usize = 8;
/// Words of a part of the index that lie ready for slips; of those beyond, a slip keeps the first letter.
pub const INDEX_SLIPS_WALKED_MAX: usize = 20_000;
/// Words that one beginning may stand for in a part of the index.
pub const INDEX_BEGINNINGS_MAX: usize = 512;
/// Blocks of stored texts that a reader keeps unpacked, 16 KB each.
pub const INDEX_STORE_BLOCKS: usize = 2;
/// An index up to this size has its check sums compared before it is used; a larger one while it is used.
pub const INDEX_VERIFIED_AT_OPEN_BYTES: u64 = 64 * 1024 * 1024;
/// Documents of a part of the index from which it is merged no further.
pub const INDEX_MERGED_DOCS_MAX: usize = 100_000;
/// Records of an owner that are looked through without an index: so many are read in less time than one is opened in.
pub const INDEX_FEW_RECORDS: usize = 200;
/// Documents that are kept as words for those who have no index.
pub const INDEX_PLAIN_READ_MAX: usize = 2_000;
/// Indexes that are kept open: the people who are talking now.
pub const INDEXES_OPEN_MAX: usize = 16;
/// Tables of owners of which it is known when they changed last; beyond that all count as changed just now.
pub const OWNERS_TOUCHED_MAX: usize = 4_096;
/// Lines of the change log that are read at once.
pub const INDEX_LINES_AT_ONCE: usize = 500;
/// Lines in the search index that are not durable there yet; a restart reads them once more.
pub const INDEX_UNSEALED_LINES_MAX: u64 = 500;
/// How long changes wait for further ones: a turn commits two or three times.
pub const INDEX_GATHERS: Duration = Duration::from_millis(100);
/// How long the search index waits for more before it makes durable what it has.
pub const INDEX_SEAL_AFTER: Duration = Duration::from_secs(20);
/// Records that are read at once when an index is built.
pub const INDEX_BUILD_PAGE: usize = 1_000;
/// How long a question waits for an index that is being built: what small ones take on a slow machine, and as long as
/// somebody waits who sees that something is done.
pub const INDEX_BUILDING_WAIT: Duration = Duration::from_secs(6);
/// Searches that run at once, each on a thread of the pool for work that blocks.
pub const INDEX_SEARCHES_AT_ONCE: usize = 4;
/// Writers at once: each has a core, and 15 MB while it writes.
pub const INDEX_WRITERS_AT_ONCE: usize = 2;
/// So many in one go are brought in by a thread that lets others go first, and how nice it is.
pub const INDEX_MANY_DOCS: usize = 100;
pub const INDEX_MANY_NICE: i32 = 5;
