import type { LoadedPage } from "../pages/loaded-page.ts";
import type { PagedSyntax } from "../paging/cut-page.ts";

/** A page that was read, whole: paging comes after. */
export interface PageReading {
  readonly page: LoadedPage;
  readonly title: string;
  readonly text: string;
  readonly syntax: PagedSyntax;
  /** Sentences for the reader, those of the page included. */
  readonly notes: readonly string[];
}
