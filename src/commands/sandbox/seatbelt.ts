import type { Bounds } from "./bounds.ts";

/** The system's own program; one of that name on PATH may be anybody's. */
export const sandboxExec = "/usr/bin/sandbox-exec";

/** Devices that commands write to as a matter of course, and what they write their output to. */
const devices = ["/dev/null", "/dev/zero", "/dev/stdout", "/dev/stderr", "/dev/dtracehelper"];

/** Names are resolved through this socket. */
const nameServer = "/private/var/run/mDNSResponder";

/** The arguments of `sandbox-exec` (macOS) for a command within `bounds`, up to the command itself. */
export function seatbeltArguments(bounds: Bounds): string[] {
  return ["-p", seatbeltProfile(bounds)];
}

/** The last matching rule applies. */
export function seatbeltProfile({ mode, hasNetwork, writable, shield, hidden }: Bounds): string {
  const rules = ["(version 1)", "(allow default)"];
  if (mode !== "off") {
    rules.push(
      "(deny file-write*)",
      `(allow file-write* (subpath "/dev/fd") ${devices.map(literal).join(" ")})`,
      ...writable.map((path) => `(allow file-write* ${subpath(path)})`),
      ...shield.closed.map((path) => `(deny file-write* ${subpath(path)})`),
      ...shield.pinned.map((path) => `(deny file-write-unlink ${literal(path)})`),
    );
  }
  const secrets = [...hidden.folders, ...hidden.files];
  rules.push(...secrets.map((path) => `(deny file-read* file-write* ${subpath(path)})`));
  // Servers of this machine can be reached by the path of their socket, and write for the asker.
  rules.push('(deny network-outbound (subpath "/"))');
  rules.push(hasNetwork ? `(allow network-outbound ${literal(nameServer)})` : "(deny network*)");
  return rules.join("\n");
}

const subpath = (path: string): string => `(subpath ${quoted(path)})`;
const literal = (path: string): string => `(literal ${quoted(path)})`;

function quoted(path: string): string {
  return `"${path.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
}
