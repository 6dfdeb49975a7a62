import { Cancellation, orAborted } from "../base/cancellation.ts";
import { AppError } from "../base/errors.ts";
import { product } from "../base/product.ts";
import type { CallOutcome, Router } from "../calls/call.ts";
import { configKeys, toolKeyName } from "../config/keys.ts";
import { nearestName, suggestionFor } from "../config/nearest-name.ts";
import { legacyVersionLatest } from "../protocol/message.ts";
import type { CommonCall, ToolFormat } from "../upstream/adapters/tool-definitions.ts";
import { loadUpstreamConfig } from "../upstream/config/load-upstream-config.ts";
import { configPartsOf } from "../upstream/config/upstream-start.ts";
import { toolCallName } from "../upstream/search/gateway-tools.ts";
import { type CommandIo, exitCodes } from "./command-io.ts";
import type { CommandContext, OpenRouter } from "./command.ts";
import { printFailed, printOutcome } from "./print-outcome.ts";
import { readToolCall } from "./read-tool-call.ts";
import { trustOf } from "./server-rows.ts";
import type { StartUp } from "./start-up.ts";
import { commandLineClient, findTool } from "./tool-list.ts";

/** One call of a command. */
export interface ToolCallOfCommand {
  readonly start: StartUp;
  readonly open: OpenRouter;
  /** Of the result; undefined: its text alone. */
  readonly format: ToolFormat | undefined;
  readonly words: readonly string[];
}

/**
 * Calls a tool as a client would, and prints the outcome.
 * @param words the name and its arguments, as `call` takes them
 * @returns the exit code
 * @throws {AppError} `usage`, `not_found`
 */
export async function callTool(
  context: CommandContext,
  { start, open, format, words }: ToolCallOfCommand,
): Promise<number> {
  const { io, print } = context;
  const find = (name: string): ReturnType<typeof findTool> => findTool(name, open, start, io);
  const isWhole = words[0] === "-";
  if (!isWhole) await assertKnown(words[0] ?? "", find, open.router, start);
  const read = await readToolCall(words, io, find);
  if (read.kind === "malformed") {
    printFailed(read.text, { format, callId: read.id }, print);
    return exitCodes.failed;
  }
  const { name, id } = read.call;
  try {
    if (isWhole) await assertKnown(name, find, open.router, start);
  } catch (error) {
    // A model named it: it is told, and names another one.
    if (!(error instanceof AppError) || error.code !== "not_found") throw error;
    printFailed(error.message, { format, callId: id }, print);
    return exitCodes.notFound;
  }
  const outcome = await outcomeOf(read.call, context, start, open);
  const code = printOutcome(outcome, { format, callId: id }, print);
  return code === exitCodes.notFound ? codeOfUnknown(name, context, start) : code;
}

async function outcomeOf(
  { name, arguments: args }: CommonCall,
  { io }: CommandContext,
  start: StartUp,
  open: OpenRouter,
): Promise<CallOutcome> {
  const call = (): Promise<CallOutcome> =>
    open.router.call({
      name,
      args,
      wantsData: true,
      version: legacyVersionLatest,
      client: commandLineClient(start, io.cwd),
      cancellation: Cancellation.following(io.interrupted),
    });
  const wait = async (): Promise<void> => {
    await orAborted(open.upstreamTools?.({ waits: true }) ?? Promise.resolve([]), io.interrupted);
  };
  // What it says of a name that nobody has is a result like any other.
  if (name === toolCallName && open.router.isOpen === true) await wait();
  const outcome = await call();
  const isUnknown = outcome.kind === "fault" && outcome.refusal === "invalid";
  if (!isUnknown || open.router.isOpen !== true) return outcome;
  // It may be of a server that is still starting; nothing has been called.
  await wait();
  return call();
}

/** No server that may be started has it, but a server that waits for approval may. */
async function codeOfUnknown(
  name: string,
  { io, print }: CommandContext,
  start: StartUp,
): Promise<number> {
  const waiting = await waitingServer(name, start, io);
  if (waiting === undefined) return exitCodes.notFound;
  print.note(`The server ${waiting} has to be approved: ${product.name} mcp approve ${waiting}`);
  return exitCodes.needsApproval;
}

/** Names of upstream tools may be aliases, which the caller knows. @throws {AppError} `not_found` */
async function assertKnown(
  name: string,
  find: (name: string) => ReturnType<typeof findTool>,
  router: Router,
  start: StartUp,
): Promise<void> {
  if (router.isOpen === true || (await find(name)) !== undefined) return;
  throw unknownTool(name, router, start);
}

function unknownTool(name: string, router: Router, { config }: StartUp): AppError {
  if (configKeys.has(toolKeyName(name)) && !config.settings.isToolEnabled(name)) {
    const message = `The tool ${name} is switched off. See: ${product.name} config list --show-source`;
    return new AppError("not_found", message);
  }
  const names = router.list().map((listing) => listing.name);
  const more = nearestName(name, names) === undefined ? ` There are: ${names.join(", ")}.` : "";
  return new AppError("not_found", `There is no tool ${name}.${suggestionFor(name, names)}${more}`);
}

/** The server of a tool's name, if it waits for approval. */
async function waitingServer(
  toolName: string,
  start: StartUp,
  io: CommandIo,
): Promise<string | undefined> {
  const { servers } = loadUpstreamConfig(configPartsOf(start, io.env));
  for (const [name, server] of servers) {
    const isMeant = [`mcp__${name}__`, `mcp:${name}.`, `mcp_${name}_`].some((head) =>
      toolName.startsWith(head),
    );
    if (!isMeant || !server.entry.isEnabled) continue;
    const trust = await trustOf(server, start);
    if (trust === "pending" || trust === "denied") return name;
  }
  return undefined;
}
