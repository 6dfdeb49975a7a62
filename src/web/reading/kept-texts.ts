import type { DocumentText, ReadFormat } from "../documents/read-document.ts";
import type { LoadedPage } from "../pages/loaded-page.ts";

/** The text of a page, with its length: enough to show another part of it. */
export interface KeptText {
  readonly text: DocumentText;
  /** Of the extraction, for HTML; undefined for everything else. */
  readonly textChars: number | undefined;
}

/** In UTF-16 units: the largest page in one format, and a few of usual size. */
const charsMax = 16 * 1024 * 1024;

/**
 * The texts of the last long pages, so that a reader who goes on with `start` does not wait for the extraction of all
 * of it again (a second for 15,000 paragraphs). Nothing depends on it: the same page in the same format gives the same text.
 */
export class KeptTexts {
  readonly #texts = new Map<string, KeptText>();
  #chars = 0;

  get(key: string): KeptText | undefined {
    const found = this.#texts.get(key);
    if (found === undefined) return undefined;
    this.#texts.delete(key);
    this.#texts.set(key, found);
    return found;
  }

  set(key: string, kept: KeptText): void {
    this.#delete(key);
    const chars = kept.text.text.length;
    if (chars > charsMax) return;
    this.#texts.set(key, kept);
    this.#chars += chars;
    for (const oldest of this.#texts.keys()) {
      if (this.#chars <= charsMax) return;
      this.#delete(oldest);
    }
  }

  #delete(key: string): void {
    this.#chars -= this.#texts.get(key)?.text.text.length ?? 0;
    this.#texts.delete(key);
  }
}

/** Of all that the text of a page comes from. Two bodies with one hash under one URL would be the doing of its own server. */
export function textKey({ body, contentType, finalUrl }: LoadedPage, format: ReadFormat): string {
  const source = body.kind === "text" ? body.text : body.kind === "bytes" ? body.base64 : "";
  return `${format} ${contentType} ${source.length} ${Bun.hash(source)} ${finalUrl}`;
}
