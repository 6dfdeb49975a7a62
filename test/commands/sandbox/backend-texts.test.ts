import { describe, expect, test } from "bun:test";

import {
  type Bounds,
  bubblewrapArguments,
  grantedRights,
  landlockRules,
  noShield,
  nothingHidden,
  rulesetAttributes,
  seatbeltArguments,
  seatbeltProfile,
} from "../../../src/commands/sandbox/backend-arguments.ts";
import { notesOf } from "../../../src/commands/sandbox/notes.ts";

const readOnly: Bounds = {
  mode: "read-only",
  hasNetwork: true,
  cwd: "/w",
  writable: ["/tmp/t"],
  shield: noShield,
  hidden: nothingHidden,
};
const workspace: Bounds = {
  mode: "workspace-write",
  hasNetwork: false,
  cwd: "/w/src",
  writable: ["/w/src/deep", "/w", "/tmp/t"],
  shield: { pinned: ["/w/.git"], closed: ["/w/.git/hooks", "/w/.mcp.json"] },
  hidden: nothingHidden,
};
const hidden = { folders: ["/h/secrets"], files: ["/h/state.key"] };
const always = "--die-with-parent --unshare-pid --unshare-ipc --cap-drop ALL";

describe("bubblewrapArguments()", () => {
  test.each([
    [
      "read-only",
      readOnly,
      `${always} --seccomp 3 --ro-bind / / --dev /dev --bind /tmp/t /tmp/t --proc /proc --chdir /w --`,
    ],
    [
      "workspace-write: outer folders first, what is closed last",
      workspace,
      `${always} --unshare-net --seccomp 3 --ro-bind / / --dev /dev --bind /w /w --bind /tmp/t /tmp/t ` +
        "--bind /w/src/deep /w/src/deep --bind /w/.git /w/.git --ro-bind /w/.mcp.json /w/.mcp.json " +
        "--ro-bind /w/.git/hooks /w/.git/hooks --proc /proc --chdir /w/src --",
    ],
    [
      "the network alone",
      { ...readOnly, mode: "off", hasNetwork: false } as const,
      `${always} --unshare-net --seccomp 3 --dev-bind / / --proc /proc --chdir /w --`,
    ],
    [
      "secrets after all that may cover them",
      {
        ...workspace,
        hasNetwork: true,
        writable: ["/h"],
        shield: { pinned: [], closed: ["/h"] },
        hidden,
      },
      `${always} --seccomp 3 --ro-bind / / --dev /dev --bind /h /h --ro-bind /h /h ` +
        "--tmpfs /h/secrets --remount-ro /h/secrets --ro-bind /dev/null /h/state.key " +
        "--proc /proc --chdir /w/src --",
    ],
  ])("%s", (_name, bounds, text) => {
    expect(bubblewrapArguments(bounds, false).join(" ")).toBe(text);
    const ofRoot = bounds.mode === "off" ? "" : "--remount-ro /proc ";
    const withRoot = text.replace("--chdir", `${ofRoot}--chdir`);
    expect(bubblewrapArguments(bounds, true).join(" ")).toBe(withRoot);
  });
});

describe("seatbeltProfile()", () => {
  const socketRule = '(deny network-outbound (subpath "/"))';
  const nameRule = '(allow network-outbound (literal "/private/var/run/mDNSResponder"))';
  const head = [
    "(version 1)",
    "(allow default)",
    "(deny file-write*)",
    '(allow file-write* (subpath "/dev/fd") (literal "/dev/null") (literal "/dev/zero") (literal "/dev/stdout") (literal "/dev/stderr") (literal "/dev/dtracehelper"))',
  ];
  test.each([
    [
      "read-only",
      readOnly,
      [...head, '(allow file-write* (subpath "/tmp/t"))', socketRule, nameRule],
    ],
    [
      "workspace-write",
      workspace,
      [
        ...head,
        '(allow file-write* (subpath "/w/src/deep"))',
        '(allow file-write* (subpath "/w"))',
        '(allow file-write* (subpath "/tmp/t"))',
        '(deny file-write* (subpath "/w/.git/hooks"))',
        '(deny file-write* (subpath "/w/.mcp.json"))',
        '(deny file-write-unlink (literal "/w/.git"))',
        socketRule,
        "(deny network*)",
      ],
    ],
    [
      "the network alone",
      { ...readOnly, mode: "off", hasNetwork: false } as const,
      ["(version 1)", "(allow default)", socketRule, "(deny network*)"],
    ],
    [
      "secrets",
      { ...readOnly, mode: "off", hidden } as const,
      [
        "(version 1)",
        "(allow default)",
        '(deny file-read* file-write* (subpath "/h/secrets"))',
        '(deny file-read* file-write* (subpath "/h/state.key"))',
        socketRule,
        nameRule,
      ],
    ],
  ])("%s", (_name, bounds, lines) => {
    expect(seatbeltProfile(bounds).split("\n")).toEqual(lines);
  });

  test("a path cannot end its string", () => {
    const bounds = { ...readOnly, writable: [String.raw`/w")(allow default)\ ` + "\n"] };
    const [, profile] = seatbeltArguments(bounds);
    expect(profile).toContain(String.raw`(subpath "/w\")(allow default)\\ `);
  });
});

describe("Landlock", () => {
  test.each([
    [3, [0b0111_1111_1111_0010n]],
    [4, [0b0111_1111_1111_0010n, 0n]],
    [5, [0b1111_1111_1111_0010n, 0n]],
    [6, [0b1111_1111_1111_0010n, 0n, 3n]],
    [99, [0b1111_1111_1111_0010n, 0n, 3n]],
  ])("version %p governs %p", (version, words) => {
    expect([...rulesetAttributes(version)]).toEqual(words);
  });

  test.each([
    ["a folder: all but devices", true, 0b1111_0111_1011_0010n],
    ["a file: its contents", false, 0b1100_0000_0000_0010n],
  ])("grants %s", (_name, isFolder, rights) => {
    expect(grantedRights(rulesetAttributes(6)[0] ?? 0n, isFolder)).toBe(rights);
  });

  test("opens what may be written, and devices", () => {
    const devices = ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"];
    expect(landlockRules(workspace)).toEqual({ writable: [...workspace.writable, ...devices] });
  });
});

test.each([
  [
    { backend: "bubblewrap", mode: "read-only", hasNetwork: false, plan: undefined },
    "Ran in the sandbox read-only (bubblewrap): only $TMPDIR could be written. No network. Not enforced: named pipes that processes outside the sandbox read.",
  ],
  [
    { backend: "landlock", mode: "read-only", hasNetwork: true, plan: { planFile: "/w/p.md" } },
    "Ran read-only for plan mode (landlock): only the plan file (in place) and $TMPDIR could be written. Not enforced: chmod, chown, file times and extended attributes.",
  ],
  [
    { backend: "landlock", mode: "read-only", hasNetwork: true, plan: { planFile: undefined } },
    "Ran read-only for plan mode (landlock): only $TMPDIR could be written. Not enforced: chmod, chown, file times and extended attributes.",
  ],
  [
    { backend: "landlock", mode: "workspace-write", hasNetwork: true, plan: undefined },
    "Ran in the sandbox workspace-write (landlock): only the workspace and $TMPDIR could be written. Not enforced: chmod, chown, file times and extended attributes; protection of .git/hooks, .git/config, .mcp.json, mcp.lock, .scorpiox, .claude, mcp_servers.json, .agents, .vscode, .cursor, .codex, .gemini, .envrc.",
  ],
  [
    {
      backend: "bubblewrap",
      mode: "workspace-write",
      hasNetwork: true,
      plan: undefined,
      opensMore: true,
    },
    "Ran in the sandbox workspace-write (bubblewrap): only the workspace, the folders in SANDBOX_WRITE and $TMPDIR could be written. Not enforced: named pipes that processes outside the sandbox read.",
  ],
  [
    { backend: "seatbelt", mode: "off", hasNetwork: false, plan: undefined },
    "Ran in a network sandbox (seatbelt): files are not restricted. No network.",
  ],
] as const)("notesOf(%j)", (applied, text) => {
  expect(notesOf(applied).join(" ")).toBe(text);
});
