import type { ConfiguredServer } from "../../upstream/config/server-entry.ts";
import {
  catalogueDifferences,
  type ItemDifference,
} from "../../upstream/trust/catalogue-differences.ts";
import { lockPinsOf, readLock } from "../../upstream/trust/lock/read-lock.ts";
import type { Command, CommandContext } from "../command.ts";
import {
  askCatalogues,
  openServers,
  serverNamed,
  type ServersOfCommand,
} from "../configured-servers.ts";
import { itemLines, itemRow } from "../difference-text.ts";
import { exitCodeOf, type FindingKind } from "../finding-exit-code.ts";
import { jsonFlag } from "../json-flag.ts";
import { startUpFlags } from "../start-up.ts";

/** How one server differs from its approval. */
type ServerDifference =
  | { readonly kind: "differences"; readonly items: readonly ItemDifference[] }
  /** It has never been connected: the first connection approves its whole offer. */
  | { readonly kind: "unmet" }
  | { readonly kind: "unreachable"; readonly reason: string };

export const mcpDiffCommand: Command = {
  usage: "[NAME ...] [--json]",
  description:
    "Connects to the servers and shows how their tools, prompts and instructions differ from what you approved.\n" +
    "Exits with 0 when nothing differs, 10 when something changed, 11 when something is new or missing, 12 when a server\n" +
    "cannot be reached.",
  flags: { ...jsonFlag, ...startUpFlags },
  arguments: { min: 0, max: Number.MAX_SAFE_INTEGER },
  async run(context) {
    const { args, print } = context;
    const view = await openServers(context);
    const servers =
      args.positionals.length === 0
        ? view.servers
        : args.positionals.map((name) => serverNamed(view, name));
    const differences = await differencesOf(context, view, servers);
    if (args.has("json")) print.json([...differences].flatMap(([name, one]) => rowsOf(name, one)));
    else for (const [name, one] of differences) printOne(context, name, one);
    return exitCodeOf([...differences.values()].flatMap(kindsOf));
  },
};

async function differencesOf(
  context: CommandContext,
  view: ServersOfCommand,
  servers: readonly ConfiguredServer[],
): Promise<ReadonlyMap<string, ServerDifference>> {
  const replies = await askCatalogues(context, view, servers, { asLastHeard: true });
  const { projectDir } = view.config;
  const lock = projectDir === undefined ? { kind: "absent" as const } : await readLock(projectDir);
  const differences = new Map<string, ServerDifference>();
  for (const { entry, identity } of servers) {
    const reply = replies.get(entry.name);
    const pins = (await view.store.pinsOf(identity)) ?? lockPinsOf(lock, entry.name);
    if (reply?.kind !== "catalogue") {
      differences.set(entry.name, { kind: "unreachable", reason: reply?.reason ?? "" });
    } else if (pins === undefined) {
      differences.set(entry.name, { kind: "unmet" });
    } else {
      const definitions = await view.store.definitionsOf(identity);
      const items = catalogueDifferences(reply.catalogue, { pins, definitions });
      differences.set(entry.name, { kind: "differences", items });
    }
  }
  return differences;
}

function printOne({ print }: CommandContext, name: string, one: ServerDifference): void {
  if (one.kind === "unmet") {
    print.note(`${name}: its first connection approves whatever it offers then.`);
  } else if (one.kind === "unreachable") {
    print.error(`${name}: ${one.reason}`);
  } else if (one.items.length === 0) {
    print.note(`${name}: as it was approved.`);
  } else {
    for (const item of one.items) for (const line of itemLines(name, item)) print.line(line);
    print.note(`${name}: to approve this, run: mcp approve ${name}`);
  }
}

function rowsOf(name: string, one: ServerDifference): readonly unknown[] {
  if (one.kind === "differences") return one.items.map((item) => itemRow(name, item));
  return one.kind === "unmet" ? [] : [{ server: name, state: "unreachable", reason: one.reason }];
}

function kindsOf(one: ServerDifference): readonly FindingKind[] {
  if (one.kind === "differences") return one.items.map(({ state }) => state);
  return one.kind === "unmet" ? [] : [one.kind];
}
