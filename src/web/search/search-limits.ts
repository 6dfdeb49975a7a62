/** Deadlines of one search (ranking, "Deadlines"), in ms, and what else bounds it. */

/** From the first byte sent to an engine to the last one received, all its requests together; peers use 3 to 20 s. */
export const engineMsMax = 4_000;
/** From the start of a search to its reply, whatever is missing. */
export const searchMsMax = 6_000;
/** Of a search's time, what is kept for the answer of an engine whose turn comes late. */
export const answerMsMin = 1_000;
/** With so many engines settled and so many pages found the rest gets a last second. */
export const earlySettledMin = 7;
export const earlyPagesMin = 10;
export const earlyGraceMs = 1_000;
/** Bytes of one answer, decompressed; captured pages reach 547 kB. */
export const answerBytesMax = 3 * 1024 * 1024;

/** Between two requests to the same engine. */
export const engineGapMs = 1_000;
/** DuckDuckGo blocks those who come sooner. */
export const slowEngineGapMs = 5_000;

/** A reply is given again this long. */
export const cacheAgeMsMax = 15 * 60_000;
/** Replies that are kept; one has some 10 kB. */
export const cachedQueriesMax = 200;

/** Characters of a reply's text. */
export const replyCharsMax = 8_000;
