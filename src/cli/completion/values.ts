import { engineIds } from "../../base/search-engine-ids.ts";
import { hideInUrl } from "../../base/secrets.ts";
import { escapeName } from "../../base/unsafe-characters.ts";
import { productEvents } from "../../calls/policy/hooks/hook.ts";
import { surveyHooks } from "../../calls/policy/hooks/read-hooks.ts";
import { hooksFoldersOf } from "../../calls/policy/hooks/session-folder.ts";
import { configKeys } from "../../config/keys.ts";
import { configFolders } from "../../config/places.ts";
import { listProfiles } from "../../config/profiles.ts";
import { editableClients } from "../../install/find-client.ts";
import { openTokenStore } from "../../state/tokens/open-token-store.ts";
import { isAccepted } from "../../state/tokens/token-store.ts";
import { CatalogueCache, cacheKeyOf } from "../../upstream/cache/catalogue-cache.ts";
import { loadUpstreamConfig } from "../../upstream/config/load-upstream-config.ts";
import { configPartsOf } from "../../upstream/config/upstream-start.ts";
import { importClients } from "../../upstream/import/client-files.ts";
import type { CommandContext } from "../command.ts";
import { createSkillLibrary } from "../skill-library.ts";
import { readStartUp } from "../start-up.ts";
import { shells } from "./scripts.ts";

/** A word that may be at the cursor. */
export interface Candidate {
  readonly value: string;
  /** One line; empty where there is nothing to say. */
  readonly help: string;
}

/** @param positionals the arguments before */
type Source = (
  context: CommandContext,
  positionals: readonly string[],
) => readonly Candidate[] | Promise<readonly Candidate[]>;

/** Words that need no help. */
function words(values: readonly string[]): readonly Candidate[] {
  return values.map((value) => ({ value, help: "" }));
}

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

const tools: Source = ({ services }) => words(services.toolNames);

/** The tools of a server, as it offered them when it was last connected. */
const serverTools: Source = async ({ args, io }, [name = ""]) => {
  const start = readStartUp(args, io);
  const server = loadUpstreamConfig(configPartsOf(start, io.env)).servers.get(name);
  if (server === undefined) return [];
  const cached = await new CatalogueCache(start.dirs.scorpioxDir).read(cacheKeyOf(server));
  return (cached?.catalogue.tools ?? []).map(({ name: value }) => ({ value, help: "" }));
};

const skills: Source = async ({ args, io }) => {
  const start = readStartUp(args, io);
  const set = await createSkillLibrary(start).find(start.cwdFlag ?? io.cwd);
  return set.skills.map(({ name, description }) => ({ value: name, help: description }));
};

const projectHooks: Source = async ({ args, io }) => {
  const folders = hooksFoldersOf(readStartUp(args, io).dirs);
  const ofProject = folders.filter(({ scope }) => scope === "project");
  const found = await surveyHooks(ofProject, undefined);
  return words(found.map(({ row: { event, name } }) => `${event}/${name}`));
};

const tokenLabels: Source = async ({ args, io }) => {
  const store = openTokenStore(readStartUp(args, io).dirs.scorpioxDir);
  const labels = (await store.list())
    .filter((record) => isAccepted(record, Date.now()))
    .map(({ label }) => label);
  return words([...new Set(labels)]);
};

const secretActions: Source = () => [
  { value: "set", help: "Keep a secret" },
  { value: "list", help: "List the names" },
  { value: "remove", help: "Remove a secret" },
  { value: "migrate", help: "Move secrets from files into the keychain" },
];

/** The source of a command's arguments, by the place of the argument; the last one is that of all that follow. */
const sources: Readonly<Record<string, readonly Source[]>> = {
  install: [clients],
  uninstall: [clients],
  undo: [clients],
  call: [tools],
  "config get": [keys],
  "config set": [keys],
  "config remove": [keys],
  "profile use": [profiles],
  "mcp get": [servers],
  "mcp remove": [servers],
  "mcp test": [servers],
  "mcp status": [servers],
  "mcp tools": [servers],
  "mcp call": [servers, serverTools],
  "mcp login": [servers],
  "mcp logout": [servers],
  "mcp approve": [servers],
  "mcp diff": [servers],
  "mcp lock": [servers],
  "mcp verify": [servers],
  "mcp import": [() => importClients.map(({ id, title }) => ({ value: id, help: title }))],
  "mcp secrets": [secretActions],
  "skills get": [skills],
  "token revoke": [tokenLabels],
  "token rotate": [tokenLabels],
  "hooks approve": [projectHooks],
  "hooks revoke": [projectHooks],
  "hooks emit": [() => words(productEvents)],
  completions: [() => words(shells)],
};

/** The last of their sources is not for the arguments that follow: these are values of the user's. */
const endsWithSources: ReadonlySet<string> = new Set([
  "call",
  "config set",
  "hooks emit",
  "mcp call",
  "mcp import",
  "mcp secrets",
  "skills get",
  "completions",
]);

/** The sources of flags' values, by command and flag; a flag alone is that of every command. */
const flagSources: Readonly<Record<string, Source>> = {
  "tools --server": servers,
  "mcp tools --server": servers,
  "policy check --tool": tools,
  "search --engine": () => words(engineIds),
  "--client": ({ args, io }) => words(readStartUp(args, io).clients.ids()),
};

/** The values that the next argument of a command may have; undefined: it may be a path, or anything. */
export async function valuesOf(
  command: string,
  positionals: readonly string[],
  context: CommandContext,
): Promise<readonly Candidate[] | undefined> {
  const own = sources[command] ?? [];
  const isBehind = endsWithSources.has(command) && positionals.length >= own.length;
  const source = isBehind ? undefined : (own[positionals.length] ?? own.at(-1));
  if (source === undefined) return undefined;
  const values = await valuesFrom(source, context, positionals);
  return values.filter(({ value }) => !positionals.includes(value));
}

/** The values that a flag may have; undefined: it may be a path, or anything. */
export async function valuesOfFlag(
  command: string,
  flag: string,
  context: CommandContext,
): Promise<readonly Candidate[] | undefined> {
  const source = flagSources[`${command} --${flag}`] ?? flagSources[`--${flag}`];
  return source === undefined ? undefined : valuesFrom(source, context, []);
}

async function valuesFrom(
  source: Source,
  context: CommandContext,
  positionals: readonly string[],
): Promise<readonly Candidate[]> {
  try {
    return await source(context, positionals);
  } catch {
    // A configuration that cannot be read completes nothing; the command itself will say why.
    return [];
  }
}
