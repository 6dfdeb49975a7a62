import { oneLine } from "../../base/cut-text.ts";
import { upstreamIntroductionCharsMax } from "../../base/upstream-limits.ts";
import { cleanText } from "../adapters/clean-text.ts";

/**
 * What a server says of itself as one line in quotes, so that it is not taken for words of ours (TR7).
 * @param instructions of the server, approved
 */
export function introductionOf(instructions: string): string {
  // Its own quotes would end ours.
  const said = cleanText(instructions).replaceAll('"', "'");
  return `"${oneLine(said, upstreamIntroductionCharsMax - 2)}"`;
}
