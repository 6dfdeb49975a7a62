import { closeSync, openSync, readFileSync } from "node:fs";

import { messageOf } from "../../base/errors.ts";
import { hubArgument, ownRunningCommand } from "../../base/product.ts";
import type { Environment } from "../../base/values.ts";
import { spareChild } from "../../commands/process/orphanage.ts";
import { serverEnvironment } from "../../upstream/process/server-environment.ts";
import { HubFault } from "./hub-fault.ts";
import { trimLog } from "./hub-log.ts";
import type { HubPlace } from "./hub-place.ts";
import { leaveStarter } from "./leave-starter.ts";

/** How a hub is started. */
export interface HubStart {
  /** The environment of this process, of which the hub gets a few variables (EN1). */
  readonly env: Environment;
  readonly user: { readonly name: string; readonly homeDir: string; readonly shell: string | null };
  /** The words behind the hub's private argument. */
  readonly args: readonly string[];
  /** In place of this program and that argument; for tests. */
  readonly command?: readonly string[];
  /** In place of `startMsMax`; for tests. */
  readonly msMax?: number;
}

/** A hub that was started just now. */
export interface StartedHub {
  readonly pid: number;
  /** How it ended; undefined as long as it runs. */
  ended(): string | undefined;
  /** It does not come up: ends it. */
  giveUp(): void;
}

/** Starts the hub of a place: a process that outlives this one and knows nothing of it. @throws HubFault */
export function startHub(place: HubPlace, { env, user, args, command }: HubStart): StartedHub {
  const log = openLog(place);
  let end: string | undefined;
  try {
    const words = command ?? [...ownRunningCommand(), hubArgument];
    let release: (() => void) | undefined;
    const child = Bun.spawn([...words, ...args], {
      cwd: "/",
      env: hubEnvironment(env, user),
      stdio: ["ignore", log, log],
      detached: true,
      onExit: (_, code, signal) => {
        end = signal === null ? `exit code ${code}` : `signal ${signal}`;
        release?.();
      },
    });
    child.unref();
    // It is a child of this process as long as that lives, but none of its commands.
    release = spareChild(child.pid);
    leaveStarter(child.pid, place.name, env);
    return {
      pid: child.pid,
      ended: () => (end === undefined ? undefined : `${end}${lastLine(place)}`),
      giveUp: () => child.kill("SIGKILL"),
    };
  } catch (error) {
    throw new HubFault(`the hub cannot be started: ${messageOf(error)}`, { cause: error });
  } finally {
    closeSync(log);
  }
}

function openLog(place: HubPlace): number {
  try {
    trimLog(place);
    return openSync(place.logFile, "a", 0o600);
  } catch (error) {
    throw new HubFault(`its log cannot be written: ${messageOf(error)}`, { cause: error });
  }
}

/** A few variables of the user, and none of scorpiox-code: no marks, depth or secrets of the starter. */
function hubEnvironment(env: Environment, user: HubStart["user"]): Record<string, string> {
  const child = serverEnvironment({
    env,
    user,
    loginPath: undefined,
    platform: process.platform,
    inheritEnv: [],
    own: {},
  });
  const names = Object.keys(child).filter((name) => !name.startsWith("SCORPIOX_"));
  return Object.fromEntries(names.map((name) => [name, child[name] ?? ""]));
}

const lastLineCharsMax = 300;

/** The hub's reason, if it has written one. */
function lastLine(place: HubPlace): string {
  try {
    const line = readFileSync(place.logFile, "utf8").trimEnd().split("\n").at(-1) ?? "";
    return line === "" ? "" : `: ${line.slice(0, lastLineCharsMax)}`;
  } catch {
    return "";
  }
}
