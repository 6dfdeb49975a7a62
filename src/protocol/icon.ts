/** A picture for a list. Only `https:` and `data:` sources (docs/spec/modern.md#tools). */
export interface Icon {
  readonly src: string;
  readonly mimeType?: string;
  /** Such as `48x48`, or `any`. */
  readonly sizes?: readonly string[];
  readonly theme?: "light" | "dark";
}
