import type { SearchReply, SearchRequest } from "./search-reply.ts";

/** The search of the web. */
export interface WebSearch extends AsyncDisposable {
  /**
   * Answers within 6 s; engines that fail are in the reply, never thrown.
   * @throws AppError `usage` for a blank query, `cancelled`
   */
  search(request: SearchRequest, signal: AbortSignal): Promise<SearchReply>;
  /**
   * Asks every engine there is the same query, to see which of them answer from this network. Suspended ones are not
   * asked here either.
   * @throws AppError `cancelled`
   */
  report(signal: AbortSignal): Promise<SearchReply>;
  /** Ends all suspensions, for all processes. False when the store cannot be used. */
  forget(): boolean;
}
