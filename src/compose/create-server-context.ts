import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { systemCodeOf } from "../base/errors.ts";
import { skillToolName } from "../base/tool-kinds.ts";
import type { ClientContext } from "../calls/call.ts";
import type { ServerFeatures, SkillProvider } from "../calls/features.ts";
import { FileResources } from "../calls/resources/file-resources.ts";
import { JoinedResources } from "../calls/resources/joined-resources.ts";
import { hasServers, instructionsWith } from "../calls/upstream/instructions-with.ts";
import type { StartUp } from "../cli/start-up.ts";
import { ServerContext, type ServerContextOptions } from "../server/context/server-context.ts";
import { readTold, toldOf, toldPlaceOf, type ToldServers } from "../upstream/cache/told-servers.ts";
import { namedByProject } from "../upstream/config/upstream-start.ts";
import { instructionLines, standInLine } from "./instructions.ts";
import type { LazyGateway } from "./lazy-gateway.ts";
import type { Application } from "./application.ts";

/** The parts of a server over HTTP that one over stdio does not have. */
interface ServedOverHttp extends Pick<ServerContextOptions, "observer"> {
  /** For a fleet; else the key is that of the user's folder. */
  readonly stateKey?: ServerContextOptions["stateKey"] | undefined;
}

/** The features that the product offers its clients over any transport. */
export function createServerContext(
  app: Application,
  start: StartUp,
  { stateKey, observer }: ServedOverHttp = {},
): ServerContext {
  const { changes, connections } = app;
  const joinedHints = app.gateway.joinedHints.bind(app.gateway);
  const features = { ...offersOf(app), tools: app, changes, joinedHints };
  const { scorpioxDir } = start.dirs;
  return new ServerContext({
    features,
    instructions: (servers) => instructionsOf(app, start, servers),
    stateKey: stateKey ?? (() => Promise.resolve(readStateKey(scorpioxDir))),
    claimState: (use, expiresAtMs) => app.claimState(use, expiresAtMs),
    connections,
    onRootsChanged: (client) => app.rootsChanged(client),
    observer,
  });
}

/** Only facts known by now: the handshake does not wait for upstream servers. */
function instructionsOf(
  app: Application,
  start: StartUp,
  reachable: ReadonlySet<string> | undefined,
): string {
  const { gateway, upstreams, offeredNames, wholeInstructions: whole } = app;
  const { snapshot } = upstreams;
  const isAlone = !gateway.isWanted || (snapshot !== undefined && !hasServers(snapshot));
  const notice = standInLine(start.config.standIns());
  if (isAlone && notice === undefined && whole !== undefined) return whole.text;
  const own = { lines: whole?.lines ?? instructionLines(offeredNames), notice };
  if (isAlone) return instructionsWith(own);
  const told = snapshot === undefined ? toldBefore(start) : toldOf(snapshot);
  return instructionsWith(own, reachable === undefined ? told : toldTo(reachable, told));
}

/** For a client for which only some servers exist: without the file that names the tools of all. */
function toldTo(reachable: ReadonlySet<string>, told: ToldServers): ToldServers {
  return {
    waiting: told.waiting.filter((server) => reachable.has(server)),
    introductions: told.introductions.filter(({ server }) => reachable.has(server)),
  };
}

/** Nothing of upstream servers is loaded yet: the facts that an earlier run here has kept, else the names in the project's files. */
function toldBefore(start: StartUp): ToldServers {
  const told = readTold(toldPlaceOf(start));
  if (told !== undefined) return told;
  return {
    waiting: start.upstream.trustsProject ? [] : namedByProject(start),
    introductions: [],
  };
}

/** The features of a tool that is switched off are not offered; without any tool there are no prompts. */
function offersOf(app: Application): Omit<ServerFeatures, "tools" | "changes"> {
  const { skills, changes, gateway } = app;
  const names = app.enabledNames;
  const files = new FileResources(changes);
  const { prompts, completion } = gateway;
  const all = new Set(["tools", "prompts", "resources"] as const);
  if (!names.includes(skillToolName)) {
    const resources = new JoinedResources([app.resources, gateway.resources, files]);
    if (gateway.isWanted) return { resources, prompts, completion, changing: all };
    const offers = { resources, changing: new Set(["resources"] as const) };
    return names.length === 0 ? offers : { ...offers, prompts, completion };
  }
  return {
    resources: new JoinedResources([app.resources, skills.resources, gateway.resources, files]),
    prompts,
    completion,
    skills: withForeignSkills(skills.entries, gateway),
    changing: all,
  };
}

/** `own`, with the skills of upstream servers; nothing is loaded where there are none. */
function withForeignSkills(
  own: SkillProvider,
  gateway: Pick<LazyGateway, "skills">,
): SkillProvider {
  const joined = async (client: ClientContext): Promise<SkillProvider> =>
    (await gateway.skills(client))?.join(own) ?? own;
  return {
    list: async (client) => (await joined(client)).list(client),
    directory: async (uri, client) => (await joined(client)).directory(uri, client),
  };
}

const keyBytes = 32;

/**
 * The secret that seals `requestState`, kept in a private file so that a client may come back to another
 * process: servers are started dozens of times a day. Where no file can be kept it lives as long as the process.
 */
function readStateKey(scorpioxDir: string): Uint8Array {
  const path = join(scorpioxDir, "state.key");
  const fresh = crypto.getRandomValues(new Uint8Array(keyBytes));
  try {
    mkdirSync(scorpioxDir, { recursive: true, mode: 0o700 });
    writeFileSync(path, fresh, { flag: "wx", mode: 0o600 });
    return fresh;
  } catch (error) {
    return systemCodeOf(error) === "EEXIST" ? (readKey(path) ?? fresh) : fresh;
  }
}

/** Undefined for a file without a key, such as one that another process is writing. */
function readKey(path: string): Uint8Array | undefined {
  try {
    const bytes = readFileSync(path);
    return bytes.length === keyBytes ? bytes : undefined;
  } catch {
    return undefined;
  }
}
