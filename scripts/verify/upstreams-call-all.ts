import { ownName } from "./upstreams-direct.ts";
import type { CallPlace, RealCall } from "./upstreams-calls.ts";
import { leastArguments } from "../../test/e2e/harness/least-arguments.ts";
import type { CalledResult, ListedTool, RealClient } from "../../test/e2e/harness/real-client.ts";
import type { RealServer } from "./upstreams-servers.ts";

interface Work {
  readonly server: RealServer;
  readonly client: RealClient;
  /** Its tools, as it lists them itself. */
  readonly tools: readonly ListedTool[];
  readonly place: CallPlace;
  /** What each tool said last; written here. */
  readonly said: Map<string, string>;
}

interface Called {
  readonly count: number;
  /** Answers that are errors of the server's own. */
  readonly errorsCount: number;
  readonly faults: readonly string[];
}

/** Sentences that are ours and not the server's: nothing of that may be an answer here. */
const oursPattern =
  /^The server \S+ (cannot be reached|did not answer|is busy|answered \S+ with|could not be asked|was stopped)|The connection to the server/;

/** Calls what the table has, in its order, and then each tool that it does not have with the least that its schema allows. */
export async function callAll(work: Work): Promise<Called> {
  const { server, tools, place } = work;
  const table = server.calls(place);
  const known = new Set(table.map(({ tool }) => tool));
  const others = tools
    .filter(({ name }) => !known.has(name) && !(name in (server.uncalled ?? {})))
    .map((tool): RealCall => ({
      tool: tool.name,
      args: leastArguments(tool.inputSchema),
      mayFail: true,
    }));
  const faults: string[] = [];
  let errorsCount = 0;
  for (const call of [...table, ...others]) {
    const { isError, fault } = await callOne(work, call);
    if (isError) errorsCount += 1;
    if (fault !== undefined) faults.push(`${call.tool}: ${fault}`);
  }
  return { count: table.length + others.length, errorsCount, faults };
}

async function callOne(
  { server, client, said }: Work,
  { tool, args, says, mayFail }: RealCall,
): Promise<{ readonly isError: boolean; readonly fault?: string }> {
  let result: CalledResult;
  try {
    result = await client.callTool(ownName(server.name, tool), args);
  } catch (error) {
    // An error of the protocol that is the server's own is an answer too.
    const text = error instanceof Error ? error.message : String(error);
    return mayFail === true && !oursPattern.test(text)
      ? refused(tool, text)
      : { isError: true, fault: `failed: ${text}` };
  }
  const text = JSON.stringify(result);
  said.set(tool, text);
  const isError = result.isError === true;
  if (isError && (mayFail !== true || oursPattern.test(firstText(result)))) {
    return { isError, fault: `an error: ${text.slice(0, 300)}` };
  }
  if (says !== undefined && !text.includes(says)) {
    return { isError, fault: `${JSON.stringify(says)} is not in ${text.slice(0, 300)}` };
  }
  return isError ? refused(tool, text) : { isError };
}

function refused(tool: string, text: string): { readonly isError: boolean } {
  console.log(`upstreams: ${tool} is refused by its server: ${text.slice(0, 300)}`);
  return { isError: true };
}

function firstText({ content }: CalledResult): string {
  const [first] = content as readonly { readonly text?: string }[];
  return first?.text ?? "";
}
