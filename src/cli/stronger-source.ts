import type { LoadedConfig } from "../config/load-config.ts";
import type { Printer } from "./print.ts";
import { sourceText } from "./source-text.ts";

/** Warns when `key` was written to `file` but another place overrides it. */
export function noteStrongerSource(
  key: string,
  file: string,
  config: LoadedConfig,
  print: Printer,
): void {
  const entry = config.entries().find((candidate) => candidate.key === key);
  if (entry === undefined || entry.source.level === "default" || entry.source.file === file) return;
  print.note(
    `${key}=${entry.value} from another place overrides it here (${sourceText(entry.source)})`,
  );
}
