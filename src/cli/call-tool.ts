import { Cancellation } from "../base/cancellation.ts";
import { AppError } from "../base/errors.ts";
import { product } from "../base/product.ts";
import { isObject } from "../base/values.ts";
import type { CallOutcome, CallRefusal, ToolProvider } from "../calls/call.ts";
import { configKeys, toolKeyName } from "../config/keys.ts";
import { nearestName, suggestionFor } from "../config/nearest-name.ts";
import { legacyVersionLatest } from "../protocol/message.ts";
import { textOf } from "../upstream/adapters/text-of.ts";
import {
  type CommonCall,
  type ToolFormat,
  failedResult,
  resultIn,
} from "../upstream/adapters/tool-formats.ts";
import { loadUpstreamConfig } from "../upstream/config/load-upstream-config.ts";
import { configPartsOf } from "../upstream/config/upstream-start.ts";
import { toolCallName } from "../base/tool-kinds.ts";
import { type CommandIo, exitCodes, type Printer, orInterrupted } from "./command-io.ts";
import type { CommandContext, OpenTools } from "./command.ts";
import { trustOf } from "./configured-servers.ts";
import { readToolCall } from "./read-tool-call.ts";
import type { StartUp } from "./start-up.ts";
import { commandLineClient, findTool } from "./tool-list.ts";

/** One call of a command. */
export interface ToolCallOfCommand {
  readonly start: StartUp;
  readonly open: OpenTools;
  /** The format of the result; undefined: its text alone. */
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
  if (!isWhole) await assertKnown(words[0] ?? "", find, open.tools, start);
  const read = await readToolCall(words, io, find);
  if (read.kind === "malformed") {
    printFailed(read.text, { format, callId: read.id }, print);
    return exitCodes.failed;
  }
  const { name, id } = read.call;
  try {
    if (isWhole) await assertKnown(name, find, open.tools, start);
  } catch (error) {
    // A model named it: it reads the error, and names another one.
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
  open: OpenTools,
): Promise<CallOutcome> {
  const call = (): Promise<CallOutcome> =>
    open.tools.call({
      name,
      args,
      wantsData: true,
      version: legacyVersionLatest,
      client: commandLineClient(start, io.cwd),
      cancellation: Cancellation.following(io.interrupted),
    });
  const wait = async (): Promise<void> => {
    await orInterrupted(open.upstreamTools({ waits: true }), io.interrupted);
  };
  // Its answer to an unknown name is a result like any other.
  if (name === toolCallName && open.tools.takesOtherNames === true) await wait();
  const outcome = await call();
  const isUnknown = outcome.kind === "fault" && outcome.refusal === "invalid";
  if (!isUnknown || open.tools.takesOtherNames !== true) return outcome;
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
  tools: ToolProvider,
  start: StartUp,
): Promise<void> {
  if (tools.takesOtherNames === true || (await find(name)) !== undefined) return;
  throw unknownTool(name, tools, start);
}

function unknownTool(name: string, tools: ToolProvider, { config }: StartUp): AppError {
  if (configKeys.has(toolKeyName(name)) && !config.settings.isToolEnabled(name)) {
    const message = `The tool ${name} is switched off. See: ${product.name} config list --show-source`;
    return new AppError("not_found", message);
  }
  const names = tools.list().map((listing) => listing.name);
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

/** How the outcome of a call is printed. */
interface OutcomeForm {
  /** Undefined: the text alone. */
  readonly format: ToolFormat | undefined;
  /** The id of the call that is answered. */
  readonly callId?: string | undefined;
}

/** Prints how a call ended, the result alone on stdout, and gives the exit code (CA21). */
function printOutcome(outcome: CallOutcome, form: OutcomeForm, print: Printer): number {
  if (outcome.kind !== "result") return printFailure(outcome, form, print);
  const result = withData(outcome);
  if (form.format === undefined) print.content(contentText(result) || textOf(result));
  else print.json(resultIn(form.format, result, form.callId));
  const ended = endedWithCommand(result);
  if (ended !== undefined) {
    print.warning(
      `${ended} with this command: tasks and callbacks of a client end with the client.`,
    );
  }
  if (isObject(result) && result.isError === true) return codeOf(outcome.refusal);
  return exitCodes.done;
}

/** Programs get the structured content too; clients may get the text alone. */
function withData({ json, dataJson }: Extract<CallOutcome, { kind: "result" }>): unknown {
  const result: unknown = JSON.parse(json);
  if (!isObject(result) || dataJson === undefined || "structuredContent" in result) return result;
  const { isError, ...rest } = result;
  return { ...rest, structuredContent: JSON.parse(dataJson) as unknown, isError };
}

/** Programs get a failed result for a call that was not made or not answered (CA20). */
function printFailed(text: string, { format, callId }: OutcomeForm, print: Printer): void {
  if (format === undefined || format === "mcp") print.error(text);
  else print.json(resultIn(format, failedResult(text), callId));
}

function printFailure(
  outcome: Exclude<CallOutcome, { readonly kind: "result" }>,
  form: OutcomeForm,
  print: Printer,
): number {
  switch (outcome.kind) {
    case "fault":
      printFailed(outcome.fault.message, form, print);
      // Wrong arguments are a result here: what is left is a name that nothing has.
      return outcome.refusal === "invalid" ? exitCodes.notFound : codeOf(outcome.refusal);
    case "cancelled":
      printFailed("The call was cancelled.", form, print);
      return exitCodes.failed;
    case "input-required":
      printFailed("The tool asks a question, and the command line cannot answer it.", form, print);
      return exitCodes.failed;
  }
}

function codeOf(refusal: CallRefusal | undefined): number {
  return refusal === undefined || refusal === "invalid"
    ? exitCodes.failed
    : exitCodes.needsApproval;
}

/** Tasks and callbacks that the call began, whose end no client will see. */
function endedWithCommand(result: unknown): string | undefined {
  const structured = isObject(result) ? result.structuredContent : undefined;
  if (!isObject(structured)) return undefined;
  if (structured.state === "running") return "The task ends";
  const { callbacks } = structured;
  return Array.isArray(callbacks) && callbacks.length > 0 ? "The callback ends" : undefined;
}

/** The content of a tool's result as text; what is not text is named in brackets. */
function contentText(result: unknown): string {
  const content = fieldOf(result, "content");
  return Array.isArray(content) ? content.map(blockText).join("\n") : "";
}

function blockText(block: unknown): string {
  switch (fieldOf(block, "type")) {
    case "text":
      return textField(block, "text");
    case "image":
    case "audio":
      return `[${textField(block, "mimeType")}, ${Buffer.byteLength(textField(block, "data"), "base64")} bytes]`;
    case "resource_link":
      return `[${textField(block, "uri")}]`;
    case "resource":
      return resourceText(fieldOf(block, "resource"));
    default:
      return "[content of an unknown kind]";
  }
}

function resourceText(resource: unknown): string {
  const text = fieldOf(resource, "text");
  return typeof text === "string" ? text : `[${textField(resource, "uri")}]`;
}

function textField(value: unknown, name: string): string {
  const field = fieldOf(value, name);
  return typeof field === "string" ? field : "";
}

function fieldOf(value: unknown, name: string): unknown {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}
