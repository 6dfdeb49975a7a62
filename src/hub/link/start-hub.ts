import { closeSync, existsSync, openSync, readFileSync } from "node:fs";

import { messageOf } from "../../base/errors.ts";
import { hubArgument, ownRunningCommand } from "../../base/product.ts";
import type { Environment } from "../../base/values.ts";
import { spareChild } from "../../commands/process/orphanage.ts";
import { serverEnvironment } from "../../upstream/process/server-environment.ts";
import { FileLock, isHeld, readRecord } from "./hub-lock.ts";
import { HubFault, type HubPlace, trimLog } from "./hub-place.ts";
import { endOldHub, type SilentHub } from "./take-over.ts";

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

/** A hub that does not listen this long after its start never will. */
export const startMsMax = 10_000;
const lookMs = 2;

/**
 * Has a place get a hub: this process starts it, unless another does, or a hub is there already. Returns when something has
 * changed, or soon; the caller tries to reach the hub again. True: the hub that it has started listens.
 * @param silent the hub that did not answer; it is ended when it is lost
 * @throws HubFault when the hub cannot be started
 */
export async function electHub(
  place: HubPlace,
  start: HubStart,
  silent: SilentHub | undefined,
  isWanted: () => boolean,
): Promise<boolean> {
  using election = FileLock.take(place.electionFile);
  if (election === undefined) return false;
  if (isHeld(place.lockFile)) {
    const record = readRecord(place);
    if (record === undefined || record.generation !== silent?.generation) return false;
    if (!silent.isLost()) return false;
    await endOldHub(place, record);
  }
  return untilListening(place, start, isWanted);
}

async function untilListening(
  place: HubPlace,
  start: HubStart,
  isWanted: () => boolean,
): Promise<boolean> {
  const hub = startHub(place, start);
  const { msMax = startMsMax } = start;
  const deadline = performance.now() + msMax;
  while (isWanted()) {
    const record = readRecord(place);
    if (record?.pid === hub.pid && record.socket !== undefined) return true;
    const end = hub.ended();
    if (end !== undefined) {
      // A hub whose starter was killed may have been quicker.
      if (isHeld(place.lockFile)) return false;
      throw new HubFault(`the hub ended when it was started, with ${end}`);
    }
    if (performance.now() > deadline) {
      hub.giveUp();
      throw new HubFault(`the hub did not listen within ${msMax / 1000} s of its start`);
    }
    await Bun.sleep(lookMs);
  }
  return false;
}

/** A hub that was started just now. */
interface StartedHub {
  readonly pid: number;
  /** How it ended; undefined as long as it runs. */
  ended(): string | undefined;
  /** It does not come up: ends it. */
  giveUp(): void;
}

/** Starts the hub of a place: a process that outlives this one and knows nothing of it. @throws HubFault */
function startHub(place: HubPlace, { env, user, args, command }: HubStart): StartedHub {
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

/** A user's manager that takes longer is not waited for. */
const busctlMsMax = 2_000;
/** A call of the method; its arguments follow. */
const startScope = [
  "--user",
  "--timeout=2",
  "call",
  "org.freedesktop.systemd1",
  "/org/freedesktop/systemd1",
  "org.freedesktop.systemd1.Manager",
  "StartTransientUnit",
  "ssa(sv)a(sa(sv))",
];

/** Mode, one property of the unit, and no further units. */
const withProcess = (pid: number): string[] => ["fail", "1", "PIDs", "au", "1", String(pid), "0"];

/**
 * Has the user's systemd take the hub out of the group of processes that it was started in, which may be ended as a whole: into a
 * scope of its own. In the background: a hub that stays where it is works all the same.
 * @param program for tests
 */
export function leaveStarter(
  pid: number,
  name: string,
  env: Environment,
  program = "/usr/bin/busctl",
): void {
  if (process.platform !== "linux" || !hasUserManager(env) || !existsSync(program)) return;
  try {
    let release: (() => void) | undefined;
    const child = Bun.spawn(
      [program, ...startScope, `scorpiox-${name}-${pid}.scope`, ...withProcess(pid)],
      {
        cwd: "/",
        env: managerVariables(env),
        stdio: ["ignore", "ignore", "ignore"],
        timeout: busctlMsMax,
        killSignal: "SIGKILL",
        onExit: () => release?.(),
      },
    );
    release = spareChild(child.pid);
    child.unref();
  } catch {
    // No such program: the hub stays where it is.
  }
}

/** Undefined members are left out. */
function managerVariables(env: Environment): Record<string, string> {
  const names = ["XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS"];
  return Object.fromEntries(
    names.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])),
  );
}

function hasUserManager(env: Environment): boolean {
  const folder = env["XDG_RUNTIME_DIR"];
  return folder !== undefined && existsSync(`${folder}/systemd/private`);
}
