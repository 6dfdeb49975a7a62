import type { StartUp } from "../cli/start-up.ts";
import type { Router } from "../gateway/call.ts";
import { Changes } from "../gateway/changes.ts";
import { ServerContext } from "../server/server-context.ts";
import { instructions } from "./instructions.ts";

/** What the product offers its clients, whatever they connect by. */
export function createServerContext(router: Router, start: StartUp): ServerContext {
  const features = { router, changes: new Changes(), changing: new Set<never>() };
  const { scorpioxDir } = start.dirs;
  const stateKey = async (): Promise<Uint8Array> => {
    const { readStateKey } = await import("./state-key.ts");
    return readStateKey(scorpioxDir);
  };
  return new ServerContext({ features, instructions, stateKey });
}
