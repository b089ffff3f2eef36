//! Calendars, task lists and address books elsewhere.

/// How often an account is asked for what is new. Calendars are looked at more often than they change.
pub const DAV_POLL_SECS: u64 = 120;
/// First wait after an account could not be read; doubled each time.
pub const DAV_RETRY_SECS: u64 = 10;
/// Longest such wait, and the wait where it lets nobody in.
pub const DAV_RETRY_SECS_MAX: u64 = 1_200;
/// So many times as long as a pass took passes until the next one, whatever made it long.
pub const DAV_REST_FACTOR: u32 = 3;
/// How often it is asked which collections there are.
pub const DAV_LOOK_SECS: u64 = 3_600;
/// Resources that are read, and committed here, at once.
pub const DAV_FETCH_SLICE: usize = 200;
/// Parts of an answer that come one after the other in one pass; what is left comes with the next.
pub const DAV_PARTS_MAX: usize = 100;
/// Resources that hold nothing that is shown, or cannot be read, and are remembered, so that they are not fetched in every
/// pass.
pub const DAV_PASSED_OVER_MAX: usize = 1_000;
/// Bytes of a deleted resource that undo can bring back.
pub const DAV_UNDO_BYTES_MAX: usize = 256 * 1024;
/// Bytes of one calendar object or vCard, with room for what a change adds to the largest resource.
pub const ICAL_BYTES_MAX: usize = 2 * DAV_RESOURCE_BYTES_MAX;
/// Lines of one calendar object or vCard.
pub const ICAL_LINES_MAX: usize = 50_000;
/// How deep components may lie in each other.
pub const ICAL_DEPTH_MAX: usize = 8;
/// Rules by which the clocks of a zone go: one that was changed every few years since there are zones has fewer. One with
/// more is a zone that nobody knows.
pub const ICAL_OBSERVANCES_MAX: usize = 64;
/// Zones of one text that are looked for by their definitions.
pub const ICAL_DEFINED_ZONES_MAX: usize = 16;
/// Bytes of the name of a zone.
pub const ICAL_ZONE_NAME_BYTES_MAX: usize = 255;
/// Characters of a rule that something repeats by: all days of a year by their numbers.
pub const RULE_CHARS_MAX: usize = 2_000;
/// Until a connection stands.
pub const DAV_CONNECT_MS: u64 = 10_000;
/// Between two parts of an answer.
pub const DAV_IDLE_MS: u64 = 30_000;
/// A whole answer to what only reads: a calendar of many years.
pub const DAV_READ_MS: u64 = 120_000;
/// A whole answer to a write. With what is read before and behind it, it lies inside the time of a command: what ends
/// from outside would be taken for something that may have been done.
pub const DAV_WRITE_MS: u64 = 12_000;
/// What is read right before or behind a write.
pub const DAV_GLANCE_MS: u64 = 8_000;
/// Bytes of one answer.
pub const DAV_ANSWER_BYTES_MAX: usize = 64 * 1024 * 1024;
/// Bytes of one resource; larger ones are somebody's attachments.
pub const DAV_RESOURCE_BYTES_MAX: usize = 1024 * 1024;
/// Entries of one answer.
pub const DAV_ENTRIES_MAX: usize = 200_000;
/// How deep elements of an answer may lie in each other.
pub const DAV_DEPTH_MAX: usize = 100;
/// Tags, texts and comments of one answer. An entry of a list has up to twenty; the parser takes 80 bytes for each.
pub const DAV_NODES_MAX: usize = 20 * DAV_ENTRIES_MAX;
/// Attributes of one element: the parser compares each with each.
pub const DAV_ATTRIBUTES_MAX: usize = 100;
/// Equals signs of one answer: the parser makes room for as many attributes, of 72 bytes each, before it begins.
pub const DAV_EQUALS_SIGNS_MAX: usize = 4_000_000;
/// Namespaces that an element and those around it declare: all are looked at for each name.
pub const DAV_NAMESPACES_MAX: usize = 64;
/// Namespaces that the elements of one answer which declare some take over from those around them: as many for each entry
/// as a thorough server declares once.
pub const DAV_NAMESPACES_INHERITED_MAX: usize = 10 * DAV_ENTRIES_MAX;
/// Answers that are parsed at once, of all servers together.
pub const DAV_PARSERS_AT_ONCE: usize = 2;
/// Bytes of the token of a listing of changes; longer ones would be kept, and sent with every look.
pub const DAV_TOKEN_BYTES_MAX: usize = 4_096;
/// Bytes of the state of a resource, for the same reason.
pub const DAV_ETAG_BYTES_MAX: usize = 1_024;
/// Characters of the name of a collection.
pub const DAV_NAME_CHARS_MAX: usize = 200;
/// Places of a server that are looked at for what an account has.
pub const DAV_PLACES_MAX: usize = 7;
/// Homes of one account: its own, and those of others that it may look into.
pub const DAV_HOMES_MAX: usize = 30;
/// Redirections that are followed.
pub const DAV_REDIRECTS_MAX: usize = 5;
/// Resources asked for in one request.
pub const DAV_MULTIGET_MAX: usize = 100;
/// Resources asked for one by one, at once.
pub const DAV_GETS_AT_ONCE: usize = 8;
/// Resources asked for one by one in one pass over an account, where a server leaves them out when it is asked for several:
/// each is a request of its own. The rest comes with the next pass.
pub const DAV_SINGLY_MAX: usize = 500;
/// Collections of one account.
pub const DAV_COLLECTIONS_MAX: usize = 200;
/// Those that are followed, with those that are there and not listed any more.
pub const DAV_KNOWN_COLLECTIONS_MAX: usize = 2 * DAV_COLLECTIONS_MAX;
