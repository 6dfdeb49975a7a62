/** The blocks of a page. Text is inline Markdown, or plain text when plain text is wanted. */
export type Block =
  | { readonly kind: "paragraph"; readonly text: string }
  | { readonly kind: "heading"; readonly level: number; readonly text: string }
  | { readonly kind: "code"; readonly language: string; readonly text: string }
  | { readonly kind: "math"; readonly tex: string }
  | { readonly kind: "quote"; readonly blocks: readonly Block[] }
  | { readonly kind: "list"; readonly list: List }
  | { readonly kind: "table"; readonly table: Table }
  | { readonly kind: "footnote"; readonly label: string; readonly blocks: readonly Block[] }
  | { readonly kind: "rule" };

export interface List {
  /** Number of the first item; null = bullets. */
  readonly start: number | null;
  readonly items: readonly (readonly Block[])[];
}

export type Alignment = "left" | "center" | "right" | "none";

export interface Table {
  /** Empty texts when the table has no header. */
  readonly header: readonly string[];
  readonly alignments: readonly Alignment[];
  readonly rows: readonly (readonly string[])[];
}
