/** The pages on which a principal of a server over HTTP logs in to an upstream server. */

/** Their folder on the server. */
export const loginPagesPath = "/oauth";
/** The page of a principal's logins. */
export const ownLoginsPath = `${loginPagesPath}/logins`;

/** The part of a request that the pages need; its sender was checked. */
export interface LoginPageRequest {
  /**
   * `show` and `begin` are GET and POST of the page of one login; `callback` is where the browser comes back to; `logins`
   * and `own` are GET and POST of the page of all logins of a principal.
   */
  readonly kind: "show" | "begin" | "callback" | "logins" | "own";
  /** The query; of a POST the form. */
  readonly fields: string;
  /** The secret of this browser. */
  readonly browser: string;
  /** The principal whose token was in the form, where it was valid. */
  readonly proven?: string;
  /** The upstream servers that exist for that token; absent: all. */
  readonly servers?: readonly string[];
}

export interface LoginPageReply {
  readonly status: number;
  /** A whole document; empty with `location`. */
  readonly html: string;
  /** Where the browser goes next. */
  readonly location?: string;
}
