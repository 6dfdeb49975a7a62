/** Tokens for one server. Made by `oauth/`; connections know nothing of how tokens are got. */
export interface ServerAuth {
  /**
   * The token to send to `target` now, refreshed when it is due; undefined when there is none, or none for there. Never
   * asks the user.
   * @throws ConnectionError when it is due and cannot be refreshed for the moment
   */
  token(target: string | URL): Promise<string | undefined>;
  /**
   * The server refused with 401 or 403. True: another token is there, try once more. False: `needs_auth`.
   * @param used the token that was refused
   * @throws ConnectionError `needs_auth` where it is known why there is none; another one for a passing reason
   */
  refused(response: Response, used: string | undefined): Promise<boolean>;
}
