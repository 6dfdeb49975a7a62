import { readFileSync } from "node:fs";
import { userInfo } from "node:os";

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
