import { AppError, messageOf } from "../base/errors.ts";
import { mcpEntryBytesMax } from "../base/upstream-limits.ts";
import { type ReadCall, readCall } from "../upstream/adapters/tool-calls.ts";
import { parseJsonArguments, parsePairs, parsePairsFreely } from "./call-arguments.ts";
import type { CallArguments } from "./call-arguments.ts";
import type { CommandIo } from "./command-io.ts";
import { readAll } from "./read-all.ts";
import type { ToolListing } from "../protocol/tool-types.ts";

/**
 * The call that a command line asks for: a name with arguments, or `-` alone for a whole call on stdin, in any form.
 * @param find the definition of a tool, which says what values mean
 * @throws {AppError} `usage`
 */
export async function readToolCall(
  [name = "", ...words]: readonly string[],
  io: CommandIo,
  find: (name: string) => Promise<ToolListing | undefined>,
): Promise<ReadCall> {
  if (name === "-") return readCall(parseCall(await stdinText(io)));
  const args = await readArguments(words, io, () => find(name));
  return { kind: "call", call: { name, arguments: args } };
}

async function readArguments(
  words: readonly string[],
  io: CommandIo,
  find: () => Promise<ToolListing | undefined>,
): Promise<CallArguments> {
  const [first = "", second] = words;
  if (second === undefined && first === "-") return parseJsonArguments(await stdinText(io));
  if (second === undefined && first.trimStart().startsWith("{")) return parseJsonArguments(first);
  const tool = await find();
  return tool === undefined ? parsePairsFreely(words) : parsePairs(words, tool.inputSchema);
}

async function stdinText(io: CommandIo): Promise<string> {
  return new TextDecoder().decode(await readAll(io.stdin, mcpEntryBytesMax, "Standard input"));
}

function parseCall(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new AppError("usage", `The call on stdin is not JSON: ${messageOf(error)}`, {
      cause: error,
    });
  }
}
