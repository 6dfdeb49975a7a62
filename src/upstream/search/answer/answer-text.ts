import { escapeUnsafe } from "../../../base/unsafe-characters.ts";
import type { Fitted } from "./fit-matches.ts";
import type { SearchNotes } from "./search-notes.ts";

export interface AnswerParts {
  readonly fitted: readonly Fitted[];
  readonly more: number;
  /** Names of those that are shown with less than was asked for. */
  readonly cut: readonly string[];
  readonly isPartial: boolean;
  readonly notes: SearchNotes;
}

/** The reply as a model reads it: the matches first, then what is to be known about the rest. */
export function answerText({ fitted, more, cut, isPartial, notes }: AnswerParts): string {
  const lines = [headLine(fitted.length, more, isPartial)];
  lines.push(...fitted.map(({ text }) => text));
  if (cut.length > 0) {
    lines.push(
      `Not shown in full, since the reply would be too long: ${cut.join(", ")}. ${oneAlone}`,
    );
  }
  lines.push(...noteLines(notes));
  return lines.join("\n");
}

/** What the text advises: the data says all the rest, but not what to do about it. */
export function adviceIn({
  more,
  cut,
  notes,
}: Pick<AnswerParts, "more" | "cut" | "notes">): string[] {
  return [
    ...(more === 0 ? [] : [`${more} more match: ${moreAdvice}.`]),
    ...(cut.length === 0 ? [] : [`What is cut is not shown in full. ${oneAlone}`]),
    ...(notes.blocked.length === 0 ? [] : [`What is blocked may not be called. ${blockedAdvice}`]),
  ];
}

const moreAdvice = "raise limit or say it more exactly";
const oneAlone = "Ask for one alone: select:<name>.";
const blockedAdvice = "What is pending or changed awaits the user's approval.";

function headLine(shown: number, more: number, isPartial: boolean): string {
  const rest = more === 0 ? "" : `; ${more} more match, ${moreAdvice}`;
  const part = isPartial ? "; time was up before all tools were looked at" : "";
  if (shown === 0 && more === 0) return `No tool matches${part}.`;
  return `${shown} ${shown === 1 ? "tool" : "tools"}, best match first${rest}${part}.`;
}

function noteLines(notes: SearchNotes): readonly string[] {
  const lines: string[] = [];
  for (const { name, nearest } of notes.unknown ?? []) {
    const hint = nearest.length === 0 ? "" : ` Nearest: ${nearest.join(", ")}.`;
    lines.push(escapeUnsafe(`There is no tool ${JSON.stringify(name)}.${hint}`));
  }
  if (notes.nearest !== undefined && notes.nearest.length > 0) {
    lines.push(`Names that look like it: ${notes.nearest.join(", ")}.`);
  }
  if (notes.servers !== undefined) {
    const servers = notes.servers.map(
      ({ server, tools, state }) => `${server} ${tools} (${state})`,
    );
    lines.push(`Servers and their tools: ${servers.join(", ") || "none"}.`);
  }
  for (const { server, state, reason, retry_in: retryIn } of notes.unavailable) {
    const again = state === "installing" ? "Search again" : "Tried again";
    const retry = retryIn === undefined ? "" : ` ${again} in ${retryIn} s.`;
    lines.push(
      escapeUnsafe(`Unavailable: ${server} is ${state}: ${reason}.${retry}`.replace("..", ".")),
    );
  }
  if (notes.blocked.length > 0) {
    const blocked = notes.blocked.map(({ name, reason }) => `${name} (${reason})`);
    lines.push(`May not be called: ${blocked.join(", ")}. ${blockedAdvice}`);
  }
  lines.push(notes.how_to_call);
  if (notes.index_file !== undefined) lines.push(`All tools, one line each: ${notes.index_file}`);
  return lines;
}
