import { readFile } from "node:fs/promises";

/** A connection to a server on 127.0.0.1, by its two ports. */
export interface LocalConnection {
  readonly visitorPort: number;
  readonly serverPort: number;
}

/** `unknown` where the system does not tell. */
export type VisitorUser = "own" | "other" | "unknown";

/** 127.0.0.1 as Linux writes it, also for those who come by an IPv6 socket. */
const local = "(?:0000000000000000FFFF0000)?0100007F";
const establishedState = "01";
const listeningState = "0A";

/**
 * Whether this user has made the connection: the address of a page is in the list of processes for a moment, which everybody on
 * the machine can read. Only known on Linux.
 */
export async function userOfVisitor(connection: LocalConnection): Promise<VisitorUser> {
  const uid = process.getuid?.();
  if (process.platform !== "linux" || uid === undefined) return "unknown";
  const tables = ["/proc/net/tcp", "/proc/net/tcp6"].map((path) =>
    readFile(path, "latin1").catch(() => ""),
  );
  return userIn((await Promise.all(tables)).join(""), connection, uid);
}

/** @param table the text of `/proc/net/tcp` */
export function userIn(table: string, connection: LocalConnection, uid: number): VisitorUser {
  const visitor = hexOf(connection.visitorPort);
  const server = hexOf(connection.serverPort);
  const listening = new RegExp(`: ${local}:${server} [0-9A-F]+:0000 ${listeningState} `);
  // Some systems have the table and leave it empty.
  if (!listening.test(table)) return "unknown";
  const end = "[0-9A-F:]+ [0-9A-F:]+ [0-9A-F]+ +([0-9]+) ";
  const row = new RegExp(`: ${local}:${visitor} ${local}:${server} ${establishedState} ${end}`);
  const found = row.exec(table)?.[1];
  // Root may do as it likes, and passes connections on. One that is closed already counts as root's, or has no row.
  return found === String(uid) || found === "0" ? "own" : "other";
}

function hexOf(port: number): string {
  return port.toString(16).toUpperCase().padStart(4, "0");
}
