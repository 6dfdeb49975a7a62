import { isObject } from "../../base/values.ts";
import type { JsonText } from "../../base/weight.ts";
import type { Params } from "../../protocol/json-rpc.ts";
import type { ServerEntry } from "../config/server-entry.ts";
import { type ResultParts, shapeCallResult } from "../results/shape-call-result.ts";
import {
  shapeCompletion,
  shapeContents,
  shapePrompt,
  verifySkillFile,
} from "../results/shape-contents.ts";
import type { UpstreamCall, UpstreamCallEvents } from "../upstreams.ts";
import type { ManagedServer } from "./managed-server.ts";
import type { ManagerParts } from "./manager-parts.ts";

/**
 * Turns a server's answer into the client's result; at once where nothing in it has to be checked or kept elsewhere.
 * @throws UnusableAnswer
 */
export function shapeReply(
  answer: unknown,
  call: UpstreamCall,
  server: ManagedServer,
  events: UpstreamCallEvents,
  { results, checks, clean }: Pick<ManagerParts, "results" | "checks"> & Pick<ResultParts, "clean">,
): JsonText | Promise<JsonText> {
  const parts: ResultParts = {
    server: server.name,
    clean,
    charsMax: charsMaxOf(call, server.configured.entry),
    results: () => results.of(call.clientId, events),
  };
  switch (call.method) {
    case "resources/read":
      verifySkillFile(answer, String(call.params.uri), server.offer.skills);
      return shapeContents(answer, parts);
    case "prompts/get":
      return shapePrompt(answer, parts);
    case "completion/complete":
      return shapeCompletion(answer, parts);
    case "tools/call": {
      const tool = String(call.params.name);
      const schema = server.offer.tool(tool)?.item.outputSchema;
      const structured = isObject(answer) ? answer.structuredContent : undefined;
      const fault = isObject(schema) ? structureFault(schema, structured, checks) : undefined;
      const onProblem = (problem: string): void => server.log.say(problem);
      const { promisesStructure = false } = call;
      const shape = (structureFault: string | undefined): JsonText | Promise<JsonText> => {
        const told = { ...parts, tool, structureFault, promisesStructure, onProblem };
        return shapeCallResult(answer, told, call.version);
      };
      return fault instanceof Promise ? fault.then(shape) : shape(fault);
    }
  }
}

/** The limit of characters: the user's entry overrides the client's; a project's can only lower it (CA13). */
function charsMaxOf({ resultCharsMax }: UpstreamCall, { options, origin }: ServerEntry): number {
  const { maxResultChars } = options;
  if (maxResultChars === undefined) return resultCharsMax;
  return origin.trust === "user" ? maxResultChars : Math.min(resultCharsMax, maxResultChars);
}

function structureFault(
  schema: Params,
  structured: unknown,
  checks: ManagerParts["checks"],
): ReturnType<ManagerParts["checks"]["check"]> {
  return structured === undefined ? "it is missing" : checks.check(schema, structured);
}
