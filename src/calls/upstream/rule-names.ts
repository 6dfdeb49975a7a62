import { cleanServer, originalName, uncutName } from "../../upstream/names/assign-names.ts";
import { foreignToolOf } from "../call-target.ts";
import { type CallTarget } from "../call.ts";

/**
 * Further names under which rules may refer to a call: an upstream tool uncut, as its server writes it, and all
 * tools of the server (TR9). None for own tools.
 */
export function ruleNamesOf(target: CallTarget | undefined): readonly string[] {
  const named = foreignToolOf(target);
  if (named === undefined) return [];
  const { server, tool } = named;
  return [
    originalName(server, tool),
    uncutName(server, tool),
    `mcp__${server}`,
    `mcp__${cleanServer(server)}`,
  ];
}
