import { oneLine } from "../../base/cut-text.ts";
import { upstreamIntroductionCharsMax } from "../../base/limits.ts";
import { cleanText } from "../adapters/clean-text.ts";

/**
 * What a server says of itself as one line in quotes, so that it is not taken for words of ours (TR7).
 * @param instructions of the server, approved
 */
export function introductionOf(server: string, instructions: string): string {
  const room = upstreamIntroductionCharsMax - server.length - 4;
  // Its own quotes would end ours.
  const said = oneLine(cleanText(instructions).replaceAll('"', "'"), room);
  return `${server}: "${said}"`;
}
