import type { StartUp } from "../cli/start-up.ts";
import { FileResources } from "../gateway/resources/file-resources.ts";
import type { ServerFeatures } from "../gateway/features.ts";
import { JoinedResources } from "../gateway/resources/joined-resources.ts";
import { skillToolName } from "../gateway/skills/skill-tool-name.ts";
import { ServerContext } from "../server/server-context.ts";
import { instructions } from "./instructions.ts";
import type { LazyRouter } from "./lazy-router.ts";

/** What the product offers its clients, whatever they connect by. */
export function createServerContext(router: LazyRouter, start: StartUp): ServerContext {
  const { changes, connections } = router;
  const features = { ...offersOf(router), router, changes };
  const { scorpioxDir } = start.dirs;
  const stateKey = async (): Promise<Uint8Array> => {
    const { readStateKey } = await import("./state-key.ts");
    return readStateKey(scorpioxDir);
  };
  return new ServerContext({ features, instructions, stateKey, connections });
}

/** What is behind a tool that is switched off is not offered; without any tool there is nothing to prompt for. */
function offersOf(router: LazyRouter): Omit<ServerFeatures, "router" | "changes"> {
  const { skills, changes } = router;
  const names = router.list().map(({ name }) => name);
  const files = new FileResources(changes);
  if (!names.includes(skillToolName)) {
    const resources = new JoinedResources([router.resources, files]);
    const { prompts, completion } = skills;
    const offers = { resources, changing: new Set(["resources"] as const) };
    return names.length === 0 ? offers : { ...offers, prompts, completion };
  }
  return {
    resources: new JoinedResources([router.resources, skills.resources, files]),
    prompts: skills.prompts,
    completion: skills.completion,
    skills: skills.entries,
    changing: new Set(["tools", "prompts", "resources"]),
  };
}
