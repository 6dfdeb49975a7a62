/**
 * The way of a call: how many files of `src/` it enters, and how many are given its arguments or hand them on.
 *
 *     bun scripts/structure/calls.ts [--ref COMMIT] [--era legacy|modern] [--list] [--json]
 *
 * Runs a copy of the sources in which every function notes its file first, in all threads and in processes of our own.
 * A call is made twice to load what it needs, and then so often as `turns` says; a file counts that was entered each time, so
 * that what a timer does beside a call does not. Then the call is made as often with a marker in its arguments: a file is given
 * them when a function in it was given the marker in a text, in bytes, or in an object, three members deep at most; it hands them
 * on when one of its functions calls a function of another file with them. Messages to another thread are left out. The bytes
 * of a background command are followed as what is given, by a marker in what it prints: text or bytes as a parameter, or as a
 * member of one.
 */
import { parseArgs } from "node:util";

import { eventually } from "../../test/e2e/harness/conditions.ts";
import { isError, modern, textOf, toolNames } from "../../test/e2e/harness/messages.ts";
import { Server } from "../../test/e2e/harness/server.ts";
import { TempFolder } from "../../test/e2e/harness/temp-folder.ts";
import { upstreamHome } from "../../test/e2e/harness/upstream-home.ts";
import { markdownTable } from "../docs/markdown.ts";
import {
  type CallCase,
  callCases,
  marker,
  MarkedOutput,
  type Scene,
  upstreamScript,
} from "./call-cases.ts";
import { checkOut, nameOf } from "./checkout.ts";
import { InstrumentedCopy, type Seen } from "./instrumented-copy.ts";

const warmUps = 2;
const turns = 5;
/** What follows the reply, such as a line of the audit log, belongs to the call. */
const settleMs = 100;
const chunkGoal = 6;

interface Row {
  readonly call: string;
  readonly files: readonly string[];
  readonly goal?: number;
}

interface Ways {
  readonly commit: string;
  readonly entered: readonly Row[];
  readonly handed: readonly Row[];
  readonly handsOn: readonly Row[];
  readonly chunk: readonly Row[];
}

const { values } = parseArgs({
  options: {
    ref: { type: "string" },
    era: { type: "string", default: "legacy" },
    list: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
  },
});
if (values.era !== "legacy" && values.era !== "modern") throw new Error("--era legacy|modern");
const ways = await measure(values.ref, values.era === "modern");
console.log(values.json ? JSON.stringify(ways, null, 2) : tables(ways, values.list));

async function measure(ref: string | undefined, isModern: boolean): Promise<Ways> {
  using folder = new TempFolder();
  checkOut(folder.path, ref);
  const copy = new InstrumentedCopy(folder.path);
  using home = upstreamHome({ own: [upstreamScript] });
  await using server = new Server({ binary: process.execPath, args: [copy.main], home });
  const scene = await open(server, home, isModern);
  const entered: Row[] = [];
  const handed: Row[] = [];
  const handsOn: Row[] = [];
  for (const one of callCases(scene)) {
    await one.prepare?.();
    const plain = await record(copy, "", () => perform(one, false));
    entered.push({ call: one.name, files: inEach(plain, "entered"), goal: one.goals.entered });
    if (!one.hasArguments) continue;
    const marked = await record(copy, marker, () => perform(one, true));
    const { name: call } = one;
    handed.push({ call, files: inEach(marked, "handed") });
    handsOn.push({ call, files: inEach(marked, "handsOn"), goal: one.goals.handsOn });
  }
  const chunk = await followBytes(copy, scene);
  return { commit: nameOf(ref), entered, handed, handsOn, chunk };
}

async function open(server: Server, home: TempFolder, isModern: boolean): Promise<Scene> {
  if (!isModern) await server.initialize();
  const paramsOf = (params: Readonly<Record<string, unknown>>): Record<string, unknown> =>
    isModern ? modern(params) : { ...params };
  await eventually("the other server's tool", async () =>
    toolNames(await server.request("tools/list", paramsOf({}))).includes("mcp__own__note"),
  );
  return {
    at: (name) => home.at(name),
    call: (name, args) => server.request("tools/call", paramsOf({ name, arguments: args })),
  };
}

/** @throws Error when the call failed: its way would be another */
async function perform(one: CallCase, isMarked: boolean): Promise<void> {
  const reply = await one.perform(isMarked);
  if (reply.error === undefined && !isError(reply)) return;
  throw new Error(`${one.name} failed: ${reply.error?.message ?? textOf(reply)}`);
}

async function record(
  copy: InstrumentedCopy,
  marked: string,
  work: () => Promise<void>,
): Promise<Seen[]> {
  for (let turn = 0; turn < warmUps; turn += 1) await work();
  const seen: Seen[] = [];
  for (let turn = 0; turn < turns; turn += 1) {
    await Bun.sleep(settleMs);
    seen.push(
      await copy.record(marked, async () => {
        await work();
        await Bun.sleep(settleMs);
      }),
    );
  }
  return seen;
}

/** The files that were seen each time. */
function inEach(seen: readonly Seen[], what: keyof Seen): string[] {
  const [first, ...others] = seen.map((one) => one[what]);
  return [...(first ?? [])].filter((path) => others.every((other) => other.has(path)));
}

async function followBytes(copy: InstrumentedCopy, scene: Scene): Promise<Row[]> {
  const output = new MarkedOutput(scene);
  await output.start();
  const kept = await record(copy, marker, () => output.keep());
  const read = await record(copy, marker, () => output.read());
  return [
    { call: "from the pipe to where it is kept", files: inEach(kept, "chunk"), goal: chunkGoal },
    { call: "from the pipe into a result", files: inEach(read, "chunk"), goal: chunkGoal },
  ];
}

function tables({ commit, entered, handed, handsOn, chunk }: Ways, isListed: boolean): string {
  const table = (heading: string, rows: readonly Row[]): string =>
    [
      markdownTable(
        [`${commit}: ${heading}`, "files", "goal"],
        rows.map(({ call, files, goal }) => [call, String(files.length), goal ? `≤ ${goal}` : ""]),
      ),
      ...(isListed ? rows.map(({ call, files }) => `${call}:\n  ${files.join("\n  ")}`) : []),
    ].join("\n\n");
  return [
    table("entered by", entered),
    table("given the arguments of", handed),
    table("hands on the arguments of", handsOn),
    table("given the output of a background command", chunk),
  ].join("\n\n");
}
