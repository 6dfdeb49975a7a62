import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { constants, zstdCompressSync } from "node:zlib";
import type { BunPlugin } from "bun";

/**
 * Libraries that few calls need, with what is used of them. Each is one packed file without bytecode: a tenth of its size
 * as a chunk, and some milliseconds more when it is loaded (docs/internals/performance.md, "Size").
 */
const packedLibraries: Readonly<Record<string, readonly [string, ...string[]]>> = {
  "unpdf/pdfjs": ["getDocument"],
  linkedom: ["parseHTML"],
  re2js: ["RE2JS", "RE2JSException"],
  utif2: ["default"],
  yaml: ["isMap", "isNode", "isPair", "isScalar", "isSeq", "parseDocument"],
};

const packedFiles = "packed-file";

/**
 * Packs `packedLibraries` and WebAssembly as zstd, and leaves out what is never used of the MCP library. The source needs to
 * know this only of WebAssembly, which it unpacks when it is compiled.
 * @param inputs gets the source files of the packed libraries, which the report of the build does not name
 */
export function packing(root: string, inputs: Set<string>): BunPlugin {
  const texts = new Map<string, string>();
  return {
    name: "packing",
    setup(build) {
      for (const [library, names] of Object.entries(packedLibraries)) {
        const [exact, namespace] = [new RegExp(`^${library}$`), `packed-${library}`];
        build.onResolve({ filter: exact }, () => ({ path: library, namespace }));
        build.onLoad({ filter: exact, namespace }, async () => {
          const file = `${library.replaceAll("/", "-")}.zst`;
          texts.set(file, await bundle(root, library, names, inputs));
          return { loader: "js", contents: unpackingModule(file, names) };
        });
      }
      build.onResolve({ filter: /\.zst$/ }, ({ path }) => ({ path, namespace: packedFiles }));
      build.onLoad({ filter: /\.zst$/, namespace: packedFiles }, ({ path }) => ({
        loader: "file",
        contents: packed(texts.get(path) ?? ""),
      }));
      build.onLoad({ filter: /\.wasm$/ }, ({ path }) => ({
        loader: "file",
        contents: packed(readFileSync(path)),
      }));
      build.onLoad({ filter: /[\\/]client[\\/]dist[\\/]shimsNode\.mjs$/ }, () => ({
        loader: "js",
        contents: noValidator,
      }));
    },
  };
}

/** The library's own default is ajv, 0.6 MB for its class `Client`, of which the program makes none. */
const noValidator = `
  export const CORS_IS_POSSIBLE = false;
  export class DefaultJsonSchemaValidator {
    constructor() {
      throw new Error("the build leaves ajv out: hand over a jsonSchemaValidator");
    }
  }`;

/** A module in place of the library. Code that is marked as bundled is not transpiled again when it is imported. */
function unpackingModule(file: string, names: readonly string[]): string {
  const lines = names.map((name) =>
    name === "default"
      ? "export default library.default;"
      : `export const ${name} = library.${name};`,
  );
  return `
    import { readFileSync } from "node:fs";
    import file from ${JSON.stringify(file)};
    const code = Bun.zstdDecompressSync(readFileSync(file));
    const url = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
    const library = await import(url);
    URL.revokeObjectURL(url);
    ${lines.join("\n")}`;
}

function packed(bytes: string | Uint8Array): Uint8Array {
  return zstdCompressSync(bytes, { params: { [constants.ZSTD_c_compressionLevel]: 22 } });
}

/** By a process of its own: a build waits for ever for another one in its process. @throws Error when there is no such export */
async function bundle(
  root: string,
  library: string,
  names: readonly string[],
  inputs: Set<string>,
): Promise<string> {
  const scratch = mkdtempSync(join(tmpdir(), "scorpiox-pack-"));
  try {
    const [entry, out, report] = ["entry.js", "out.js", "meta.json"].map((name) =>
      join(scratch, name),
    ) as [string, string, string];
    const from = JSON.stringify(Bun.resolveSync(library, root));
    writeFileSync(entry, `export { ${names.join(", ")} } from ${from};`);
    const flags = ["--target=bun", "--format=esm", "--minify", `--metafile=${report}`];
    const command = [process.execPath, "build", ...flags, `--outfile=${out}`, entry];
    const child = Bun.spawn(command, { cwd: root, stdout: "ignore", stderr: "pipe" });
    const [text, exitCode] = await Promise.all([child.stderr.text(), child.exited]);
    if (exitCode !== 0) throw new Error(text.trim() || `bun build of ${library} said nothing`);
    for (const path of inputsOf(readFileSync(report, "utf8"))) {
      if (basename(path) !== basename(entry)) inputs.add(path);
    }
    return readFileSync(out, "utf8");
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** The source files that `metafile`, a report of Bun's, names. */
export function inputsOf(metafile: string): string[] {
  const meta: unknown = JSON.parse(metafile);
  if (typeof meta !== "object" || meta === null || !("inputs" in meta)) return [];
  const inputs = meta.inputs;
  if (typeof inputs !== "object" || inputs === null) return [];
  // Modules that the build itself makes have a prefix.
  return Object.keys(inputs).filter((path) => !path.startsWith("packed-"));
}
