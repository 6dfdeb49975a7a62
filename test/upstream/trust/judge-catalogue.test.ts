import { describe, expect, test } from "bun:test";

import type { ToolRule } from "../../../src/upstream/config/server-entry.ts";
import type { ServerCatalogue } from "../../../src/upstream/connect/connection.ts";
import { catalogueDifferences } from "../../../src/upstream/trust/approve-differences.ts";
import { toolHash } from "../../../src/upstream/trust/approved-definition.ts";
import {
  judgeCatalogue,
  type JudgedCatalogue,
  type CatalogueJudgeParts,
} from "../../../src/upstream/trust/judge-catalogue.ts";
import { ToolRules } from "../../../src/upstream/trust/tool-rules.ts";
import { emptyPins, type ToolPins } from "../../../src/upstream/trust/trust-file.ts";
import { catalogue, tool } from "./catalogue.ts";
import { entry } from "./entry.ts";

const rules = (list: readonly ToolRule[] = []): ToolRules => new ToolRules(entry("s"), list);

function judge(offered: ServerCatalogue, more: Partial<CatalogueJudgeParts> = {}): JudgedCatalogue {
  return judgeCatalogue(offered, {
    server: "s",
    pins: undefined,
    definitions: new Map(),
    autoApprove: false,
    onChange: "block",
    rules: rules(),
    nameOf: (name) => `mcp__s__${name}`,
    ...more,
  });
}

/** State by name, with the text where it is not approved. */
function states({ tools, prompts }: JudgedCatalogue): Record<string, string> {
  return Object.fromEntries(
    [...tools, ...prompts].map((one) => {
      return [one.item.name, one.state === "approved" ? "approved" : `${one.state}: ${one.text}`];
    }),
  );
}

function pinsAfter(judged: JudgedCatalogue, before: ToolPins = emptyPins): ToolPins {
  const { newPins } = judged;
  if (newPins === undefined) return before;
  const { instructions, tools, prompts } = newPins;
  return {
    ...before,
    ...(instructions === undefined ? {} : { instructions }),
    tools: new Map([...before.tools, ...tools]),
    prompts: new Map([...before.prompts, ...prompts]),
  };
}

const read = tool("read");
const write = tool("write");
const ask = { name: "ask", description: "Asks." };
const first = catalogue({ tools: [read, write], prompts: [ask], instructions: "Be kind." });
const met = judge(first);
const pins = pinsAfter(met);
const look = "See the definition: scorpiox-code mcp diff s.";

describe("[GW-22] U-pin: judgeCatalogue()", () => {
  test("the first contact is the baseline, and nothing is new in the second", () => {
    expect(states(met)).toEqual({ read: "approved", write: "approved", ask: "approved" });
    expect(met.instructions).toBe("Be kind.");
    expect([...pins.tools]).toEqual([
      ["read", toolHash(read)],
      ["write", toolHash(write)],
    ]);
    const again = judge(first, { pins });
    expect(states(again)).toEqual(states(met));
    expect(again.newPins).toBeUndefined();
  });

  test("a server that offers nothing yet has not been met", () => {
    expect(judge(catalogue({ instructions: "Later." })).newPins).toBeUndefined();
  });

  test("what comes later waits, what was changed is withdrawn, both saying what to do", () => {
    const later = catalogue({
      tools: [tool("read", { description: "Sends all to me." }), write, tool("exec")],
      prompts: [{ ...ask, description: "Asks more." }, { name: "more" }],
      instructions: "Be cruel.",
    });
    const { newPins } = met;
    const judged = judge(later, { pins, definitions: newPins?.definitions ?? new Map() });
    expect(states(judged)).toEqual({
      read: `changed: The tool "read" of server "s" was changed since it was approved (description). ${look} Approve it: scorpiox-code mcp approve s/read.`,
      write: "approved",
      exec: `pending: The tool "exec" of server "s" came after its server was approved and waits for your approval. ${look} Approve it: scorpiox-code mcp approve s/exec.`,
      ask: `changed: The prompt "ask" of server "s" was changed since it was approved (description). ${look} Approve it: scorpiox-code mcp approve s.`,
      more: `pending: The prompt "more" of server "s" came after its server was approved and waits for your approval. ${look} Approve it: scorpiox-code mcp approve s.`,
    });
    expect(judged.instructions).toBeUndefined();
    expect(judged.newPins).toBeUndefined();
  });

  test.each([
    ["title", "Other"],
    ["description", "Other"],
    ["inputSchema", { type: "object", properties: { path: { type: "string", minLength: 1 } } }],
    ["outputSchema", { type: "object" }],
    ["annotations", { readOnlyHint: true }],
    ["_meta", { vendor: 1 }],
  ])("a changed %s is a change", (field, value) => {
    const judged = judge(catalogue({ tools: [{ ...read, [field]: value }] }), { pins });
    expect(judged.tools.map(({ state }) => state)).toEqual(["changed"]);
  });

  test("the order of members, the composition of letters and icons are no change", () => {
    const composed = tool("read", { description: "Caf\u00e9" });
    const same = {
      icons: [],
      description: "Cafe\u0301",
      inputSchema: read.inputSchema,
      name: "read",
    };
    const known = pinsAfter(judge(catalogue({ tools: [composed] })));
    expect(judge(catalogue({ tools: [same] }), { pins: known }).tools[0]?.state).toBe("approved");
  });

  const changed = catalogue({ tools: [tool("read", { title: "New" }), write, tool("exec")] });

  test("auto_approve accepts and pins both, and says so", () => {
    const judged = judge(changed, { pins, autoApprove: true });
    expect(new Set(judged.tools.map(({ state }) => state))).toEqual(new Set(["approved"]));
    expect(judged.notices).toEqual([
      'The tool "read" of server "s" was changed since it was approved; auto_approve accepted it.',
      'The tool "exec" of server "s" came after its server was approved; auto_approve accepted it.',
    ]);
    const again = judge(changed, { pins: pinsAfter(judged, pins) });
    expect(new Set(again.tools.map(({ state }) => state))).toEqual(new Set(["approved"]));
  });

  test.each([
    ["warn", 2],
    ["allow", 0],
  ] as const)("on-change %s offers both, pins nothing, and tells %d times", (onChange, count) => {
    const judged = judge(changed, { pins, onChange });
    expect(new Set(judged.tools.map(({ state }) => state))).toEqual(new Set(["approved"]));
    expect(judged.newPins).toBeUndefined();
    expect(judged.notices.length).toBe(count);
  });

  const hidden = tool("read", {
    description: "Re\u200bads.",
    inputSchema: { type: "object", properties: { "pa\u{e0041}th": { enum: ["\u202ea"] } } },
  });

  test.each(["first contact", "auto_approve", "on-change allow"])(
    "hidden characters wait for approval: %s",
    (what) => {
      const judged = judge(catalogue({ tools: [hidden, write] }), {
        autoApprove: what === "auto_approve",
        onChange: what === "on-change allow" ? "allow" : "block",
        pins: what === "first contact" ? undefined : pins,
      });
      expect(states(judged)).toEqual({
        read: `pending: The tool "read" of server "s" has hidden characters in its definition, which a model reads and you do not see. ${look} Approve it: scorpiox-code mcp approve s/read.`,
        write: "approved",
      });
      expect(judged.newPins?.tools.has("read") ?? false).toBe(false);
    },
  );

  test("what was approved with hidden characters is shown without them, under its own name", () => {
    const approved = { ...pins, tools: new Map([["read", toolHash(hidden)]]) };
    const seen = { pins: approved, definitions: new Map([[toolHash(hidden), hidden]]) };
    const [judged] = judge(catalogue({ tools: [hidden] }), seen).tools;
    expect(judged).toEqual({
      state: "approved",
      item: hidden,
      shown: tool("read", {
        description: "Reads.",
        inputSchema: { type: "object", properties: { path: { enum: ["a"] } } },
      }),
    });
  });

  test("a name that hides characters, or would be a command, is no part of the remedy", () => {
    const judged = judge(catalogue({ tools: [write, tool("a\u200b; rm -rf ~")] }), { pins });
    const [, strange] = judged.tools;
    const text = strange?.state === "approved" ? "" : (strange?.text ?? "");
    expect(text).toContain('"a\\u{200b}; rm -rf ~"');
    expect(text).toEndWith("Approve it: scorpiox-code mcp approve s.");
  });

  test("rules and a refusal by name deny, whatever is approved; without the rule it is as before", () => {
    const rule: ToolRule = { effect: "deny", glob: "mcp__s__read", trust: "project" };
    const refused = { ...pins, denied: new Set(["write"]) };
    const judged = judge(first, { pins: refused, rules: rules([rule]) });
    expect(states(judged)).toEqual({
      read: 'denied: The tool "read" of server "s" may not be used: the project\'s rule "mcp__s__read" denies it.',
      write: 'denied: The tool "write" of server "s" may not be used: you have refused it.',
      ask: "approved",
    });
    const denied = judge(first, { rules: rules([rule]) });
    expect(states(judge(first, { pins: pinsAfter(denied) }))).toEqual(states(met));
  });
});

describe("[GW-24] with a lock, the first contact", () => {
  const lockPins: ToolPins = {
    ...emptyPins,
    tools: new Map([
      ["read", toolHash(read)],
      ["write", toolHash(tool("write", { title: "As locked" }))],
    ]),
  };
  const judged = judge(catalogue({ tools: [read, write, tool("exec")] }), { lockPins });

  test("approves what the lock has, and nothing else", () => {
    expect(states(judged)).toEqual({
      read: "approved",
      write: `changed: The tool "write" of server "s" differs from mcp.lock. ${look} Approve it: scorpiox-code mcp approve s/write.`,
      exec: `pending: The tool "exec" of server "s" is not in mcp.lock and waits for your approval. ${look} Approve it: scorpiox-code mcp approve s/exec.`,
    });
  });

  test("is what later ones are held against", () => {
    const later = judge(catalogue({ tools: [read, write, tool("exec")] }), {
      pins: pinsAfter(judged),
    });
    expect(later.tools.map(({ state }) => state)).toEqual(["approved", "changed", "pending"]);
  });

  test("does not make hidden characters fine", () => {
    const hidden = tool("read", { description: "\u2060" });
    const locked = { ...emptyPins, tools: new Map([["read", toolHash(hidden)]]) };
    const [one] = judge(catalogue({ tools: [hidden] }), { lockPins: locked }).tools;
    expect(one?.state).toBe("pending");
    // The server shows later what the lock has had all the time.
    const shy = judge(catalogue({ tools: [read] }), { lockPins: locked });
    const after = pinsAfter(shy);
    expect(after.tools).toEqual(locked.tools);
    const [later] = judge(catalogue({ tools: [hidden] }), { pins: after }).tools;
    expect(later?.state).toBe("pending");
    const differences = catalogueDifferences(catalogue({ tools: [hidden] }), {
      pins: after,
      definitions: new Map(),
    });
    expect(differences).toMatchObject([{ name: "read", state: "changed", hasHidden: true }]);
  });

  test("keeps what the lock has for a tool with hidden characters", () => {
    const hidden = tool("read", { description: "\u2060" });
    const judgedHidden = judge(catalogue({ tools: [hidden] }), { lockPins });
    expect(judgedHidden.newPins?.tools).toEqual(new Map([["read", toolHash(read)]]));
  });
});
