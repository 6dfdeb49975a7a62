import type { UpstreamControl } from "../upstreams.ts";
import type { Composer } from "./composer.ts";
import type { ConfigFollower } from "./current-config.ts";
import type { CurrentProject } from "./current-project.ts";
import type { ServerSet } from "./server-calls.ts";

export interface SwitchParts {
  readonly project: CurrentProject;
  /** In which it was started. */
  readonly workspace: string | undefined;
  readonly follower: ConfigFollower;
  readonly composer: Composer;
  readonly servers: ServerSet;
}

type Switch = Extract<UpstreamControl, { kind: "switch-workspace" | "switch-project" }>;

/**
 * The client works elsewhere: what the other project or workspace names is read, and starts once it is approved. Servers that
 * both have keep running, and are told of other folders (CN16).
 */
export async function switchPlace(control: Switch, parts: SwitchParts): Promise<void> {
  const { project, follower, composer, servers } = parts;
  if (control.kind === "switch-workspace") {
    const workspace = control.workspace ?? undefined;
    if (workspace !== parts.workspace) composer.leavePlace();
    return follower.follow(workspace);
  }
  const changed = project.become(control.projectDir ?? undefined, control.folders);
  if (changed.project) {
    composer.leavePlace();
    await follower.moved();
  }
  if (changed.folders) for (const server of servers.all) server.linkSets?.tellRoots();
}
