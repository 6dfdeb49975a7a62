import { completionArgumentsMax, completionCharsMax } from "../../base/limits.ts";
import { isObject } from "../../base/values.ts";
import type { CompletionRequest } from "../../calls/features.ts";
import { createFault, errorCodes, type Params } from "../../protocol/json-rpc.ts";
import { isAtLeast } from "../../protocol/message.ts";
import {
  encodeCompletion,
  encodePromptResult,
  encodePromptsList,
  type PromptListing,
} from "../../protocol/prompts.ts";
import type { ActiveRequest } from "../connection/active-request.ts";
import {
  badParams,
  faultReply,
  invalidParams,
  type MethodReply,
  resultReply,
} from "../connection/replies.ts";
import { listCacheHints } from "../context/list-cache-hints.ts";
import { featureOf, type ServedConnection } from "../context/server-context.ts";
import { withRounds, HandlerContext, pageReply } from "./handler-context.ts";

type StringValues =
  | { readonly kind: "strings"; readonly values: Readonly<Record<string, string>> }
  /** The first one that is not a string. */
  | { readonly kind: "refused"; readonly name: string };

/** Arguments of prompts and completions are strings (docs/spec/modern.md#resources-and-prompts). The copy has no prototype. */
function readStrings(given: Params): StringValues {
  const values: Record<string, string> = Object.create(null);
  for (const [name, value] of Object.entries(given)) {
    if (typeof value !== "string") return { kind: "refused", name: name.slice(0, 100) };
    values[name] = value;
  }
  return { kind: "strings", values };
}

/** `prompts/list` (docs/spec/modern.md#resources-and-prompts). */
export async function handlePromptsList(
  request: ActiveRequest,
  connection: ServedConnection,
): Promise<MethodReply> {
  const entries = await featureOf(connection, "prompts").list(request.client);
  const hints = listCacheHints(connection.server.features, "prompts", request.client);
  return pageReply(request, { name: "prompts", entries, keyOf: ({ name }) => name }, (page) =>
    encodePromptsList(page, request.version, hints),
  );
}

type PromptArguments = Readonly<Record<string, string>>;

/** `prompts/get`: checks name and arguments against the list (docs/spec/modern.md#resources-and-prompts). */
export function handlePromptsGet(
  request: ActiveRequest,
  connection: ServedConnection,
): MethodReply | Promise<MethodReply> {
  const { name, arguments: given = {} } = request.params ?? {};
  if (typeof name !== "string" || name === "") return invalidParams("name must be a prompt's name");
  if (!isObject(given)) return invalidParams("arguments must be an object");
  const args = readStrings(given);
  if (args.kind === "refused") {
    return invalidParams(`the argument ${args.name} must be a string`);
  }
  return withRounds(request, connection, () => get(name, args.values, request, connection));
}

async function get(
  name: string,
  args: PromptArguments,
  request: ActiveRequest,
  connection: ServedConnection,
): Promise<MethodReply> {
  const prompts = featureOf(connection, "prompts");
  const listings = await prompts.list(request.client);
  const listing = listings.find((entry) => entry.name === name);
  if (listing === undefined) return invalidParams(`there is no prompt ${shown(name)}`);
  const missing = missingArguments(listing, args);
  if (missing.length > 0) {
    return invalidParams(`the prompt ${shown(name)} needs the arguments ${missing.join(", ")}`);
  }
  const result = await prompts.get(name, args, new HandlerContext(request, connection));
  return resultReply(encodePromptResult(result, request.version));
}

function missingArguments(listing: PromptListing, args: PromptArguments): readonly string[] {
  const required = listing.arguments?.filter((argument) => argument.required === true) ?? [];
  return required.map(({ name }) => name).filter((name) => !Object.hasOwn(args, name));
}

function shown(name: string): string {
  return JSON.stringify(name.slice(0, 100));
}

/** `completion/complete`; bounded in size and in rate (docs/spec/modern.md#resources-and-prompts). */
export async function handleCompletionComplete(
  request: ActiveRequest,
  connection: ServedConnection,
): Promise<MethodReply> {
  if (!connection.server.completionRate.take(request.client.id)) {
    return faultReply(createFault(errorCodes.internalError, "Too many completions: try later"));
  }
  // `context` exists from 2025-06-18 on.
  const context = isAtLeast(request.version, "2025-06-18") ? request.params?.context : undefined;
  const wanted = readCompletion(request.params ?? {}, context);
  const all = await featureOf(connection, "completion").complete(wanted, request.client);
  if (all === undefined) return invalidParams("ref names nothing that can be completed");
  return resultReply(encodeCompletion(all, request.version));
}

/** @throws FaultError -32602 */
function readCompletion({ ref, argument }: Params, context: unknown): CompletionRequest {
  const read = readRef(ref);
  if (read === undefined) {
    throw badParams('ref must be {"type":"ref/prompt","name"} or {"type":"ref/resource","uri"}');
  }
  if (!isObject(argument) || !isShort(argument.name) || !isShort(argument.value)) {
    throw badParams(`argument must have name and value ${shortText}`);
  }
  const others = readOthers(context);
  if (others === undefined) {
    throw badParams(
      `context.arguments must be at most ${completionArgumentsMax} values ${shortText}`,
    );
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
