/** The limits of one search. */

/** How long a search waits, in ms; in one value so that tests on a busy machine can wait longer. */
export interface SearchDeadlines {
  /** From the first byte sent to an engine to the last one received, all its requests together; peers use 3 to 20 s. */
  readonly engineMsMax: number;
  /** From the start of a search to its reply, whatever is missing. */
  readonly searchMsMax: number;
  /** The part of a search's time that is reserved for the answer of an engine whose turn comes late. */
  readonly answerMsMin: number;
  /** The time for the remaining engines when enough answers have come. */
  readonly earlyGraceMs: number;
}

export const searchDeadlines: SearchDeadlines = {
  engineMsMax: 4_000,
  searchMsMax: 6_000,
  answerMsMin: 1_000,
  earlyGraceMs: 1_000,
};

/** So many engines settled and so many pages found are enough. */
export const earlySettledMin = 7;
export const earlyPagesMin = 10;
/** Bytes of one answer, decompressed; captured pages reach 547 kB. */
export const answerBytesMax = 3 * 1024 * 1024;

/** Between two requests to the same engine. */
export const engineGapMs = 1_000;
/** DuckDuckGo blocks clients that come sooner. */
export const slowEngineGapMs = 5_000;

/** A reply is given again this long. */
export const cacheAgeMsMax = 15 * 60_000;
/** Replies that are kept; one has some 10 kB. */
export const cachedQueriesMax = 200;

/** Characters of a reply's text. */
export const replyCharsMax = 8_000;

/** Characters of a query; DuckDuckGo refuses more than 499, others some thousand. */
export const queryCharsMax = 500;
/** Characters of the shown parts of one result (ranking, "Cleaning a result"). */
export const titleCharsMax = 200;
export const snippetCharsMax = 300;
/** Characters of a result's address; ten longer ones would leave no room for anything else. */
export const urlCharsMax = 1500;
/** Characters of an engine's own message, which may come from the network. */
export const detailCharsMax = 120;
