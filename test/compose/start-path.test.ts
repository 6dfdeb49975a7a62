import { describe, expect, test } from "bun:test";
import { builtinModules } from "node:module";
import { join } from "node:path";

import { bundledProgram } from "./bundled-program.ts";

interface Chunk {
  readonly entryPoint?: string;
  readonly imports: readonly { readonly path: string; readonly kind: string }[];
  readonly inputs: Readonly<Record<string, unknown>>;
}

interface Bundle {
  readonly outputs: Readonly<Record<string, Chunk>>;
}

/** A file of `src`, a package or a part of Node that is loaded with an entry point, before anything runs. */
interface Loaded {
  readonly inputs: readonly string[];
  readonly builtins: readonly string[];
  readonly chunks: number;
  /** Characters in them that are not Latin-1. */
  readonly wide: readonly string[];
}

async function readBundle(): Promise<{ bundle: Bundle; texts: ReadonlyMap<string, string> }> {
  const program = bundledProgram();
  const bundle = (await Bun.file(program.metafile).json()) as Bundle;
  const texts = new Map<string, string>();
  for (const name of Object.keys(bundle.outputs)) {
    texts.set(name, await Bun.file(join(program.outputFolder, name)).text());
  }
  return { bundle, texts };
}

const { bundle: bundled, texts } = await readBundle();

function loadedWith(entryPoint: string): Loaded {
  const { outputs } = bundled;
  const waiting = Object.keys(outputs).filter((name) => outputs[name]?.entryPoint === entryPoint);
  const seen = new Set<string>();
  const builtins = new Set<string>();
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (seen.has(name)) continue;
    seen.add(name);
    for (const { path, kind } of outputs[name]?.imports ?? []) {
      if (kind === "import-statement" && outputs[path] !== undefined) waiting.push(path);
    }
    for (const [, from = ""] of (texts.get(name) ?? "").matchAll(
      /(?:from|import)"([^"./][^"]*)"/g,
    )) {
      builtins.add(from.replace(/^node:/, ""));
    }
  }
  const inputs = [...seen].flatMap((name) => Object.keys(outputs[name]?.inputs ?? {}));
  const wide = [...seen].flatMap((name) => texts.get(name)?.match(/[^\0-\u00ff]/gu) ?? []);
  return { inputs, builtins: [...builtins].filter(isBuiltin).toSorted(), chunks: seen.size, wide };
}

const isBuiltin = (name: string): boolean =>
  name.startsWith("bun") || builtinModules.includes(name);

const packagesIn = ({ inputs }: Loaded): string[] => [
  ...new Set(inputs.flatMap((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? [])),
];

describe("the start", () => {
  // node:crypto alone takes longer than all of our own start.
  test("loads no part of Node but these, and no package", () => {
    const start = loadedWith("src/main.ts");
    expect({ builtins: start.builtins, packages: packagesIn(start) }).toEqual({
      builtins: ["buffer", "fs", "path"],
      packages: [],
    });
  });

  // A top-level await in an entry point keeps the bundler from joining chunks: there were fifty, for a fifth of a start.
  test("loads few chunks", () => {
    expect(loadedWith("src/main.ts").chunks).toBeLessThanOrEqual(15);
  });

  // One such letter makes two bytes of every character of its chunk: half a millisecond of ten.
  test("loads Latin-1 alone", () => {
    expect(loadedWith("src/main.ts").wide).toEqual([]);
  });

  // Each of these parts of Node takes a tenth to one and a half megabytes.
  test("the services of the first call load no package on the main thread, and no more of Node", () => {
    const services = loadedWith("src/compose/tool-services.ts");
    expect({ builtins: services.builtins, packages: packagesIn(services) }).toEqual({
      builtins: ["buffer", "bun:ffi", "bun:sqlite", "fs", "fs/promises", "os", "path", "url"],
      packages: [],
    });
  });

  test("the services of the first call find no skills", () => {
    const ofSkills = (entryPoint: string): string[] =>
      loadedWith(entryPoint).inputs.filter((path) => path.startsWith("src/state/skills/"));
    expect(ofSkills("src/compose/tool-services.ts")).toEqual(ofSkills("src/main.ts"));
  });

  test("a Worker loads no part of Node before its first call", () => {
    expect(loadedWith("src/worker.ts").builtins).toEqual([]);
  });
});
