import { ownValue } from "../base/values.ts";

/** Everything that the hub learns from the process that starts it. Later clients do not change it. */
export interface HubArguments {
  readonly scorpioxDir: string;
  readonly homeDir: string;
  /** The configured shell; null: the system's. */
  readonly shellPath: string | null;
  /** Seconds from the last client's end to the hub's. */
  readonly idleS: number;
}

export function encodeHubArguments(given: HubArguments): string {
  return JSON.stringify(given);
}

/** @param text of `encodeHubArguments`, by the same executable */
export function decodeHubArguments(text: string): HubArguments {
  return ownValue(JSON.parse(text));
}
