import { isObject } from "../../protocol/json-rpc.ts";
import type { PromptListing } from "../../protocol/prompt-types.ts";
import { encodePromptResult } from "../../protocol/prompts-codec.ts";
import type { ActiveRequest } from "../connection/active-request.ts";
import { withRounds } from "../ask/with-rounds.ts";
import type { ServedConnection } from "../context/server-context.ts";
import { featureOf } from "../context/feature-of.ts";
import { HandlerContext } from "./handler-context.ts";
import { invalidParams, type MethodReply, resultReply } from "../connection/method.ts";
import { readStrings } from "./string-values.ts";

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
