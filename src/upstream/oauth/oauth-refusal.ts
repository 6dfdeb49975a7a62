import { AppError } from "../../base/errors.ts";
import { oauthErrorCharsShown } from "../../base/upstream-limits.ts";
import { cleanText } from "../adapters/text-of.ts";

/** Something in a login breaks a rule, and it is given up. */
export function refusal(message: string): AppError {
  return new AppError("refused", message);
}

/** What an authorization server answered in place of a token. */
export class OauthError extends Error {
  override readonly name = "OauthError";

  /**
   * @param code as `invalid_grant`, or `http_500` where it gave none
   * @param who for the message
   */
  constructor(
    readonly code: string,
    description: string,
    who = "The authorization server",
  ) {
    super(`${who} refuses: ${shown(code)}${described(description)}.`);
  }

  /** True when the same request would be refused again. */
  get isFinal(): boolean {
    return !/^http_(?:5\d\d|408|429)$|^(?:server_error|temporarily_unavailable)$/.test(this.code);
  }
}

/** A text of another side, fit for one line of a message. */
export function shown(text: string): string {
  return cleanText(text.slice(0, oauthErrorCharsShown)).replaceAll(/\s+/g, " ").trim();
}

function described(description: string): string {
  return description === "" ? "" : ` (${shown(description)})`;
}
