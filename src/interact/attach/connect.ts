import { systemCodeOf } from "../../base/errors.ts";
import { listPointers, removeDeadPointer } from "./run-folder.ts";

/** Events of a connection to a server. */
export interface ConnectionHandlers {
  onBytes(chunk: Uint8Array): void;
  /** The socket has room again. */
  onDrain(): void;
  /** Called once. */
  onClose(): void;
}

/** `dead`: nobody listens there any more, so that what is left of the server can be removed. */
export type ConnectOutcome =
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
