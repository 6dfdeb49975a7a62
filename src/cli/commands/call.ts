import { Cancellation } from "../../base/cancellation.ts";
import { AppError } from "../../base/errors.ts";
import { product } from "../../base/product.ts";
import { configKeys, toolKeyName } from "../../config/keys.ts";
import { nearestName, suggestionFor } from "../../config/nearest-name.ts";
import type { CallOutcome, Router } from "../../gateway/call.ts";
import { legacyVersionLatest } from "../../protocol/versions.ts";
import type { Command, CommandContext } from "../command.ts";
import { exitCodes } from "../command-io.ts";
import { parseJsonArguments, parsePairs } from "../call-arguments.ts";
import { commandLineClient } from "../command-line-client.ts";
import { contentText } from "../content-text.ts";
import type { Printer } from "../print.ts";
import { startUp, startUpFlags } from "../start-up.ts";
import type { StartUp } from "../start-up.ts";

export const callCommand: Command = {
  usage: "TOOL ['{JSON}' | KEY=VALUE ...] [FLAGS]",
  description:
    "Calls a tool and prints the text of its result. Exits with 1 when the tool failed.\n" +
    "Arguments that begin with - stand behind --. For instance:\n" +
    "  scorpiox-code call Bash command='git status' timeout=5000",
  flags: {
    json: { kind: "switch", help: "Print the whole result as JSON." },
    ...startUpFlags,
  },
  arguments: { min: 1, max: Number.MAX_SAFE_INTEGER },
  async run(context) {
    const start = startUp(context.args, context.io, context.print);
    const open = await context.services.createRouter(start);
    try {
      return await callTool(context, start, open.router);
    } finally {
      await open.close();
    }
  },
};

async function callTool(
  { args, io, print }: CommandContext,
  start: StartUp,
  router: Router,
): Promise<number> {
  const [name = "", ...words] = args.positionals;
  const tool = router.list().find((listing) => listing.name === name);
  if (tool === undefined) throw unknownTool(name, router, start);
  const isJson = words.length === 1 && words[0]?.trimStart().startsWith("{") === true;
  const outcome = await router.call({
    name,
    args: isJson ? parseJsonArguments(words[0] ?? "") : parsePairs(words, tool.inputSchema),
    version: legacyVersionLatest,
    client: commandLineClient(start, io.cwd),
    cancellation: Cancellation.following(io.interrupted),
  });
  return printOutcome(outcome, args.has("json"), print);
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

function printOutcome(outcome: CallOutcome, asJson: boolean, print: Printer): number {
  if (outcome.kind === "result") return printResult(JSON.parse(outcome.json), asJson, print);
  print.error(outcome.kind === "fault" ? outcome.fault.message : "The call was cancelled.");
  return exitCodes.failed;
}

function printResult(result: unknown, asJson: boolean, print: Printer): number {
  if (asJson) print.json(result);
  else print.content(contentText(result));
  const ended = endedWithCommand(result);
  if (ended !== undefined) {
    print.warning(`${ended} with this command: what a client has begun goes with the client.`);
  }
  const isError = typeof result === "object" && result !== null && "isError" in result;
  return isError && result.isError === true ? exitCodes.failed : exitCodes.done;
}

/** What the result says has been begun, and no client will see the end of. */
function endedWithCommand(result: unknown): string | undefined {
  const { structuredContent } = result as {
    structuredContent?: { state?: unknown; callbacks?: unknown };
  };
  if (structuredContent?.state === "running") return "The task ends";
  const callbacks = structuredContent?.callbacks;
  return Array.isArray(callbacks) && callbacks.length > 0 ? "The callback ends" : undefined;
}
