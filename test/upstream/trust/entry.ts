import type {
  ConfiguredServer,
  ServerEntry,
  ServerLaunch,
  ServerOptions,
} from "../../../src/upstream/server-entry.ts";
import { launchIdentity } from "../../../src/upstream/config/launch-identity.ts";

const options: ServerOptions = {
  deny: [],
  timeoutMs: 600_000,
  initTimeoutMs: 30_000,
  idleMs: 300_000,
  isolation: "shared",
  defer: "auto",
  alwaysLoad: [],
  idleStopS: 0,
  sampling: "deny",
  elicitation: "ask",
  autoApprove: false,
  era: "auto",
  inheritEnv: [],
  start: "lazy",
  restart: true,
  handover: true,
  promote: false,
  pollS: 0,
};

/** An entry of the user's, with the options that a test is about. */
export function entry(name: string, more: Partial<ServerOptions> = {}): ServerEntry {
  return {
    name,
    isEnabled: true,
    launch: { transport: "stdio", command: "server", args: [], env: {} },
    options: { ...options, ...more },
    origin: { rank: 1, trust: "user", scope: "global", file: "config.toml" },
  };
}

/** The server of such a launch. */
export function server(name: string, launch: ServerLaunch): ConfiguredServer {
  const one = { ...entry(name), launch };
  return { entry: one, identity: launchIdentity(launch), shadowed: [] };
}
