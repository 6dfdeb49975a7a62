/** A row of the tables of forum software: lists of compound selectors, as `parsePattern` reads them. */
export interface MarkupRow {
  readonly post: string;
  readonly body: string;
  readonly author?: string;
  readonly date?: string;
  readonly drop?: string;
}
