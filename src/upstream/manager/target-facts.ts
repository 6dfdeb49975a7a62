import { isAbsolute } from "node:path";
import { messageOf } from "../../base/errors.ts";
import type { ConfigDirs } from "../../config/places.ts";
import type { AppSupport } from "../../protocol/client-capabilities.ts";
import { canonicalJson, type Environment } from "../../base/values.ts";
import type {
  ConfiguredServer,
  GivenRoots,
  Isolation,
  ServerLaunch,
  StdioLaunch,
} from "../config/server-entry.ts";
import type { ProxyOf } from "../connect/client-proxy.ts";
import type { ConnectOptions, Era } from "../connect/connection.ts";
import type { OpenLogin } from "../oauth/open-login.ts";
import type { ProcessLaunch, UpstreamProcess } from "../process/upstream-process.ts";
import type { ServerUserLogins } from "./lazy-user-logins.ts";

/** The facts about one client of a hub. */
export interface ClientFacts {
  readonly isolation: Isolation;
  /** The environment from which that of the server's process is made. */
  readonly base: Environment;
  /** For requests to a server over HTTP. */
  readonly proxyOf: ProxyOf;
  /** The server has asked clients in an earlier connection. */
  readonly asks: boolean;
  /** Absent: no other client shares the server. */
  readonly sharing?: SharingFacts;
}

/** The facts that decide with which other clients one may share a server (HB3). */
interface SharingFacts {
  /** The folders for its roots, as of the last look at the client. */
  readonly place: { readonly folders: readonly string[]; readonly dirs: ConfigDirs };
  /** Only clients of the same workspace share it. */
  readonly isOfPlace: boolean;
  /** Everything that a server could notice of the client and its place. May contain secrets. */
  readonly identity: string;
}

/** The facts about a server before a connection. */
export interface TargetFacts {
  readonly configured: ConfiguredServer;
  /** Filled in for a project, with the `secrets` that are in it. */
  readonly launch: ServerLaunch;
  readonly projectDir: string | undefined;
  readonly secrets: readonly string[];
  readonly login: OpenLogin | undefined;
  /** Present where each principal has a login of its own; `login` is then for the lists alone. */
  readonly userLogins?: ServerUserLogins | undefined;
  /** The roots that it gets. */
  readonly roots: GivenRoots;
  /** Whether the clients of its connections show apps of servers. */
  readonly apps: AppSupport | undefined;
  /** Present in the hub, where other clients may share its connections. */
  readonly client?: ClientFacts;
}

/**
 * Equal for servers that may share a connection: with the same launch, credentials and rights, which are fixed when a
 * connection begins (IS5). Contains secrets.
 */
export function sharingFacts(facts: TargetFacts, isolation: Isolation): string {
  const { configured, secrets, login, apps } = facts;
  const { sharing } = facts.client ?? {};
  const { era, inheritEnv, launcher, sampling, elicitation, oauth, restart, idleStopS } =
    configured.entry.options;
  const rights = [sampling !== "deny", elicitation !== "deny"];
  const all = {
    launch: sharing === undefined ? anywhere(facts) : canonicalJson(facts.launch),
    // Secrets that are not in the launch, such as those of its login.
    secrets,
    era,
    inheritEnv,
    launcher,
    rights,
    oauth: oauth ?? null,
    login: login?.id ?? null,
    restart,
    idleStopS,
    isolation,
    ...(apps === undefined ? {} : { apps }),
    ...(sharing === undefined ? {} : { client: sharing.identity }),
  };
  return configured.identity + canonicalJson(all);
}

/**
 * The launch without the project's folder: a server that two projects have in common keeps running, in the folder of
 * the project that started it (CN16).
 */
function anywhere({ configured, launch, roots, projectDir }: TargetFacts): string {
  const written = configured.entry.launch;
  const place =
    written.transport !== "stdio" || isAbsolute(written.cwd ?? ".")
      ? {}
      : { cwd: written.cwd ?? "." };
  const text = canonicalJson({ ...launch, ...place, roots });
  if (projectDir === undefined) return text;
  return text.replaceAll(JSON.stringify(projectDir).slice(1, -1), "${workspaceFolder}");
}

/** The process launch that the main thread gets for a server. @param launch filled in */
export function processLaunchOf(
  { entry: { name, options } }: ConfiguredServer,
  { command, args, env, cwd }: StdioLaunch,
  surroundings: {
    readonly homeDir: string;
    readonly redact: (text: string) => string;
    readonly base: ProcessLaunch["base"];
  },
): ProcessLaunch {
  const { homeDir, redact, base } = surroundings;
  const { inheritEnv } = options;
  const launch = { server: name, command, args, env, inheritEnv, cwd: cwd ?? homeDir, redact };
  return base === undefined ? launch : { ...launch, base };
}

/** Resolves when all of them are gone. Never rejects. */
export async function stopProcesses(processes: readonly UpstreamProcess[]): Promise<void> {
  const stops = processes.map((process) =>
    process[Symbol.asyncDispose]().catch((error: unknown) => messageOf(error)),
  );
  await Promise.all(stops);
}

/**
 * The era to probe first. @param diesAtOnce both probes of the last start made it exit: then one process is enough to
 * see whether it still does, since starts are limited
 */
export function triedEra(
  knownEra: Era | undefined,
  diesAtOnce: boolean,
): Pick<ConnectOptions, "knownEra"> | { readonly era: "modern" } {
  if (diesAtOnce) return knownEra === "modern" ? { era: "modern" } : { knownEra: "legacy" };
  return knownEra === undefined ? {} : { knownEra };
}
