import { describe, expect, test } from "bun:test";

import { KeyDecoder } from "../../../src/interact/terminal/keys.ts";
import { until } from "../../commands/process/until.ts";

/** The names of the keys, and what they write. */
function decode(...chunks: (string | Uint8Array)[]): string[] {
  const keys: string[] = [];
  const decoder = new KeyDecoder(({ name, text }) => keys.push(text === "" ? `<${name}>` : text));
  for (const chunk of chunks) {
    decoder.push(typeof chunk === "string" ? new TextEncoder().encode(chunk) : chunk);
  }
  decoder.close();
  return keys;
}

describe("KeyDecoder", () => {
  test.each<[what: string, bytes: string, keys: string[]]>([
    ["characters", "aä数👍", ["a", "ä", "数", "👍"]],
    ["arrows", "\u001b[A\u001b[B\u001b[C\u001b[D", ["<up>", "<down>", "<right>", "<left>"]],
    ["arrows of the application mode", "\u001bOA\u001bOB", ["<up>", "<down>"]],
    ["arrows with modifiers", "\u001b[1;5A", ["<up>"]],
    [
      "pages and ends",
      "\u001b[5~\u001b[6~\u001b[H\u001b[4~",
      ["<pageup>", "<pagedown>", "<home>", "<end>"],
    ],
    [
      "control keys",
      "\u0003\u001a\r\t\u007f",
      ["<ctrl-c>", "<ctrl-z>", "<enter>", "<tab>", "<backspace>"],
    ],
    ["a key with Alt", "\u001bx\u001bä\u001b\u007f", ["<alt-x>", "<alt-ä>", "<alt-backspace>"]],
    [
      "an escape before another key",
      "\u001b\u001b[A\u001b\u0003",
      ["<escape>", "<up>", "<escape>", "<ctrl-c>"],
    ],
    ["sequences that mean nothing here", "\u001b[I\u001b[?1;2cx", ["x"]],
    ["pasted text, controls and all", "\u001b[200~a\nb\u001b[A\u001b[201~c", ["a\nb\u001b[A", "c"]],
  ])("%s", (_, bytes, keys) => {
    expect(decode(bytes)).toEqual(keys);
  });

  test("cut anywhere, the keys are the same", () => {
    const text = "ä\u001b[5~\u001bOA\u001b[200~é\nx\u001b[201~数";
    const whole = decode(text);
    const bytes = new TextEncoder().encode(text);
    for (let at = 1; at < bytes.length; at++) {
      expect(decode(bytes.slice(0, at), bytes.slice(at))).toEqual(whole);
    }
  });

  test("an escape that nothing follows is the key", async () => {
    const keys: string[] = [];
    const decoder = new KeyDecoder(({ name }) => keys.push(name));
    decoder.push(new TextEncoder().encode("\u001b"));
    expect(keys).toEqual([]);
    await until(() => keys.length > 0);
    expect(keys).toEqual(["escape"]);
  });

  test("after a paste whose end is lost, keys count again", async () => {
    const keys: string[] = [];
    const decoder = new KeyDecoder(({ name }) => keys.push(name));
    decoder.push(new TextEncoder().encode("\u001b[200~abc"));
    await until(() => keys.length > 0);
    decoder.push(new TextEncoder().encode("\u0003"));
    expect(keys).toEqual(["paste", "ctrl-c"]);
  });

  test("a paste without end is held within bounds", () => {
    const start = "\u001b[200~";
    const chunks = Array.from({ length: 40 }, () => "x".repeat(4_000));
    const [pasted] = decode(start, ...chunks, "\u001b[201~");
    expect(pasted?.length).toBeLessThan(40_000);
  });
});
