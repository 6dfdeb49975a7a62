import { existsSync } from "node:fs";

import type { Environment } from "../../base/values.ts";
import { spareChild } from "../../commands/process/orphanage.ts";

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
