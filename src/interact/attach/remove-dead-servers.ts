import { connectTo } from "./connect.ts";
import { listPointers, removeDeadPointer } from "./run-folder.ts";

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
