import { booleanValue, type ConfigKey, integerValue } from "./value-types.ts";

export const hooksEnabledKey: ConfigKey<boolean> = {
  name: "HOOKS_ENABLED",
  type: booleanValue,
  default: true,
  help: "Run hooks: scripts in ~/.scorpiox/hooks, and those of a project that you have approved.",
  // The user's guards are among them: whoever has text in a folder must not switch those off.
  project: "never",
  published: true,
};

export const hooksTimeoutKey: ConfigKey<number> = {
  name: "HOOKS_TIMEOUT",
  type: integerValue(1, 600),
  default: 30,
  unit: "s",
  help: "A hook that runs longer is ended; a sync hook then stops the call.",
  project: "never",
  published: true,
};
