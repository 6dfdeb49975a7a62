import { messageOf } from "../../base/errors.ts";
import type { CommandIo } from "../command-io.ts";
import { httpEntries } from "../http-settings.ts";
import { type Finding, fault, ok } from "./finding.ts";

/** The settings of `serve --http` outside of its command line; nothing where there are none. */
export function httpFindings(io: CommandIo, scorpioxDir: string): readonly Finding[] {
  try {
    const entries = httpEntries(io, scorpioxDir);
    if (entries.length === 0) return [];
    const files = new Set(entries.flatMap(({ source }) => source.file ?? []));
    const place = [...files, "the environment"][0] ?? "";
    return [ok("configuration", `serve --http takes ${entries.length} settings from ${place}`)];
  } catch (error) {
    const text = messageOf(error).replace(/\.$/, "");
    return [fault("configuration", `serve --http does not start: ${text}`, "correct it there")];
  }
}
