import type { UpstreamOptions } from "../../src/upstream/worker/upstream-options.ts";

/** What the Worker of other servers is given where nobody has set anything, and the user's folders are these. */
export function upstreamOptions(
  dirs: UpstreamOptions["dirs"],
  more: Partial<UpstreamOptions> = {},
): UpstreamOptions {
  return {
    dirs,
    env: {},
    configFiles: [],
    isStrict: false,
    defer: "auto",
    onChange: "block",
    trustsProject: false,
    toolNameMax: 44,
    ownKey: "scorpiox-code",
    version: "1",
    resultFolders: [],
    ...more,
  };
}
