import { choiceValue, type ConfigKey, pathListValue } from "./value-types.ts";

/** Each is stricter than the ones before it. */
const modes = ["off", "workspace-write", "read-only"] as const;
export type SandboxModeName = (typeof modes)[number];

const backends = ["auto", "bubblewrap", "landlock", "seatbelt"] as const;
export type SandboxBackendName = (typeof backends)[number];

/** Other programs use variables of these names. */
const ownOnly = { published: false } as const;

export const sandboxKey: ConfigKey<SandboxModeName> = {
  name: "SANDBOX",
  type: choiceValue("sandbox mode", modes),
  default: "off",
  help: "Files that commands may write: all, those in the workspace, or none. Commands are refused where that cannot be enforced.",
  project: "narrow",
  isNarrower: (value, current) => modes.indexOf(value) > modes.indexOf(current),
  whenBad: "read-only",
  ...ownOnly,
};

export const sandboxNetworkKey: ConfigKey<"on" | "off"> = {
  name: "SANDBOX_NETWORK",
  type: choiceValue("on or off", ["on", "off"]),
  default: "on",
  help: "Whether commands have the network. Commands are refused where access cannot be blocked.",
  project: "narrow",
  isNarrower: (value) => value === "off",
  whenBad: "off",
  ...ownOnly,
};

export const sandboxWriteKey: ConfigKey<string> = {
  name: "SANDBOX_WRITE",
  type: pathListValue,
  help: "Files and folders that SANDBOX=workspace-write makes writable besides the workspace, for instance ~/.cache.",
  project: "never",
  ...ownOnly,
};

export const sandboxBackendKey: ConfigKey<SandboxBackendName> = {
  name: "SANDBOX_BACKEND",
  type: choiceValue("sandbox", backends),
  default: "auto",
  help: "The sandbox to use. Default: the best one that works here, see `doctor sandbox`.",
  project: "never",
  ...ownOnly,
};

export const sandboxKeys: readonly ConfigKey[] = [
  sandboxKey,
  sandboxNetworkKey,
  sandboxWriteKey,
  sandboxBackendKey,
];
