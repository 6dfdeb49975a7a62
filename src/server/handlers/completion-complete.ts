import { completionArgumentsMax, completionCharsMax } from "../../base/limits.ts";
import type { CompletionRequest } from "../../calls/features.ts";
import { encodeCompletion } from "../../protocol/completion-codec.ts";
import { createFault, errorCodes, isObject, type Params } from "../../protocol/json-rpc.ts";
import { isAtLeast } from "../../protocol/versions.ts";
import type { ActiveRequest } from "../connection/active-request.ts";
import type { ServedConnection } from "../context/server-context.ts";
import { featureOf } from "../context/feature-of.ts";
import { faultReply, invalidParams, type MethodReply, resultReply } from "../connection/method.ts";
import { readStrings } from "./string-values.ts";

type Reading = CompletionRequest | { readonly problem: string };

/** `completion/complete`; bounded in size and in rate (docs/spec/modern.md#resources-and-prompts). */
export function handleCompletionComplete(
  request: ActiveRequest,
  connection: ServedConnection,
): MethodReply | Promise<MethodReply> {
  if (!connection.server.completionRate.take(request.client.id)) {
    return faultReply(createFault(errorCodes.internalError, "Too many completions: try later"));
  }
  // `context` exists from 2025-06-18 on.
  const context = isAtLeast(request.version, "2025-06-18") ? request.params?.context : undefined;
  const reading = readCompletion(request.params ?? {}, context);
  if ("problem" in reading) return invalidParams(reading.problem);
  return complete(reading, request, connection);
}

async function complete(
  reading: CompletionRequest,
  request: ActiveRequest,
  connection: ServedConnection,
): Promise<MethodReply> {
  const all = await featureOf(connection, "completion").complete(reading, request.client);
  if (all === undefined) return invalidParams("ref names nothing that can be completed");
  return resultReply(encodeCompletion(all, request.version));
}

function readCompletion({ ref, argument }: Params, context: unknown): Reading {
  const read = readRef(ref);
  if (read === undefined) {
    return { problem: 'ref must be {"type":"ref/prompt","name"} or {"type":"ref/resource","uri"}' };
  }
  if (!isObject(argument) || !isShort(argument.name) || !isShort(argument.value)) {
    return { problem: `argument must have name and value ${shortText}` };
  }
  const others = readOthers(context);
  if (others === undefined) {
    return {
      problem: `context.arguments must be at most ${completionArgumentsMax} values ${shortText}`,
    };
  }
  return { ref: read, argumentName: argument.name, typed: argument.value, others };
}

function readRef(ref: unknown): CompletionRequest["ref"] | undefined {
  if (!isObject(ref)) return undefined;
  if (ref.type === "ref/prompt" && isShort(ref.name)) return { kind: "prompt", name: ref.name };
  if (ref.type === "ref/resource" && isShort(ref.uri)) {
    return { kind: "resource", uriTemplate: ref.uri };
  }
  return undefined;
}

/** Undefined when they are malformed or too many. */
function readOthers(context: unknown): Readonly<Record<string, string>> | undefined {
  if (context === undefined) return {};
  if (!isObject(context)) return undefined;
  const { arguments: given = {} } = context;
  if (!isObject(given) || Object.keys(given).length > completionArgumentsMax) return undefined;
  const others = readStrings(given);
  if (others.kind === "refused" || !Object.values(others.values).every(isShort)) return undefined;
  return others.values;
}

const shortText = `as strings of at most ${completionCharsMax} characters`;

function isShort(value: unknown): value is string {
  return typeof value === "string" && value.length <= completionCharsMax;
}
