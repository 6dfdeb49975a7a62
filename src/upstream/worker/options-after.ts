import type { UpstreamControl } from "../upstreams.ts";
import type { UpstreamOptions } from "./upstream-options.ts";

/** What a Worker has to be started with that takes the place of one that was told this. */
export function optionsAfter(control: UpstreamControl, options: UpstreamOptions): UpstreamOptions {
  if (control.kind === "switch-workspace") {
    const { workspace: _before, ...others } = options;
    return control.workspace === null ? others : { ...others, workspace: control.workspace };
  }
  if (control.kind === "switch-project") {
    const { folders, projectDir } = control;
    return { ...options, folders, dirs: { ...options.dirs, projectDir: projectDir ?? undefined } };
  }
  if (control.kind === "several-principals") return { ...options, principals: "several" };
  return control.kind === "show-apps" ? { ...options, apps: control.apps } : options;
}
