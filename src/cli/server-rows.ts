import type {
  ConfiguredServer,
  EntryOrigin,
  RootsRule,
  UpstreamConfig,
} from "../upstream/config/server-entry.ts";
import type { NewEntry } from "../upstream/edit/server-text.ts";
import { byName, trustOf } from "./configured-servers.ts";
import type { StartUp } from "./start-up.ts";
import type { TrustState } from "./state-words.ts";
import { shownLaunch } from "./typed-server.ts";

/** One server, as `mcp list --json` has it. */
export interface ServerRow {
  readonly name: string;
  readonly transport: "stdio" | "http";
  readonly scope: EntryOrigin["scope"];
  /** Null: the environment. */
  readonly file: string | null;
  readonly enabled: boolean;
  readonly trust: TrustState;
  /** The user's own entry of that name, used until this one is approved. */
  readonly standIn: Place | null;
  /** Its roots, if its entry has them. */
  readonly roots: RootsRule | null;
  /** The command or the address, secrets hidden. */
  readonly launch: NewEntry;
  readonly shadowed: readonly Place[];
}

interface Place {
  readonly scope: EntryOrigin["scope"];
  readonly file: string | null;
}

/** A row for each server, in the order of their names. */
export async function serverRows(
  config: UpstreamConfig,
  start: StartUp,
): Promise<readonly ServerRow[]> {
  const rows: ServerRow[] = [];
  for (const server of [...config.servers.values()].toSorted(byName))
    rows.push(rowOf(server, await trustOf(server, start)));
  return rows;
}

export function placeOf({ scope, file }: EntryOrigin): Place {
  return { scope, file: file ?? null };
}

function rowOf({ entry, shadowed, standIn }: ConfiguredServer, trust: TrustState): ServerRow {
  return {
    name: entry.name,
    transport: entry.launch.transport,
    ...placeOf(entry.origin),
    enabled: entry.isEnabled,
    trust,
    standIn: standIn === undefined || trust === "approved" ? null : placeOf(standIn.entry.origin),
    roots: entry.options.roots ?? null,
    launch: shownLaunch(entry.launch),
    shadowed: shadowed.map(({ origin }) => placeOf(origin)),
  };
}
