import { booleanValue, choiceValue, type ConfigKey, integerValue } from "./value-types.ts";

const modes = ["auto", "on", "off"] as const;
export type HubModeName = (typeof modes)[number];

/** The user alone decides what processes share, and other programs use variables of these names. */
const ownOnly = { project: "never", published: false } as const;

export const hubKey: ConfigKey<HubModeName> = {
  name: "HUB",
  type: choiceValue("hub mode", modes),
  default: "auto",
  help: "Share MCP servers and kept tasks among your clients: auto (when there are any), on (from commands and in CI too), or off.",
  ...ownOnly,
};

export const hubIdleKey: ConfigKey<number> = {
  name: "HUB_IDLE",
  type: integerValue(1, 86_400, "at once"),
  default: 10,
  unit: "s",
  help: "The hub and its MCP servers end this long after the last client has gone.",
  ...ownOnly,
};

export const bgPersistKey: ConfigKey<boolean> = {
  name: "BG_PERSIST",
  type: booleanValue,
  help: "Background tasks that go on when their client ends: on makes that the default, off refuses it. Default: those started with keep.",
  ...ownOnly,
};

export const bgKeepHoursKey: ConfigKey<number> = {
  name: "BG_KEEP_HOURS",
  type: integerValue(1, 8760, "no end"),
  default: 24,
  unit: "hours",
  help: "A kept background task is ended this long after its start.",
  ...ownOnly,
};

export const hubKeys: readonly ConfigKey[] = [hubKey, hubIdleKey, bgPersistKey, bgKeepHoursKey];
