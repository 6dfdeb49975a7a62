import { access } from "node:fs/promises";
import { isAbsolute, resolve } from "node:path";
import { messageOf } from "../../base/errors.ts";
import { canonicalJson } from "../../base/values.ts";
import { cacheKeyOf } from "../cache/catalogue-cache.ts";
import { isolationOf } from "../config/entry-options.ts";
import { knownServerOf } from "../config/known-servers.ts";
import type {
  ConfiguredServer,
  Isolation,
  Principals,
  RootsRule,
  ServerLaunch,
} from "../config/server-entry.ts";
import { proxiesOf, type ProxyOf } from "../connect/client-proxy.ts";
import {
  shareableBase,
  shareableEnvironment,
  type ServerEnvironmentInput,
} from "../process/server-environment.ts";
import type { ClientParts } from "./manager-parts.ts";
import { rootsOffer } from "./roots-offer.ts";
import type { ClientFacts, TargetFacts } from "./target-facts.ts";

/** The facts that all clients have in common. */
export interface CommonFacts {
  readonly user: ServerEnvironmentInput["user"];
  /** The login shell's PATH, one answer for all clients: with another answer for a later one, they would not share. */
  readonly loginPath: () => Promise<string | undefined>;
}

/** Completes the facts about a server by those about its client. Never rejects. */
export async function withClientFacts(
  facts: TargetFacts,
  parts: ClientParts,
  { user, loginPath: pathOfLogin }: CommonFacts,
): Promise<TargetFacts> {
  const { configured, projectDir } = facts;
  const { dirs, env, workspace } = parts.options;
  const [loginPath, manners, isWide] = await Promise.all([
    pathOfLogin(),
    parts.cache.manners(cacheKeyOf(configured)),
    spansProjects(configured, facts.launch, projectDir),
  ]);
  const { inheritEnv } = configured.entry.options;
  const launch = isWide ? atHome(configured, facts.launch, dirs.homeDir) : facts.launch;
  const roots = isWide && configured.entry.options.roots === undefined ? "none" : facts.roots;
  const client = { env, loginPath, user };
  const isolation = isolationInHub(configured, parts.principals(), manners.isSeparate);
  const base = shareableBase(client, inheritEnv);
  const proxyOf = proxiesOf(env);
  const own: ClientFacts = { isolation, base, proxyOf, asks: manners.asks };
  const completed = { ...facts, launch, roots };
  if (isolation !== "shared" && isolation !== "workspace") return { ...completed, client: own };
  const environment =
    launch.transport === "http"
      ? { proxy: proxyNameOf(proxyOf, launch.url) }
      : shareableEnvironment(client, { inheritEnv, own: launch.env });
  const place = { dirs: { ...dirs, projectDir }, folders: parts.project.folders };
  const identity = canonicalJson({
    environment,
    roots: rootsOffer(roots, place)?.known() ?? "none",
    folders: [dirs.homeDir, dirs.scorpioxDir],
    place: isWide ? "any" : [projectDir ?? null, workspace ?? null],
    principals: parts.principals() ?? null,
  });
  return { ...completed, client: { ...own, sharing: { place, isOfPlace: !isWide, identity } } };
}

/** The proxy to a server, for comparisons. */
function proxyNameOf(proxyOf: ProxyOf, url: string): string {
  try {
    return proxyOf(new URL(url)) ?? "none";
  } catch (error) {
    return messageOf(error);
  }
}

/** Which clients share a server in the hub. */
function isolationInHub(
  { entry }: ConfiguredServer,
  principals: Principals,
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
  if (!areFixed(options.roots ?? "none")) return false;
  if (/workspaceFolder|CLAUDE_PROJECT_DIR/.test(JSON.stringify(written))) return false;
  if (written.transport === "http" || launch.transport === "http") return true;
  if (!isFixed(written.cwd ?? "~")) return false;
  const { cwd = ".", ...plain } = launch;
  const text = canonicalJson(written.cwd === undefined ? plain : launch);
  if (projectDir !== undefined && text.includes(JSON.stringify(projectDir).slice(1, -1)))
    return false;
  // A program without a folder is looked for in PATH.
  const words = /[/\\]/.test(launch.command) ? [launch.command, ...launch.args] : launch.args;
  const found = await Promise.all(words.map((word) => leadsInto(cwd, word)));
  return !found.includes(true);
}

/** Its roots do not depend on a project. */
function areFixed(roots: RootsRule): boolean {
  return typeof roots === "string" ? roots === "none" : roots.every(isFixed);
}

/** The path does not depend on a project. */
function isFixed(path: string): boolean {
  return isAbsolute(path) || /^~(?:[/\\]|$)/.test(path);
}

/** Whether a word of a command line is a path from its folder: one that says so, or one where there is something. */
function leadsInto(folder: string, word: string): Promise<boolean> {
  const path = word.startsWith("-") ? word.slice(word.indexOf("=") + 1) : word;
  if (isAbsolute(path) || path === "" || path.startsWith("-")) return Promise.resolve(false);
  if (/^\.{1,2}(?:[/\\]|$)/.test(path)) return Promise.resolve(true);
  return access(resolve(folder, path)).then(
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
