/** How the interface looks in one terminal: with colours or without, with drawn signs or plain ones. */
export interface Look {
  bold(text: string): string;
  dim(text: string): string;
  /** Dark on light, as the cursor and the chosen row are. */
  reverse(text: string): string;
  accent(text: string): string;
  good(text: string): string;
  warning(text: string): string;
  bad(text: string): string;
  readonly signs: Signs;
}

interface Signs {
  readonly pointer: string;
  readonly running: string;
  readonly done: string;
  readonly open: string;
  readonly failed: string;
  readonly chosen: string;
  readonly notChosen: string;
  readonly checked: string;
  readonly unchecked: string;
  readonly rule: string;
  readonly dot: string;
}

const drawnSigns: Signs = {
  pointer: "›",
  running: "●",
  done: "✓",
  open: "○",
  failed: "✗",
  chosen: "◉",
  notChosen: "○",
  checked: "▣",
  unchecked: "□",
  rule: "─",
  dot: "·",
};

const plainSigns: Signs = {
  pointer: ">",
  running: "*",
  done: "+",
  open: "-",
  failed: "x",
  chosen: "(x)",
  notChosen: "( )",
  checked: "[x]",
  unchecked: "[ ]",
  rule: "-",
  dot: "-",
};

/**
 * @param hasColours false for NO_COLOR: weight and reverse stay, since they carry meaning
 * @param hasDrawnSigns false where the locale is not UTF-8
 */
export function createLook(hasColours: boolean, hasDrawnSigns: boolean): Look {
  const style = (on: number, off: number) => (text: string) =>
    text === "" ? "" : `\u001b[${on}m${text}\u001b[${off}m`;
  const colour = (code: number): ((text: string) => string) =>
    hasColours ? style(code, 39) : (text) => text;
  return {
    bold: style(1, 22),
    dim: style(2, 22),
    reverse: style(7, 27),
    accent: colour(36),
    good: colour(32),
    warning: colour(33),
    bad: colour(31),
    signs: hasDrawnSigns ? drawnSigns : plainSigns,
  };
}
