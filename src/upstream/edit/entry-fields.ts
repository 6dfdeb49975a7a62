import { defaultServerOptions } from "../config/entry-options.ts";
import type { ServerEntry, ServerOptions } from "../config/server-entry.ts";

/** One setting that counts for a server. */
export interface EntryField {
  /** As files write it. */
  readonly key: string;
  readonly value: unknown;
  /** `default`: the entry does not say, or may not say, anything else. */
  readonly source: "entry" | "default";
}

/** Every setting of an entry, under the names that files have for them. */
export function entryFields(entry: ServerEntry): readonly EntryField[] {
  const { transport: _transport, ...launch } = entry.launch;
  const launchFields = Object.entries(launch).map(
    ([key, value]: [string, unknown]): EntryField => ({
      key,
      value,
      source: isEmpty(value) ? "default" : "entry",
    }),
  );
  const enabled: EntryField = {
    key: "enabled",
    value: entry.isEnabled,
    source: entry.isEnabled ? "default" : "entry",
  };
  const defaults: Partial<ServerOptions> = defaultServerOptions;
  const optionFields = Object.entries(entry.options).map(
    ([key, value]: [string, unknown]): EntryField => {
      const usual = defaults[key as keyof ServerOptions];
      const isUsual = JSON.stringify(value) === JSON.stringify(usual);
      return { key: snakeCase(key), value, source: isUsual ? "default" : "entry" };
    },
  );
  return [...launchFields, enabled, ...optionFields];
}

function isEmpty(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}

function snakeCase(key: string): string {
  return key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
