import { statSync } from "node:fs";
import {
  chmod,
  lstat,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  writeFile,
} from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";

import { AppError, systemCodeOf } from "../../base/errors.ts";
import { attachForeignMsMax, socketPathBytesMax } from "../../base/limits.ts";
import { isObject } from "../../base/values.ts";

/** How a running server is found: a private file that says where it listens and what opens it. */
export interface ServerPointer {
  readonly serverId: string;
  readonly pid: number;
  /** The name of its machine: others may share the home folder. */
  readonly host: string;
  /** Path of the socket, or name of the pipe. */
  readonly socket: string;
  /** Only the user of the server can read it: a Windows pipe has no folder that keeps others out. */
  readonly key: string;
}

const pointerSuffix = ".json";
/** Far more than one is. */
const pointerBytesMax = 4096;

/** Where the servers of a user are found. */
export function runFolderIn(scorpioxDir: string): string {
  return join(scorpioxDir, "run");
}

/**
 * Makes a folder that only this user can enter, if it is not there.
 * @throws AppError `refused` when something else is in its place, or a system error
 */
export async function ensureRunFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  const stats = await lstat(path);
  const uid = process.getuid?.() ?? stats.uid;
  if (!stats.isDirectory() || stats.uid !== uid) {
    throw new AppError("refused", `${path} is not a folder of this user. Remove it.`);
  }
  if (process.platform !== "win32" && (stats.mode & 0o077) !== 0) await chmod(path, 0o700);
}

/**
 * Paths to listen at, best first: in `folder`; where that path is too long, or its file system has no sockets, in a private folder
 * for temporary files.
 * @param otherName unique outside of `folder`
 */
export function socketPlaces(folder: string, name: string, otherName = name): readonly string[] {
  const uid = process.getuid?.() ?? 0;
  const others = [`/run/user/${uid}`, tmpdir(), "/tmp"].filter((parent) => isUsable(parent));
  const elsewhere = others.map((parent) => join(parent, `scorpiox-run-${uid}`, otherName));
  return [...new Set([join(folder, name), ...elsewhere])].filter(
    (path) => Buffer.byteLength(path) <= socketPathBytesMax,
  );
}

/** A service of systemd without home folders may not even look at `/run/user`. */
function isUsable(parent: string): boolean {
  try {
    return statSync(parent).isDirectory();
  } catch {
    return false;
  }
}

/** Written whole or not at all: a process that finds the file can connect. */
export async function writePointer(folder: string, pointer: ServerPointer): Promise<void> {
  const path = pointerPath(folder, pointer.serverId);
  const draft = `${path}.new`;
  try {
    await writeFile(draft, JSON.stringify(pointer), { mode: 0o600 });
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true }).catch(() => {});
    throw error;
  }
}

/** Removes the pointer of a server that has ended; its socket is removed too, unless it is a pipe of Windows. */
export async function removePointer(
  folder: string,
  { serverId, socket }: Pick<ServerPointer, "serverId" | "socket">,
): Promise<void> {
  await rm(pointerPath(folder, serverId), { force: true });
  if (!socket.startsWith("\\\\")) await rm(socket, { force: true });
}

/** Removes the pointer of a server that nobody could reach: one of another machine may well be alive, and goes when it is old. */
export async function removeDeadPointer(folder: string, pointer: ServerPointer): Promise<void> {
  if (pointer.host !== hostname()) {
    const found = await stat(pointerPath(folder, pointer.serverId)).catch(() => undefined);
    if (found === undefined || Date.now() - found.mtimeMs < attachForeignMsMax) return;
  }
  await removePointer(folder, pointer);
}

/**
 * The servers that were started and not ended properly or at all. None where there is no folder.
 * @throws AppError `system` when it cannot be read
 */
export async function listPointers(folder: string): Promise<ServerPointer[]> {
  const names = await namesIn(folder);
  const pointers = names
    .filter((name) => /^[0-9a-f]+\.json$/.test(name))
    .map((name) => readPointer(folder, name.slice(0, -pointerSuffix.length)));
  return (await Promise.all(pointers)).filter((pointer) => pointer !== undefined);
}

function pointerPath(folder: string, serverId: string): string {
  return join(folder, `${serverId}${pointerSuffix}`);
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return (await readdir(folder)).sort();
  } catch (error) {
    const code = systemCodeOf(error);
    if (code === "ENOENT") return [];
    throw new AppError(
      "system",
      `The folder of the running servers, ${folder}, cannot be read: ${code}.`,
    );
  }
}

/** Undefined for a file of another program, or one that is gone. */
async function readPointer(folder: string, serverId: string): Promise<ServerPointer | undefined> {
  try {
    const text = await readFile(pointerPath(folder, serverId), "utf8");
    if (text.length > pointerBytesMax) return undefined;
    const value: unknown = JSON.parse(text);
    if (!isObject(value)) return undefined;
    const { pid, host, socket, key } = value;
    if (typeof pid !== "number" || typeof socket !== "string" || typeof key !== "string") {
      return undefined;
    }
    if (typeof host !== "string") return undefined;
    // A reader removes the socket when nobody listens there: nothing else may be named.
    if (!isSocketName(socket, serverId)) return undefined;
    return { serverId, pid, host, socket, key };
  } catch {
    return undefined;
  }
}

function isSocketName(socket: string, serverId: string): boolean {
  return socket.endsWith(`/${serverId}.sock`) || socket.startsWith("\\\\.\\pipe\\scorpiox-");
}

/** Events of a connection to a server. */
interface ConnectionHandlers {
  onBytes(chunk: Uint8Array): void;
  /** The socket has room again. */
  onDrain(): void;
  /** Called once. */
  onClose(): void;
}

/** `dead`: nobody listens there any more, so that what is left of the server can be removed. */
type ConnectOutcome =
  | { readonly kind: "connected"; readonly socket: Bun.Socket }
  | { readonly kind: "dead" }
  | { readonly kind: "failed"; readonly reason: string };

/** Connects to the socket or the pipe of a server. */
export async function connectTo(
  socket: string,
  handlers: ConnectionHandlers,
): Promise<ConnectOutcome> {
  let isClosed = false;
  const close = (): void => {
    if (isClosed) return;
    isClosed = true;
    handlers.onClose();
  };
  try {
    const connection = await Bun.connect({
      unix: socket,
      socket: {
        data: (_, chunk) => handlers.onBytes(chunk),
        drain: () => handlers.onDrain(),
        close,
        end: close,
        error: close,
        connectError: () => {},
      },
    });
    return { kind: "connected", socket: connection };
  } catch (error) {
    const code = systemCodeOf(error);
    if (code === "ECONNREFUSED" || code === "ENOENT") return { kind: "dead" };
    return { kind: "failed", reason: code ?? String(error) };
  }
}

/** Removes what servers have left that were killed. Others are not disturbed. */
export async function removeDeadServers(runFolder: string, ownId: string): Promise<void> {
  for (const pointer of await listPointers(runFolder)) {
    if (pointer.serverId === ownId) continue;
    const outcome = await connectTo(pointer.socket, {
      onBytes: () => {},
      onDrain: () => {},
      onClose: () => {},
    });
    if (outcome.kind === "dead") await removeDeadPointer(runFolder, pointer);
    if (outcome.kind === "connected") outcome.socket.end();
  }
}
