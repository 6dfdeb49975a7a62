import { isObject } from "../../base/values.ts";
import type { Work } from "../../commands/background/execution.ts";
import type { SavedOutput } from "../../commands/background/saved-output.ts";
import type { SavedOutputs } from "../../commands/background/saved-outputs.ts";
import type { BackgroundTask } from "../../commands/background/client-tasks.ts";
import type { Supervisor } from "../../commands/background/supervisor.ts";
import { textOf } from "../../upstream/adapters/text-of.ts";
import type { CallOutcome, CallRequest } from "../call.ts";
import { readOwnUri } from "../own-uri.ts";

export interface HandOverParts {
  readonly supervisor: Pick<Supervisor, "adopt" | "hasRoom">;
  /** Keeps content that is not text. */
  readonly savedOutputs: Pick<SavedOutputs, "create">;
}

type WorkExit = Awaited<Work["ended"]>;

/** Characters of the arguments by which a task is known in lists. */
const argumentCharsMax = 500;

/**
 * Makes a call that goes on a background task of its client: its output is the result, when that is there.
 * @param running the call; @param abandon gives it up
 */
export function handOver(
  { supervisor, savedOutputs }: HandOverParts,
  { name, args, client }: CallRequest,
  running: Promise<CallOutcome>,
  abandon: () => void,
): BackgroundTask {
  const shownArgs = JSON.stringify(args ?? {}).slice(0, argumentCharsMax);
  return supervisor.adopt(client.id, `${name} ${shownArgs}`.toWellFormed(), (execution) => {
    const { promise: given, resolve } = Promise.withResolvers<WorkExit>();
    let isGivenUp = false;
    const end = (): void => {
      isGivenUp = true;
      abandon();
      resolve({ exitCode: null, signal: null });
    };
    const print = async (outcome: CallOutcome): Promise<WorkExit> => {
      // A task that has ended prints nothing any more.
      if (isGivenUp) return given;
      const { text, isError } = await outputOf(outcome, () => savedOutputs.create(client.id));
      await execution.onOutput(new TextEncoder().encode(text));
      return { exitCode: isError ? 1 : 0, signal: null };
    };
    const failed = (error: unknown): Promise<WorkExit> =>
      print({ kind: "fault", fault: { code: 0, message: String(error) } });
    const ended = Promise.race([running.then(print, failed), given]);
    return { ended, end };
  });
}

interface Output {
  readonly text: string;
  readonly isError: boolean;
}

async function outputOf(
  outcome: CallOutcome,
  createFile: () => SavedOutput | undefined,
): Promise<Output> {
  switch (outcome.kind) {
    case "result":
      return resultOutput(outcome.json, createFile);
    case "fault":
      return { text: `${outcome.fault.message}\n`, isError: true };
    case "input-required":
      return { text: "The server asked for something that nobody could answer.\n", isError: true };
    case "cancelled":
      return { text: "The call was cancelled.\n", isError: true };
  }
}

/** The text of the result; where it is more than text, all of it is in a file. */
async function resultOutput(
  json: string,
  createFile: () => SavedOutput | undefined,
): Promise<Output> {
  const result: unknown = JSON.parse(json);
  if (!isObject(result)) return { text: json, isError: false };
  const isError = result.isError === true;
  const text = `${textOf(result)}\n`;
  const blocks: readonly unknown[] = Array.isArray(result.content) ? result.content : [];
  const isText = blocks.length > 0 && blocks.every(isWhollyText);
  if (isText && result.structuredContent === undefined) return { text, isError };
  const saved = createFile();
  if (saved === undefined) return { text: `${text}${json}\n`, isError };
  await saved.append(new TextEncoder().encode(json));
  await saved.finish();
  return { text: `${text}[The result as JSON: ${saved.path}]\n`, isError };
}

/** Text, or the link to our own file of a text that was cut, which says where the whole is. */
function isWhollyText(block: unknown): boolean {
  if (!isObject(block)) return false;
  const isLink = block.type === "resource_link" && typeof block.uri === "string";
  return block.type === "text" || (isLink && readOwnUri(String(block.uri))?.kind === "result");
}
