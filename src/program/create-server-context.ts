import type { StartUp } from "../cli/start-up.ts";
import { FileResources } from "../gateway/resources/file-resources.ts";
import { JoinedResources } from "../gateway/resources/joined-resources.ts";
import { ServerContext } from "../server/server-context.ts";
import { instructions } from "./instructions.ts";
import type { LazyRouter } from "./lazy-router.ts";

/** What the product offers its clients, whatever they connect by. */
export function createServerContext(router: LazyRouter, start: StartUp): ServerContext {
  const { changes, connections } = router;
  const resources = new JoinedResources([router.resources, new FileResources(changes)]);
  const features = { router, resources, changes, changing: new Set(["resources"] as const) };
  const { scorpioxDir } = start.dirs;
  const stateKey = async (): Promise<Uint8Array> => {
    const { readStateKey } = await import("./state-key.ts");
    return readStateKey(scorpioxDir);
  };
  return new ServerContext({ features, instructions, stateKey, connections });
}
