import type { StartUp } from "../cli/start-up.ts";
import { ServerContext } from "../server/server-context.ts";
import { instructions } from "./instructions.ts";
import type { LazyRouter } from "./lazy-router.ts";

/** What the product offers its clients, whatever they connect by. */
export function createServerContext(router: LazyRouter, start: StartUp): ServerContext {
  const { resources, changes, connections } = router;
  const features = { router, resources, changes, changing: new Set(["resources"] as const) };
  const { scorpioxDir } = start.dirs;
  const stateKey = async (): Promise<Uint8Array> => {
    const { readStateKey } = await import("./state-key.ts");
    return readStateKey(scorpioxDir);
  };
  return new ServerContext({ features, instructions, stateKey, connections });
}
