import { access } from "node:fs/promises";
import { isAbsolute, resolve } from "node:path";
import { canonicalJson, type Environment } from "../../base/values.ts";
import { cacheKeyOf } from "../cache/catalogue-cache.ts";
import { isolationOf } from "../config/entry-options.ts";
import { knownServerOf } from "../config/known-servers.ts";
import type { ConfiguredServer, Isolation, ServerLaunch } from "../config/server-entry.ts";
import { shareableBase, shareableEnvironment } from "../process/client-environment.ts";
import type { CurrentProject, ManagerParts } from "./manager-parts.ts";
import { rootsOffer } from "./principal-launch.ts";
import type { SharedRuntime } from "./shared-runtime.ts";
import type { TargetFacts } from "./target-facts.ts";

type Place = Pick<CurrentProject, "folders" | "dirs">;

/** The facts about one client that decide with which others it may share a server (HB3). */
export interface ClientFacts {
  readonly isolation: Isolation;
  /** The folders that the server is told, as they were when the client was seen. */
  readonly place: Place;
  /** The environment from which that of its process is made. */
  readonly base: Environment;
  /** Everything that a server could notice of the client and its place. May contain secrets. */
  readonly identity: string;
  /** The server has asked clients in an earlier connection. */
  readonly asks: boolean;
}

type HubParts = Pick<ManagerParts, "options" | "project" | "principals" | "cache" | "workspace">;

/** Completes the facts about a server by those about its client. Never rejects. */
export async function inHub(
  facts: TargetFacts,
  parts: HubParts,
  shared: SharedRuntime,
): Promise<TargetFacts> {
  const { configured, projectDir } = facts;
  const { dirs, env } = parts.options;
  const [loginPath, manners, isWide] = await Promise.all([
    shared.loginPath(),
    parts.cache.manners(cacheKeyOf(configured)),
    spansProjects(configured, facts.launch, projectDir),
  ]);
  const { inheritEnv } = configured.entry.options;
  const launch = isWide ? atHome(configured, facts.launch, dirs.homeDir) : facts.launch;
  const roots = isWide && configured.entry.options.roots === undefined ? "none" : facts.roots;
  const place: Place = { dirs: { ...dirs, projectDir }, folders: parts.project.folders };
  const client = { env, loginPath, user: shared.user };
  const environment =
    launch.transport === "http"
      ? {}
      : shareableEnvironment(client, { inheritEnv, own: launch.env });
  return {
    ...facts,
    launch,
    roots,
    client: {
      isolation: isolationInHub(configured, parts.principals(), manners.isSeparate),
      place,
      base: shareableBase(client, inheritEnv),
      asks: manners.asks,
      identity: canonicalJson({
        environment,
        roots: rootsOffer(roots, place)?.known() ?? "none",
        folders: [dirs.homeDir, dirs.scorpioxDir],
        place: isWide ? "any" : [projectDir ?? null, parts.workspace() ?? null],
        principals: parts.principals() ?? null,
      }),
    },
  };
}

/** Which clients share a server in the hub. */
function isolationInHub(
  { entry }: ConfiguredServer,
  principals: ReturnType<ManagerParts["principals"]>,
  isSeparate: boolean,
): Isolation {
  const isolation = isolationOf(entry, principals);
  if (isolation !== "shared" && isolation !== "workspace") return isolation;
  const isConversation =
    entry.options.isolation === undefined && knownServerOf(entry.launch)?.keeps !== undefined;
  return isConversation || isSeparate ? "session" : isolation;
}

/**
 * Whether clients of different projects may share it: an entry of the user's that says so and has nothing of a project
 * in it. Never rejects.
 */
async function spansProjects(
  { entry }: ConfiguredServer,
  launch: ServerLaunch,
  projectDir: string | undefined,
): Promise<boolean> {
  const { options, origin, launch: written } = entry;
  if (origin.trust !== "user" || options.isolation !== "shared") return false;
  const { roots } = options;
  const areRootsFixed = typeof roots === "object" && roots.every(isFixed);
  if (roots !== undefined && roots !== "none" && !areRootsFixed) return false;
  if (/workspaceFolder|CLAUDE_PROJECT_DIR/.test(JSON.stringify(written))) return false;
  if (written.transport === "http" || launch.transport === "http") return true;
  if (written.cwd !== undefined && !isFixed(written.cwd)) return false;
  const { cwd: _cwd, ...plain } = launch;
  const cwd = written.cwd === undefined ? {} : { cwd: launch.cwd };
  if (projectDir !== undefined) {
    const text = canonicalJson({ ...plain, ...cwd });
    if (text.includes(JSON.stringify(projectDir).slice(1, -1))) return false;
  }
  const hasFolderInName = /[/\\]/.test(launch.command);
  const words = hasFolderInName ? [launch.command, ...launch.args] : launch.args;
  const found = await Promise.all(words.map((word) => leadsInto(launch.cwd ?? ".", word)));
  return !found.includes(true);
}

/** The path does not depend on a project. */
function isFixed(path: string): boolean {
  return isAbsolute(path) || /^~(?:[/\\]|$)/.test(path);
}

/** Whether a word of a command line is a path from its folder: one that says so, or one where there is something. */
function leadsInto(folder: string, word: string): Promise<boolean> {
  if (isAbsolute(word) || word === "" || word.startsWith("-")) return Promise.resolve(false);
  if (/^\.{1,2}(?:[/\\]|$)/.test(word)) return Promise.resolve(true);
  return access(resolve(folder, word)).then(
    () => true,
    () => false,
  );
}

/** A server of all projects runs in none of them. */
function atHome({ entry }: ConfiguredServer, launch: ServerLaunch, homeDir: string): ServerLaunch {
  const written = entry.launch;
  const hasFolder = written.transport === "http" || written.cwd !== undefined;
  return launch.transport === "http" || hasFolder ? launch : { ...launch, cwd: homeDir };
}
