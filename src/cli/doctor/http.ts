import { messageOf } from "../../base/errors.ts";
import { openTokenStore } from "../../state/tokens/open-token-store.ts";
import { hasTokenStore, isAccepted } from "../../state/tokens/token-store.ts";
import type { CommandIo } from "../command-io.ts";
import { httpEntries } from "../http-settings.ts";
import { type Finding, fault, note, ok } from "./finding.ts";

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

const weekMs = 7 * 86_400_000;

/** The tokens that were made for clients of `serve --http`; nothing where there were never any. */
export async function tokenFindings(scorpioxDir: string): Promise<readonly Finding[]> {
  if (!hasTokenStore(scorpioxDir)) return [];
  try {
    await using store = openTokenStore(scorpioxDir);
    const nowMs = Date.now();
    const valid = (await store.list()).filter((record) => isAccepted(record, nowMs));
    if (valid.length === 0) {
      const text = "every token for serve --http has ended: nobody may connect";
      return [note("configuration", text, "token add LABEL makes one")];
    }
    const ending = valid.filter(
      ({ expiresAtMs = Infinity, replacedAtMs }) =>
        replacedAtMs === undefined && expiresAtMs < nowMs + weekMs,
    );
    const labels = ending.map(({ label }) => label).join(", ");
    const text = `serve --http accepts ${valid.length} tokens that were made here`;
    return [
      ok("configuration", text),
      ...(ending.length === 0
        ? []
        : [note("configuration", `tokens expire within a week: ${labels}`, "token rotate LABEL")]),
    ];
  } catch (error) {
    const text = messageOf(error).replace(/\.$/, "");
    return [fault("configuration", text, "serve --http does not start until that is repaired")];
  }
}
