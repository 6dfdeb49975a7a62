import { chmodSync, rmSync } from "node:fs";
import { dirname } from "node:path";

import { messageOf, systemCodeOf } from "../../base/errors.ts";
import { ensureRunFolder } from "../../interact/attach/run-folder.ts";
import type { Doorway } from "./doorway.ts";
import { HubFault } from "./hub-fault.ts";
import type { SocketLink } from "./hub-link.ts";
import type { HubPlace } from "./hub-place.ts";

/** A socket that is listened at. */
export interface Listening {
  readonly server: Bun.UnixSocketListener<SocketLink | undefined>;
  readonly path: string;
}

/** Listens at the first of a place's sockets where that is possible. The caller holds the lock of the place. */
export async function listenAtPlace(
  place: HubPlace,
  generation: number,
  doorway: Doorway,
): Promise<Listening> {
  const failures: string[] = [];
  // Left by the hub before, if that was killed.
  for (const path of place.sockets(generation - 1)) rmSync(path, { force: true });
  for (const path of place.sockets(generation)) {
    try {
      await ensureRunFolder(dirname(path));
      rmSync(path, { force: true });
      const server = listenAt(path, doorway);
      chmodSync(path, 0o600);
      return { server, path };
    } catch (error) {
      failures.push(`${path}: ${systemCodeOf(error) ?? messageOf(error)}`);
    }
  }
  const reason = failures.length === 0 ? "all paths are too long" : failures.join("; ");
  throw new HubFault(`no socket to listen at (${reason})`);
}

function listenAt(path: string, doorway: Doorway): Listening["server"] {
  const ended = ({ data }: Bun.Socket<SocketLink | undefined>): void => data?.ended();
  return Bun.listen<SocketLink | undefined>({
    unix: path,
    data: undefined,
    socket: {
      open(socket) {
        socket.data = doorway.open(socket);
      },
      data: ({ data }, chunk) => data?.push(chunk),
      drain: ({ data }) => data?.drain(),
      close: ended,
      error: ({ data }, error) => data?.ended(messageOf(error)),
    },
  });
}
