import { describe, expect, test } from "bun:test";

import { setEntry } from "../../../src/install/edit/entry-text.ts";
import type { Entry, EntryHome } from "../../../src/install/install-targets.ts";

const map = (key: string): EntryHome => ({ kind: "map", path: [key] });
const list: EntryHome = { kind: "list", path: ["servers"] };

describe("[IN3] another value of an entry changes no line besides", () => {
  test.each<
    [name: string, file: string, home: EntryHome, before: string, entry: Entry, after: string]
  >([
    [
      "JSON with comments",
      "a.json",
      map("mcpServers"),
      '{\n  "mcpServers": {\n    "m": { // one\n      /* two */ "command": "m", // three\n      "args": [\n        "a" // four\n      ]\n    },\n    "n": {}\n  }\n}\n',
      { command: "m", args: ["a"], disabled: true },
      '{\n  "mcpServers": {\n    "m": { // one\n      /* two */ "command": "m", // three\n      "args": [\n        "a" // four\n      ],\n      "disabled": true\n    },\n    "n": {}\n  }\n}\n',
    ],
    [
      "JSON on one line",
      "a.json",
      map("mcpServers"),
      '{"mcpServers":{"m":{"command":"m","disabled":false},"n":{}}}',
      { command: "new", disabled: true },
      '{"mcpServers":{"m":{"command":"new","disabled":true},"n":{}}}',
    ],
    [
      "TOML with comments and CRLF",
      "a.toml",
      map("mcp_servers"),
      '[mcp_servers.m] # one\r\n# two\r\ncommand = "m" # three\r\nargs = [\r\n  "a", # four\r\n]\r\n\r\n# of n\r\n[mcp_servers.n]\r\ncommand = "n"\r\n',
      { command: "m", args: ["a"], enabled: false },
      '[mcp_servers.m] # one\r\n# two\r\ncommand = "m" # three\r\nargs = [\r\n  "a", # four\r\n]\r\nenabled = false\r\n\r\n# of n\r\n[mcp_servers.n]\r\ncommand = "n"\r\n',
    ],
    [
      "TOML without a last line end",
      "a.toml",
      map("mcp_servers"),
      '[mcp_servers.m]\ncommand = "m" # c\nold = 1',
      { command: "x", enabled: false },
      '[mcp_servers.m]\ncommand = "x" # c\nenabled = false',
    ],
    [
      "a TOML table on one line",
      "a.toml",
      map("mcp_servers"),
      '[mcp_servers] # all\nm = { command = "m", args = [\n  "a", # kept\n] } # one\n# two\nn = { command = "n" }\n',
      { command: "m", args: ["a"], enabled: false },
      '[mcp_servers] # all\nm = { command = "m", args = [\n  "a", # kept\n], enabled = false } # one\n# two\nn = { command = "n" }\n',
    ],
    [
      "a TOML table inside another one, on one line",
      "a.toml",
      map("mcp_servers"),
      'mcp_servers = { n = {command="n"}, m = {command="m",enabled=true} } # all\n',
      { command: "x", enabled: false },
      'mcp_servers = { n = {command="n"}, m = {command="x",enabled=false} } # all\n',
    ],
    [
      "dotted keys of TOML inside a table on one line",
      "a.toml",
      map("mcp_servers"),
      'mcp_servers = { m.command = "m", m.old = 1, n.command = "n" }\n',
      { command: "m", enabled: false },
      'mcp_servers = { m.command = "m", n.command = "n", m.enabled = false }\n',
    ],
    [
      "dotted keys of TOML",
      "a.toml",
      map("mcp_servers"),
      'mcp_servers.m.command = "m" # one\nmcp_servers.m.env.A = "1" # two\nmcp_servers.n.command = "n"\n',
      { command: "m", env: { A: "1" }, enabled: false },
      'mcp_servers.m.command = "m" # one\nmcp_servers.m.env.A = "1" # two\nmcp_servers.m.enabled = false\nmcp_servers.n.command = "n"\n',
    ],
    [
      "dotted keys of TOML below the header of all servers",
      "a.toml",
      map("mcp_servers"),
      '[mcp_servers]\n  m.command = "m" # one\n  # two\n  n.command = "n"\n',
      { command: "m", enabled: false },
      '[mcp_servers]\n  m.command = "m" # one\n  m.enabled = false\n  # two\n  n.command = "n"\n',
    ],
    [
      "a TOML table with tables of its own",
      "a.toml",
      map("mcp_servers"),
      '[mcp_servers.m]\ncommand = "m"\n\n[mcp_servers.m.env] # one\nA = "1" # two\n',
      { command: "m", env: { A: "1" }, enabled: false },
      '[mcp_servers.m]\ncommand = "m"\nenabled = false\n\n[mcp_servers.m.env] # one\nA = "1" # two\n',
    ],
    [
      "a TOML table with nothing but tables of its own",
      "a.toml",
      map("mcp_servers"),
      '# of env\n[mcp_servers.m.env] # one\nA = "1" # two\n\n[other]\nb = 1\n',
      { env: { A: "1" }, enabled: false },
      '# of env\n[mcp_servers.m.env] # one\nA = "1" # two\n\n[mcp_servers.m]\nenabled = false\n\n[other]\nb = 1\n',
    ],
    [
      "a YAML map with comments",
      "a.yaml",
      map("extensions"),
      "extensions:\n  m: # one\n    # two\n    cmd: m # three\n    enabled: true # four\n    # five\n  n:\n    cmd: n\n",
      { cmd: "m", enabled: false, timeout: 300 },
      "extensions:\n  m: # one\n    # two\n    cmd: m # three\n    enabled: false # four\n    timeout: 300\n    # five\n  n:\n    cmd: n\n",
    ],
    [
      "a YAML list, the name not first",
      "a.yaml",
      list,
      "servers:\n- command: m # one\n  name: m\n- name: n\n",
      { name: "m", command: "x", args: ["a"] },
      'servers:\n- command: "x" # one\n  name: m\n  args: ["a"]\n- name: n\n',
    ],
  ])("%s", (_name, file, home, before, entry, after) => {
    expect(setEntry(file, before, home, "m", entry)).toBe(after);
  });
});

describe("[IN3] names and line ends in YAML", () => {
  test.each(["needs: quotes # x", "yes", "null", "1", "- a", "it's", "a b"])("%s", (name) => {
    const before = "extensions:\n  m: {cmd: m}\n";
    const after = setEntry("a.yaml", before, map("extensions"), name, { cmd: "x" });
    expect(after).toBe(`${before}  ${JSON.stringify(name)}:\n    cmd: "x"\n`);
  });

  test("an empty map over two lines keeps the line ends of the file", () => {
    const after = setEntry("a.yaml", "extensions: {\r\n}", map("extensions"), "m", { cmd: "x" });
    expect(after).toBe('extensions:\r\n  m:\r\n    cmd: "x"');
  });
});
