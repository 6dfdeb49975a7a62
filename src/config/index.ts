/** The front door of `config`: what other folders need of it. */
export { loadConfig } from "./load-config.ts";
export type { LoadConfigInput, LoadedConfig } from "./load-config.ts";
export { findProjectDir } from "./places.ts";
export type { ConfigDirs } from "./places.ts";
export type { ConfigProblem } from "./problems.ts";
export type { ConfigEntry, ConfigSource } from "./resolution.ts";
export type { Settings } from "./settings.ts";
