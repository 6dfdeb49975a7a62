import { tmpdir } from "node:os";
import { join } from "node:path";

import { socketPathBytesMax } from "../../base/limits.ts";
import { makePrivateFolder } from "./run-folder.ts";

/**
 * Names to listen at, best first: beside the pointer; where that path is too long, or its file system
 * has no sockets, in a private folder for temporary files.
 */
export function listenPlaces(runFolder: string, serverId: string): readonly string[] {
  if (process.platform === "win32") return [`\\\\.\\pipe\\scorpiox-${serverId}`];
  const uid = process.getuid?.() ?? 0;
  return [
    join(runFolder, `${serverId}.sock`),
    join(tmpdir(), `scorpiox-run-${uid}`, `${serverId}.sock`),
    join("/tmp", `scorpiox-run-${uid}`, `${serverId}.sock`),
  ].filter((path) => Buffer.byteLength(path) <= socketPathBytesMax);
}

/** Has the folder of a place made, so that only this user reaches what is in it. */
export async function preparePlace(place: string): Promise<void> {
  if (process.platform === "win32") return;
  await makePrivateFolder(join(place, ".."));
}
