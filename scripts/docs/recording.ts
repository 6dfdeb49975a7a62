/**
 * Records the program at work in a terminal of its own (tmux) and writes docs/pictures/first-minute.svg, an animation that needs no
 * script. Every character is of the real program; only paths of this machine are replaced.
 *
 *     bun run build && bun scripts/docs/recording.ts
 */
import { linkSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { margin, pictureOf, rowY } from "./terminal-picture.ts";

const root = dirname(dirname(import.meta.dir));
const binary = join(root, "dist/scorpiox-code");
const target = join(root, "docs/pictures/first-minute.svg");
const size = { columns: 96, rows: 26 } as const;
/** Paths of this machine are longer than those that replace them: the terminal is wider than its picture. */
const realColumns = 220;

/** A picture of the terminal, and for how long it is shown. */
interface Frame {
  readonly lines: readonly string[];
  readonly ms: number;
}

/** A command that is typed, the text that its output ends with, and an answer to a question. */
interface Scene {
  readonly types: string;
  readonly until: RegExp;
  readonly answer?: { readonly to: RegExp; readonly types: string };
  readonly restMs: number;
}

const scenes: readonly Scene[] = [
  {
    types: "scorpiox-code install cursor",
    answer: { to: /Make this change\?/, types: "y" },
    until: /was changed\./,
    restMs: 3_500,
  },
  {
    types: "scorpiox-code call Bash command='uname -s && sleep 1 && echo done'",
    until: /^done$/m,
    restMs: 2_000,
  },
  {
    types: "scorpiox-code doctor --as cursor",
    until: /fault/i,
    restMs: 5_000,
  },
];

// Not in a folder for temporary files, about which `doctor` would complain.
const home = mkdtempSync(join(root, "dist/recording-"));
try {
  const frames = await record(home);
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, svgOf(frames));
  console.log(`${target}: ${frames.length} frames`);
} finally {
  rmSync(home, { recursive: true, force: true });
}

async function record(folder: string): Promise<readonly Frame[]> {
  mkdirSync(join(folder, ".cursor"));
  mkdirSync(join(folder, ".scorpiox"));
  linkSync(binary, join(folder, ".scorpiox/scorpiox-code"));
  const socket = join(folder, "tmux");
  const tmux = (...words: readonly string[]): string =>
    Bun.spawnSync(["tmux", "-S", socket, ...words], {
      env: {
        PATH: `${join(folder, ".scorpiox")}:${process.env["PATH"] ?? ""}`,
        HOME: folder,
        TERM: "xterm-256color",
        LANG: "C.UTF-8",
        PS1: "$ ",
      },
    }).stdout.toString();
  const shown = (): string[] =>
    tmux("capture-pane", "-p", "-t", "r")
      .replaceAll(folder, "/home/you")

      .trimEnd()
      .split("\n");
  const until = async (wanted: RegExp): Promise<void> => {
    for (let left = 600; left > 0 && !wanted.test(shown().join("\n")); left--) await Bun.sleep(50);
  };
  tmux("new-session", "-d", "-s", "r", "-x", String(realColumns), "-y", String(size.rows), "sh");
  const frames: Frame[] = [];
  const add = (ms: number): void => void frames.push({ lines: shown(), ms });
  try {
    tmux("send-keys", "-t", "r", "PS1='$ '", "Enter");
    await until(/^\$ ?$/m);
    for (const { types, until: end, answer, restMs } of scenes) {
      tmux("send-keys", "-t", "r", "clear", "Enter");
      await Bun.sleep(300);
      for (const part of types.match(/.{1,6}/gs) ?? []) {
        tmux("send-keys", "-l", "-t", "r", part);
        await Bun.sleep(60);
        add(120);
      }
      tmux("send-keys", "-t", "r", "Enter");
      if (answer !== undefined) {
        await until(answer.to);
        add(2_500);
        tmux("send-keys", "-t", "r", answer.types, "Enter");
      }
      await until(end);
      await Bun.sleep(300);
      add(restMs);
    }
    return frames;
  } finally {
    tmux("kill-server");
  }
}

/** Each frame is a group that is visible for its share of the whole time. */
function svgOf(frames: readonly Frame[]): string {
  const total = frames.reduce((sum, { ms }) => sum + ms, 0);
  let from = 0;
  const rules: string[] = [];
  const groups = frames.map(({ lines, ms }, index) => {
    const start = ((from / total) * 100).toFixed(3);
    from += ms;
    const end = ((from / total) * 100).toFixed(3);
    const before = index === 0 ? "" : `0%,${start}%{visibility:hidden}`;
    rules.push(
      `@keyframes f${index}{${before}${start}%,${end}%{visibility:visible}${end}%,100%{visibility:hidden}}`,
    );
    const rows = lines.map((line, row) => textOf(line, row)).join("");
    return `<g style="animation:f${index} ${total}ms step-end infinite;visibility:hidden">${rows}</g>`;
  });
  const look = ".p{fill:#8fbcbb}.a{fill:#a3be8c}.d{fill:#bf616a}";
  const label = "scorpiox-code in a terminal: install, a call, doctor";
  return pictureOf(size, label, rules.join(""), groups.join("")).replace(
    "</style>",
    `${look}</style>`,
  );
}

function textOf(line: string, row: number): string {
  if (line === "") return "";
  const kind = line.startsWith("$ ")
    ? "p"
    : /^[+✓]/.test(line)
      ? "a"
      : /^[-✗]/.test(line)
        ? "d"
        : "";
  const attribute = kind === "" ? "" : ` class="${kind}"`;
  return `<text x="${margin}" y="${rowY(row)}"${attribute} xml:space="preserve">${Bun.escapeHTML(line)}</text>`;
}
