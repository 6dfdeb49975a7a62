import type {
  ConfiguredServer,
  ServerEntry,
  ServerLaunch,
  ServerOptions,
} from "../../../src/upstream/config/server-entry.ts";
import { defaultServerOptions } from "../../../src/upstream/config/entry-options.ts";
import { launchIdentity } from "../../../src/upstream/config/entry-launch.ts";

/** An entry of the user's, with the options that a test is about. */
export function entry(name: string, more: Partial<ServerOptions> = {}): ServerEntry {
  return {
    name,
    isEnabled: true,
    launch: { transport: "stdio", command: "server", args: [], env: {} },
    options: { ...defaultServerOptions, ...more },
    origin: { rank: 1, trust: "user", scope: "global", file: "config.toml" },
  };
}

/** The server of such a launch. */
export function server(name: string, launch: ServerLaunch): ConfiguredServer {
  const one = { ...entry(name), launch };
  return { entry: one, identity: launchIdentity(launch), shadowed: [] };
}
