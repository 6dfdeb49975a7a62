import type { HookToApprove } from "../../calls/policy/hooks/survey-hooks.ts";
import { createAsker } from "../ask-in-turn.ts";
import { exitCodes } from "../command-io.ts";
import type { Command, CommandContext } from "../command.ts";
import { keyOf, type ProjectHooks, readProjectHooks } from "../hook-rows.ts";
import { jsonFlag } from "../json-flag.ts";
import type { Printer } from "../print.ts";
import { directoryFlags, readStartUp } from "../start-up.ts";

export const hooksApproveCommand: Command = {
  usage: "[EVENT/NAME ...] [--yes]",
  description:
    "Shows the project's hooks that are not approved, or have changed since, and asks whether they may run.\n" +
    "An approval is for the content: a changed hook must be approved again.",
  flags: {
    yes: { kind: "switch", help: "Approve without asking." },
    ...jsonFlag,
    ...directoryFlags,
  },
  arguments: { min: 0, max: Number.MAX_SAFE_INTEGER },
  needsPerson: true,
  async run(context) {
    const { args, io, print } = context;
    const project = await readProjectHooks(readStartUp(args, io), args.positionals);
    const waiting = project.hooks.filter(({ row }) => row.state !== "ready");
    if (args.has("json")) print.json(waiting.map(({ row }) => row));
    else for (const hook of waiting) showHook(hook, print);
    if (waiting.length === 0) {
      print.note("Nothing to approve.");
      return exitCodes.done;
    }
    if (!(await isApproved(context, waiting.length))) return exitCodes.needsApproval;
    await approve(project, waiting);
    print.note(`Approved: ${waiting.map(({ row }) => keyOf(row)).join(", ")}`);
    return exitCodes.done;
  },
};

/** The whole file, binary or not: omitted bytes would be approved unseen, and a shell reads on behind binary data. */
function showHook({ row, content }: HookToApprove, print: Printer): void {
  print.row(`${keyOf(row)}  (${row.state})`);
  print.row(`  file    ${row.path}`);
  print.row(`  size    ${content.length} bytes`);
  print.row(`  sha256  ${row.sha256 ?? ""}`);
  const lines = new TextDecoder().decode(content).trimEnd().split("\n");
  for (const line of lines) print.line(`  | ${line}`);
}

async function isApproved({ args, io, print }: CommandContext, count: number): Promise<boolean> {
  if (args.has("yes")) return true;
  const what = count === 1 ? "this hook" : `these ${count} hooks`;
  if (io.stdinIsTerminal && (await createAsker(io)(`Let ${what} run in this project?`)))
    return true;
  const remedy = io.stdinIsTerminal ? "" : " Read the list and run this again with --yes.";
  print.note(`Nothing was approved.${remedy}`);
  return false;
}

/** Earlier approvals of hooks that still exist are kept. */
async function approve(
  { approvals, hooks }: ProjectHooks,
  waiting: readonly HookToApprove[],
): Promise<void> {
  const digests = new Map(await approvals.read());
  for (const { row } of hooks) if (row.state === "changed") digests.delete(keyOf(row));
  for (const { row } of waiting) if (row.sha256 !== null) digests.set(keyOf(row), row.sha256);
  await approvals.write(digests);
}
