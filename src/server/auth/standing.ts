/**
 * The current standing of a request's token. Sessions and streams outlast the request that opened them, so it is checked again
 * while they are open.
 */
export type Standing =
  | "valid"
  /** Its time is over: its holder may come back with a new one. */
  | "expired"
  /** It was taken back: what it opened is to end. */
  | "withdrawn";
