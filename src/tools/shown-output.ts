import { bodyCharsMax, cutLine, type CutText, cutText } from "../base/cut-text.ts";
import { messageOf } from "../base/errors.ts";
import { resultBytesPerChar } from "../base/limits.ts";
import type { ResourceLink } from "../protocol/tool-types.ts";
import type { SavedFile, ShownOutput } from "./services.ts";
import type { ToolContext, ToolLimits } from "./tool.ts";

/** Output as one text, with a line about the omitted part. Terminal colours are taken out. */
export function shownText(output: ShownOutput): string {
  if (output.kind === "whole") return Bun.stripANSI(output.text);
  const head = endWithNewline(Bun.stripANSI(output.head));
  const { omittedBytes: amount, totalBytes: total, saved } = output;
  const note = cutLine({ amount, total, unit: "bytes" }, saved ?? undefined);
  return `${head}${note}\n${Bun.stripANSI(output.tail)}`;
}

/** A text within the client's limits, and the file that holds the whole of it when it was cut. */
export interface FittedText {
  readonly text: string;
  readonly saved: SavedFile | null;
}

/** Cuts a text that is too long for the client in the middle and saves the whole of it. */
export async function fitText(
  text: string,
  { limits, results }: Pick<ToolContext, "limits" | "results">,
): Promise<FittedText> {
  const bytes = Buffer.byteLength(text);
  const bytesMax = limits.resultCharsMax * resultBytesPerChar;
  if (text.length <= limits.resultCharsMax && bytes <= bytesMax) return { text, saved: null };
  const cut = cutToFit(text, bodyCharsMax(limits.resultCharsMax));
  if (cut === undefined) return { text, saved: null };
  const from = Buffer.byteLength(cut.head);
  const saved = await saveWhole(text, await results.addOutput({ from, bytes }));
  const left = { amount: cut.omittedChars, total: text.length, unit: "characters" } as const;
  const note = cutLine(left, saved ?? undefined);
  return { text: `${endWithNewline(cut.head)}${note}\n${cut.tail}`, saved };
}

/** Half as many characters fit in any case: none has more than three bytes for each UTF-16 unit. */
function cutToFit(text: string, charsMax: number): CutText | undefined {
  const cut = cutText(text, charsMax);
  const bytes = Buffer.byteLength(cut?.head ?? text) + Buffer.byteLength(cut?.tail ?? "");
  return bytes <= charsMax * resultBytesPerChar ? cut : cutText(text, Math.floor(charsMax / 2));
}

/** Loads the file system for it: most Workers never need the 0.5 MB that it takes. */
async function saveWhole(
  text: string,
  file: Omit<SavedFile, "problem"> | null,
): Promise<SavedFile | null> {
  if (file === null) return null;
  try {
    const { writeFileSync } = await import("node:fs");
    writeFileSync(file.path, text);
    return { ...file, problem: null };
  } catch (error) {
    return { ...file, problem: messageOf(error) };
  }
}

/** The saved file as a link, for clients that have them. */
export function savedLinks(saved: SavedFile | null, { linksAsText }: ToolLimits): ResourceLink[] {
  if (saved === null || linksAsText === true) return [];
  return [{ type: "resource_link", uri: saved.uri, name: "whole output", mimeType: "text/plain" }];
}

function endWithNewline(text: string): string {
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}

/** The sentence of a result about the sandbox of its command; null without a sandbox. */
export function sandboxText(notes: readonly string[]): string | null {
  return notes.length === 0 ? null : `sandbox: ${notes.join(" ")}`;
}
