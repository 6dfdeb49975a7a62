/**
 * Writes the pictures of docs/pictures that show what the program asks: a question and an approval in `attach`, and a question in a
 * browser. All of them are of the real program; only the home folder has another name.
 *
 *     bun run build && bun scripts/docs/pictures.ts
 *
 * Needed: tmux, bubblewrap, Chromium.
 */
import {
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";

import { screenPicture } from "./terminal-picture.ts";

const root = dirname(dirname(import.meta.dir));
const pictures = join(root, "docs/pictures");
const shownHome = "/home/you";
/** Of the same length, so that lines break in the same places. */
const home = "/tmp/your";
const project = join(home, "shop");
const program = join(home, ".scorpiox/scorpiox-code");
/** A server writes the folder into its page, which cannot be replaced in a picture: it has to have that name. */
const inShownHome = ["bwrap", "--die-with-parent", "--dev-bind", "/", "/", "--tmpfs", "/home"];
inShownHome.push("--bind", home, shownHome, "--chdir", project.replace(home, shownHome));
const waitMsMax = 30_000;

const question = {
  name: "AskUserQuestion",
  arguments: {
    questions_json: JSON.stringify([
      {
        question: "Which database should the service use?",
        header: "Database",
        options: [
          { label: "PostgreSQL", description: "What the other services use already." },
          { label: "SQLite", description: "One file, nothing to run." },
        ],
      },
    ]),
  },
};
const push = { name: "Bash", arguments: { command: "git push --force origin main" } };

mkdirSync(home);
try {
  for (const folder of [project, dirname(program)]) mkdirSync(folder, { mode: 0o700 });
  try {
    linkSync(join(root, "dist/scorpiox-code"), program);
  } catch {
    copyFileSync(join(root, "dist/scorpiox-code"), program);
  }
  await attachPicture(
    "attach",
    question,
    /Which database[^]*tab next view/,
    16,
    "A question in attach",
  );
  await attachPicture(
    "approval",
    push,
    /Deny[^]*tab next view/,
    20,
    "A request for permission in attach",
  );
  await pagePicture();
} finally {
  rmSync(home, { recursive: true, force: true });
}

interface Call {
  readonly name: string;
  readonly arguments: object;
}

/** A server whose client makes `call` when it is told to. It ends when it is disposed of. */
function serverFor(
  call: Call,
  env: Readonly<Record<string, string>>,
  isMoved = false,
): Disposable & { readonly ask: () => void } {
  const words = [program, "--client", "claude-desktop"];
  const child = Bun.spawn([...(isMoved ? inShownHome : []), ...words], {
    cwd: project,
    env: { HOME: isMoved ? shownHome : home, PATH: process.env["PATH"] ?? "", ...env },
    stdio: ["pipe", "ignore", "ignore"],
  });
  const clientInfo = { name: "claude-ai", version: "1.0.0" };
  const send = (message: object): void => {
    void child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
    void child.stdin.flush();
  };
  const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo };
  send({ id: 1, method: "initialize", params });
  send({ method: "notifications/initialized" });
  return {
    ask: () => send({ id: 2, method: "tools/call", params: call }),
    [Symbol.dispose]: () => child.kill("SIGKILL"),
  };
}

async function attachPicture(
  name: string,
  call: Call,
  until: RegExp,
  rows: number,
  label: string,
): Promise<void> {
  const size = { columns: 80, rows };
  const tmux = (...words: readonly string[]): string =>
    Bun.spawnSync(["tmux", "-S", join(home, `tmux-${name}`), ...words], {
      env: {
        PATH: process.env["PATH"] ?? "",
        HOME: home,
        TERM: "xterm-256color",
        LANG: "C.UTF-8",
      },
    }).stdout.toString();
  const screen = (...flags: readonly string[]): string =>
    tmux("capture-pane", ...flags, "-p", "-t", "r").replaceAll(home, shownHome);
  tmux("new-session", "-d", "-s", "r", "-x", "80", "-y", String(rows), `${program} attach`);
  try {
    await shown(() => screen().includes("Questions"), "attach");
    using server = serverFor(call, { SCORPIOX_ASK_BROWSER: "off" });
    await shown(() => screen().includes("Servers 1"), "the server in attach");
    server.ask();
    await shown(() => until.test(screen()), label);
    write(`${name}.svg`, screenPicture(screen("-e"), size, label));
  } finally {
    tmux("kill-server");
  }
}

/** The page, opened as a desktop opens it: by a program that gets the address. */
async function pagePicture(): Promise<void> {
  const address = join(home, "address");
  writeFileSync(join(home, "open"), '#!/bin/sh\necho "$1" > ~/address\n', { mode: 0o755 });
  const opener = join(shownHome, "open");
  const env = { SCORPIOX_ASK_BROWSER: opener, DISPLAY: ":0" };
  using server = serverFor(question, env, true);
  server.ask();
  await shown(() => existsSync(address) && readFileSync(address, "utf8") !== "", "the address");
  const url = readFileSync(address, "utf8").trim();
  const browser = ["chromium", "google-chrome", "chrome"].find((one) => Bun.which(one) !== null);
  if (browser === undefined) throw new Error("there is no Chromium for the picture of the page");
  const file = join(home, "page.png");
  const child = Bun.spawn(
    [
      browser,
      "--headless",
      "--no-sandbox",
      "--hide-scrollbars",
      "--disable-gpu",
      "--timeout=3000",
      "--window-size=720,600",
      `--user-data-dir=${join(home, "browser")}`,
      `--screenshot=${file}`,
      url,
    ],
    { stdio: ["ignore", "ignore", "ignore"], timeout: waitMsMax },
  );
  await child.exited;
  write("question-page.png", readFileSync(file));
}

async function shown(isShown: () => boolean, what: string): Promise<void> {
  for (let left = waitMsMax; left > 0; left -= 100) {
    if (isShown()) return;
    await Bun.sleep(100);
  }
  throw new Error(`${what} did not appear`);
}

function write(name: string, data: string | Uint8Array): void {
  writeFileSync(join(pictures, name), data);
  console.log(`docs/pictures/${name}: ${data.length} bytes`);
}
