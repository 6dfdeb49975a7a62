import { isObject, likeOriginal } from "../../base/values.ts";
import type { JsonText } from "../../base/weight.ts";
import type { Params } from "../../protocol/json-rpc.ts";
import type { ServerEntry } from "../config/server-entry.ts";
import type { ConnectionReply, ConnectionRequest } from "../connect/connection.ts";
import { type ForeignSkill, skillIn } from "../connect/foreign-skill.ts";
import { mapStrings } from "../results/clean-result.ts";
import { shapeCallResult, type ResultParts } from "../results/shape-call-result.ts";
import {
  shapeCompletion,
  shapeContents,
  shapePrompt,
  type SkillsOfServer,
  verifySkillFile,
} from "../results/shape-contents.ts";
import type { UpstreamCall, UpstreamCallEvents } from "../upstreams.ts";
import type { ManagedServer } from "./managed-server.ts";
import type { ManagerParts } from "./manager-parts.ts";

interface ReplyParts extends Pick<ManagerParts, "results" | "checks"> {
  readonly events: Pick<UpstreamCallEvents, "keep">;
}

/**
 * Turns a server's answer into the client's result; at once where nothing in it has to be checked or kept elsewhere.
 * @throws UnusableAnswer
 */
export function shapeReply(
  answer: unknown,
  call: UpstreamCall,
  server: ManagedServer,
  { results, checks, events }: ReplyParts,
): JsonText | Promise<JsonText> {
  const parts: ResultParts = {
    server: server.name,
    clean: server.clean,
    charsMax: charsMaxOf(call, server.configured.entry),
    results: () => results.of(call.clientId, events),
  };
  switch (call.method) {
    case "resources/read":
      verifySkillFile(answer, String(call.params.uri), skillsOf(server));
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

function skillsOf({ offer }: ManagedServer): SkillsOfServer {
  const judged = offer.current?.judged.prompts ?? [];
  const skills = (isApproved: boolean): readonly ForeignSkill[] =>
    judged.flatMap((one) =>
      (one.state === "approved") === isApproved ? (skillIn(one.item) ?? []) : [],
    );
  return { approved: skills(true), others: skills(false) };
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

type Asked = Exclude<ConnectionReply, { kind: "result" }>;

/** The events of a call, with control sequences and secrets removed. */
export function cleanEvents(
  events: UpstreamCallEvents,
  clean: (text: string) => string,
  wantsProgress: boolean,
): Pick<ConnectionRequest, "ask" | "onLog" | "onProgress"> {
  return {
    ask: (request) => events.ask(likeOriginal(request, mapStrings(request, clean))),
    onLog: (level, data, logger) => {
      const name = logger === undefined ? undefined : clean(logger);
      events.log?.(level, mapStrings(data, clean), name);
    },
    ...(wantsProgress
      ? {
          onProgress: (done, total, message) => {
            events.onProgress?.(done, total, message === undefined ? undefined : clean(message));
          },
        }
      : {}),
  };
}

/** Cleans an error or questions; the ids of questions and the state return to the server unchanged. */
export function cleanReply(reply: Asked, clean: (text: string) => string): Asked {
  if (reply.kind === "fault") {
    const { code, message, data } = reply.fault;
    const more = data === undefined ? {} : { data: mapStrings(data, clean) };
    return { kind: "fault", fault: { code, message: clean(message), ...more } };
  }
  const requests = Object.entries(reply.requests).map(
    ([id, request]) => [id, likeOriginal(request, mapStrings(request, clean))] as const,
  );
  return { ...reply, requests: Object.fromEntries(requests) };
}
