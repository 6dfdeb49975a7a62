import { readFileSync, readlinkSync, statSync } from "node:fs";
import { userInfo } from "node:os";

import { systemCodeOf } from "../../base/errors.ts";
import { isCompiled, product } from "../../base/product.ts";
import { ownerVariable, readProcStat, variableIn } from "./processes.ts";

/** The facts that show the origin of a process. */
export interface ProcessLook {
  readonly parentPid: number;
  /** The system's name of its program. Outside text. */
  readonly name: string;
  readonly hasTerminal: boolean;
  /** Its environment says that a scorpiox-code server started it, or started one of its ancestors. */
  readonly isMarked: boolean;
  /** It is a process of this program: a server, or a command of the command line that runs tools. */
  readonly isProduct: boolean;
  /** The system had no means to say all of it, as when there are no descriptors left. */
  readonly isPartial?: true;
}

/** Undefined for a process that is not there, or not to be seen. */
export type LookAt = (pid: number) => ProcessLook | undefined;

/** The origin of a process. `unknown`: it ended during the look, has too many ancestors, or they cannot be read. */
export type ProcessOrigin =
  | { readonly kind: "person" }
  /** `pid` is the server, or a process that carries its mark. */
  | { readonly kind: "server" | "mark"; readonly pid: number }
  | { readonly kind: "unknown" };

/** Far more ancestors than anything has that a person started. */
const ancestorsMax = 500;
/** Each ancestor that ends during the look makes another look necessary. */
const looksMax = 10;

/**
 * Whether a scorpiox-code server is among the ancestors of a process, or its mark in the environment of one of them. A
 * command can take the mark out of its own environment, but not out of its ancestors' and not the server from among them:
 * orphans are adopted by the server (Linux; elsewhere only the marks say it then).
 */
export function originOf(pid: number, lookAt: LookAt): ProcessOrigin {
  for (let look = 0; look < looksMax; look++) {
    const origin = originIn(pid, lookAt);
    if (origin !== undefined) return origin;
  }
  return { kind: "unknown" };
}

/** Undefined when an ancestor ended in between, and the next one is another process. */
function originIn(pid: number, lookAt: LookAt): ProcessOrigin | undefined {
  let current = pid;
  let look = lookAt(pid);
  if (look === undefined) return { kind: "unknown" };
  for (let count = 0; count < ancestorsMax; count++) {
    if (look.isMarked) return { kind: "mark", pid: current };
    if (look.isPartial === true) return { kind: "unknown" };
    const { parentPid }: ProcessLook = look;
    if (parentPid === 0) return { kind: "person" };
    const parent = lookAt(parentPid);
    // Invisible: where processes of others are hidden, their ancestors belong to the system.
    if (parent === undefined) {
      return lookAt(current)?.parentPid === parentPid ? { kind: "person" } : undefined;
    }
    if (parent.isProduct) return { kind: "server", pid: parentPid };
    current = parentPid;
    look = parent;
  }
  return { kind: "unknown" };
}

/** The current processes; undefined where the system does not list them. On macOS one run of `ps`. */
export async function lookAtProcesses(): Promise<LookAt | undefined> {
  if (process.platform === "linux") return lookAtProc;
  if (process.platform !== "darwin") return undefined;
  try {
    // With their environments, as far as they are this user's.
    const argv = ["/bin/ps", "-axEww", "-o", "pid=,ppid=,tty=,command="];
    const child = Bun.spawn(argv, {
      env: {},
      stdio: ["ignore", "pipe", "ignore"],
      timeout: psMsMax,
    });
    return lookInList(await child.stdout.text());
  } catch {
    return undefined;
  }
}

const psMsMax = 5_000;

/** @param list lines of `ps` with process, parent, terminal, and command with environment */
export function lookInList(list: string): LookAt {
  const looks = new Map<number, ProcessLook>();
  for (const line of list.split("\n")) {
    const [, pid, parentPid, terminal = "", command = ""] =
      /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line) ?? [];
    if (pid === undefined) continue;
    const [program = ""] = command.split(" ");
    looks.set(Number(pid), {
      parentPid: Number(parentPid),
      name: program.slice(program.lastIndexOf("/") + 1),
      hasTerminal: !/^[?-]+$/.test(terminal),
      isMarked: command.includes(` ${ownerVariable}=`),
      isProduct: isProductPath(program),
    });
  }
  return (pid) => looks.get(pid);
}

function lookAtProc(pid: number): ProcessLook | undefined {
  const stat = readProcStat(pid);
  if (stat === undefined) return isThere(pid) ? partialLook : undefined;
  const { parentPid, name, hasTerminal } = stat;
  const environment = readEnvironment(pid);
  if (environment === undefined) return partialLook;
  return {
    parentPid,
    name,
    hasTerminal,
    isMarked: variableIn(environment, ownerVariable) !== undefined,
    isProduct: pid === process.pid || isProductProcess(pid, name),
  };
}

const partialLook: ProcessLook = {
  parentPid: 0,
  name: "",
  hasTerminal: false,
  isMarked: false,
  isProduct: false,
  isPartial: true,
};

/** Whether there is a process `pid`, for one whose files cannot be read: whatever else is wrong, this needs no descriptor. */
function isThere(pid: number): boolean {
  return statSync(`/proc/${pid}`, { throwIfNoEntry: false }) !== undefined;
}

/** Empty when the process has ended or is another user's; undefined when it cannot be read for any other reason. */
function readEnvironment(pid: number): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/environ`, "latin1");
  } catch (error) {
    const code = systemCodeOf(error) ?? "";
    return ["ENOENT", "ESRCH", "EACCES", "EPERM"].includes(code) ? "" : undefined;
  }
}

/**
 * A command may have renamed the file of its server, and an update may have replaced it: then the path does not say it, and
 * the file itself or its size does, or the name that the process has had since it was started.
 */
function isProductProcess(pid: number, name: string): boolean {
  const link = `/proc/${pid}/exe`;
  try {
    const path = readlinkSync(link);
    if (isProductPath(path.replace(/ \(deleted\)$/, ""))) return true;
    if (!isCompiled) return false;
    const [own, its] = [statSync("/proc/self/exe"), statSync(link)];
    if (its.size === own.size) return true;
    // A script has the name of its file too; its interpreter is smaller.
    return name.startsWith(product.name) && its.size > own.size / 2;
  } catch {
    return false; // Of another user, or ended; of this user they may be read.
  }
}

/** This executable under any name, or another version under this executable's name. */
function isProductPath(path: string): boolean {
  const name = path.slice(path.lastIndexOf("/") + 1);
  return name.startsWith(product.name) || (isCompiled && path === process.execPath);
}

/** The user for whom commands and upstream servers run. */
export interface User {
  readonly name: string;
  readonly homeDir: string;
  /** The login shell; null when nobody knows it. */
  readonly shell: string | null;
}

interface Known {
  readonly username: string;
  readonly shell: string | null;
}

/** The runtime's placeholder where a variable is missing: it looks only at USER and SHELL. */
const notKnown = "unknown";

/**
 * The user of this process. A service manager or a desktop may have set neither USER nor SHELL: then the user database
 * says them, and where that does not know the user either, the number stands for the name.
 * @param usersFile the user database, where it is a file
 */
export function describeUser(
  homeDir: string,
  known: Known = knownUser(),
  uid = process.getuid?.(),
  usersFile = "/etc/passwd",
): User {
  const isWhole = known.username !== notKnown && known.shell !== notKnown;
  const [name, shell] = isWhole ? [] : entryOf(uid, usersFile);
  return {
    name: known.username === notKnown ? name || String(uid ?? "user") : known.username,
    homeDir,
    shell: known.shell === notKnown ? shell || null : known.shell,
  };
}

function knownUser(): Known {
  try {
    return userInfo();
  } catch {
    // No entry in the user database, as in some containers.
    return { username: notKnown, shell: notKnown };
  }
}

/** Name and shell of the line `name:password:uid:gid:comment:home:shell`. */
function entryOf(
  uid: number | undefined,
  usersFile: string,
): readonly [name?: string, shell?: string] {
  let text: string;
  try {
    text = readFileSync(usersFile, "utf8");
  } catch {
    return [];
  }
  const fields = text.split("\n").map((line) => line.split(":"));
  const entry = fields.find((parts) => parts.length >= 7 && parts[2] === String(uid));
  return entry === undefined ? [] : [entry[0] ?? "", entry[6] ?? ""];
}
