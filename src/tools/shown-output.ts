import { writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

import { formatCount } from "../base/amount-text.ts";
import { bodyCharsMax, type CutText, cutText } from "../base/cut-text.ts";
import { messageOf } from "../base/errors.ts";
import { resultBytesPerChar } from "../base/limits.ts";
import type { ResourceLink } from "../protocol/tool-types.ts";
import type { SavedFile, ShownOutput } from "./services.ts";
import type { ToolContext, ToolLimits } from "./tool.ts";

/** Output as one text, with a line that says what was left out. Terminal colours are taken out. */
export function shownText(output: ShownOutput): string {
  if (output.kind === "whole") return Bun.stripANSI(output.text);
  const head = endWithNewline(Bun.stripANSI(output.head));
  const note = omissionNote(`${formatCount(output.omittedBytes)} bytes`, output.saved);
  return `${head}${note}\n${Bun.stripANSI(output.tail)}`;
}

/** A text within the client's limits, and the file that holds the whole of it when it was cut. */
export interface FittedText {
  readonly text: string;
  readonly saved: SavedFile | null;
}

/** True for a text that surely is within the client's limits; most are, and need no further look. */
export function isShort(text: string, limits: ToolLimits): boolean {
  return text.length * 3 <= limits.resultCharsMax;
}

/** Cuts a text that is too long for the client in the middle and saves the whole of it. */
export async function fitText(
  text: string,
  { limits, results }: Pick<ToolContext, "limits" | "results">,
): Promise<FittedText> {
  if (isShort(text, limits)) return { text, saved: null };
  const bytes = Buffer.byteLength(text);
  const bytesMax = limits.resultCharsMax * resultBytesPerChar;
  if (text.length <= limits.resultCharsMax && bytes <= bytesMax) return { text, saved: null };
  const cut = cutToFit(text, bodyCharsMax(limits.resultCharsMax));
  if (cut === undefined) return { text, saved: null };
  const saved = saveWhole(text, await results.create());
  const note = omissionNote(`${formatCount(cut.omittedChars)} characters`, saved);
  return { text: `${endWithNewline(cut.head)}${note}\n${cut.tail}`, saved };
}

/** Half as many characters fit in any case: none has more than three bytes for each UTF-16 unit. */
function cutToFit(text: string, charsMax: number): CutText | undefined {
  const cut = cutText(text, charsMax);
  const bytes = Buffer.byteLength(cut?.head ?? text) + Buffer.byteLength(cut?.tail ?? "");
  return bytes <= charsMax * resultBytesPerChar ? cut : cutText(text, Math.floor(charsMax / 2));
}

function saveWhole(text: string, file: { readonly path: string } | null): SavedFile | null {
  if (file === null) return null;
  try {
    writeFileSync(file.path, text);
    return { path: file.path, problem: null };
  } catch (error) {
    return { path: file.path, problem: messageOf(error) };
  }
}

/** The line between the two ends of something that was cut. */
function omissionNote(amount: string, saved: SavedFile | null): string {
  if (saved === null) return `[... ${amount} left out; the whole could not be saved ...]`;
  const problem = saved.problem === null ? "" : ` (${saved.problem})`;
  return `[... ${amount} left out; the whole output is in ${saved.path}${problem} ...]`;
}

/** The saved file as a link, for clients that follow them. */
export function savedLinks(saved: SavedFile | null): ResourceLink[] {
  if (saved === null) return [];
  const uri = pathToFileURL(saved.path).href;
  return [{ type: "resource_link", uri, name: "whole output", mimeType: "text/plain" }];
}

function endWithNewline(text: string): string {
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}
