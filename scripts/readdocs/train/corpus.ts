import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";

/** Annotated pages, beside the checkout; not part of it. */
export const corpusDir: string = join(import.meta.dir, "../../../../shared/readdocs/corpus");

export interface CorpusPage {
  readonly id: string;
  readonly url: string;
  readonly source: "aeb" | "wcxb";
  readonly type: string;
  /** The truth ends before the page does. */
  readonly partialGt?: boolean;
  html(): string;
  truth(): string;
}

/** The pages of the corpus; none when it is not there. */
export function loadCorpus(dir: string = corpusDir): CorpusPage[] {
  if (!existsSync(dir)) return [];
  const manifest = JSON.parse(readFileSync(join(dir, "manifest.json"), "utf8")) as CorpusPage[];
  return manifest.map((entry) => ({
    ...entry,
    html: () => gunzipSync(readFileSync(join(dir, "html", `${entry.id}.html.gz`))).toString("utf8"),
    truth: () =>
      (JSON.parse(readFileSync(join(dir, "gt", `${entry.id}.json`), "utf8")) as { text: string })
        .text,
  }));
}
