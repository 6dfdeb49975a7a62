import { hideInUrl } from "../../base/secrets.ts";
import { escapeName } from "../../base/unsafe-characters.ts";
import { configKeys } from "../../config/keys.ts";
import { configFolders } from "../../config/places.ts";
import { listProfiles } from "../../config/profiles.ts";
import { editableClients } from "../../install/find-client.ts";
import { loadUpstreamConfig } from "../../upstream/config/load-upstream-config.ts";
import { configPartsOf } from "../../upstream/config/upstream-start.ts";
import { importClients } from "../../upstream/import/client-files.ts";
import type { CommandContext } from "../command.ts";
import { readStartUp } from "../start-up.ts";
import { shells } from "./scripts.ts";

/** A word that may be at the cursor. */
export interface Candidate {
  readonly value: string;
  /** One line; empty where there is nothing to say. */
  readonly help: string;
}

type Source = (context: CommandContext) => readonly Candidate[];

const clients: Source = () => editableClients.map(({ id, title }) => ({ value: id, help: title }));

const keys: Source = () =>
  [...configKeys.values()].map(({ name, help }) => ({ value: name, help }));

const servers: Source = ({ args, io }) => {
  const { servers: found } = loadUpstreamConfig(configPartsOf(readStartUp(args, io), io.env));
  return [...found.values()].map(({ entry: { name, launch } }) => ({
    value: name,
    help: launch.transport === "http" ? hideInUrl(launch.url) : escapeName(launch.command),
  }));
};

const profiles: Source = ({ args, io }) =>
  listProfiles(configFolders(readStartUp(args, io).dirs)).map(({ name }) => ({
    value: name,
    help: "",
  }));

const tools: Source = ({ services }) => services.toolNames.map((value) => ({ value, help: "" }));

/** The source of a command's arguments, by the place of the argument; the last one is that of all that follow. */
const sources: Readonly<Record<string, readonly Source[]>> = {
  install: [clients],
  uninstall: [clients],
  undo: [clients],
  call: [tools],
  "config get": [keys],
  "config set": [keys],
  "config unset": [keys],
  "profile use": [profiles],
  "mcp get": [servers],
  "mcp remove": [servers],
  "mcp test": [servers],
  "mcp status": [servers],
  "mcp tools": [servers],
  "mcp call": [servers],
  "mcp login": [servers],
  "mcp logout": [servers],
  "mcp approve": [servers],
  "mcp diff": [servers],
  "mcp lock": [servers],
  "mcp verify": [servers],
  "mcp import": [() => importClients.map(({ id, title }) => ({ value: id, help: title }))],
  completions: [() => shells.map((value) => ({ value, help: "" }))],
};

/** Sources that only the first argument has: behind it comes a value of the user's. */
const firstOnly: ReadonlySet<string> = new Set([
  "call",
  "config set",
  "mcp call",
  "mcp import",
  "undo",
  "completions",
]);

/** The values that the next argument of a command may have; undefined: it may be a path, or anything. */
export async function valuesOf(
  command: string,
  positionals: readonly string[],
  context: CommandContext,
): Promise<readonly Candidate[] | undefined> {
  if (command === "help") return undefined;
  const [source] = sources[command] ?? [];
  if (source === undefined || (firstOnly.has(command) && positionals.length > 0)) return undefined;
  try {
    return source(context).filter(({ value }) => !positionals.includes(value));
  } catch {
    // A configuration that cannot be read completes nothing; the command itself will say why.
    return [];
  }
}
