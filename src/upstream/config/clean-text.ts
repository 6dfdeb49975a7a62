import { unsafeCharacters } from "../../base/unsafe-characters.ts";
import type { EntryNotes } from "./entry-fault.ts";

/**
 * `text` without the blanks around it and without invisible characters, which a page or a chat puts into what is
 * copied out of it (CF13). `what` names the text in the warning.
 */
export function cleanText(text: string, what: string, notes: EntryNotes): string {
  const visible = text.replaceAll(unsafeCharacters, "").replaceAll(/\u00ad/g, "");
  const cleaned = visible.trim();
  if (cleaned !== text) {
    const found = visible === text ? "blanks around it" : "invisible characters";
    notes.warn(`${what} had ${found}, which were removed.`);
  }
  return cleaned;
}
