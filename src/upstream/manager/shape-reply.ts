import type { JsonText } from "../../base/json-text.ts";
import { isObject, type Params } from "../../protocol/json-rpc.ts";
import { shapeCallResult, type ResultParts } from "../results/shape-call-result.ts";
import { shapeContents } from "../results/shape-contents.ts";
import { shapeCompletion, shapePrompt } from "../results/shape-prompt.ts";
import type { UpstreamCall } from "../upstreams.ts";
import type { ManagedServer } from "./managed-server.ts";
import type { ManagerParts } from "./manager-parts.ts";

/**
 * A server's answer as a client may get it.
 * @throws UnusableAnswer
 */
export async function shapeReply(
  answer: unknown,
  call: UpstreamCall,
  server: ManagedServer,
  { results, checks }: ManagerParts,
): Promise<JsonText> {
  const { maxResultChars } = server.configured.entry.options;
  const parts: ResultParts = {
    server: server.name,
    clean: server.clean,
    charsMax: Math.min(call.resultCharsMax, maxResultChars ?? call.resultCharsMax),
    results,
  };
  switch (call.method) {
    case "resources/read":
      return shapeContents(answer, parts);
    case "prompts/get":
      return shapePrompt(answer, parts);
    case "completion/complete":
      return shapeCompletion(answer, parts);
    case "tools/call": {
      const tool = String(call.params.name);
      const schema = server.tool(tool)?.item.outputSchema;
      const structured = isObject(answer) ? answer.structuredContent : undefined;
      const fault = isObject(schema) ? await structureFault(schema, structured, checks) : undefined;
      const onProblem = (problem: string): void => server.log.say(problem);
      const told = { ...parts, tool, structureFault: fault, onProblem };
      return shapeCallResult(answer, told, call.version);
    }
  }
}

async function structureFault(
  schema: Params,
  structured: unknown,
  checks: ManagerParts["checks"],
): Promise<string | undefined> {
  return structured === undefined ? "it is missing" : checks.check(schema, structured);
}
