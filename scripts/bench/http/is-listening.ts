import fs from "node:fs";

const listening = "0A";

/** Whether somebody on this machine listens at the port, by what /proc says. */
export function isListening(port: number): boolean {
  const place = `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  return ["/proc/net/tcp", "/proc/net/tcp6"].some((file) =>
    fs
      .readFileSync(file, "latin1")
      .split("\n")
      .map((line) => line.trim().split(/\s+/))
      .some(([, local = "", , state]) => local.endsWith(place) && state === listening),
  );
}
