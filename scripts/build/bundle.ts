/**
 * Bun's bundler in a process of its own, which `compile` starts in the root of the project. Its one argument is a
 * `BundleOrder`; it prints the paths of the source files that went into the executable.
 */
import { writeFileSync } from "node:fs";

import { inputsOf, packing } from "./packing.ts";

export interface BundleOrder {
  readonly entryPoints: readonly string[];
  readonly target: Bun.Build.CompileTarget;
  readonly bytecode: boolean;
  /** The Bun executable of the target. */
  readonly runtime: string;
  readonly outfile: string;
  /** Where Bun's report of what is in which chunk is written. */
  readonly metafile: string | undefined;
}

if (import.meta.main) await run(JSON.parse(process.argv[2] ?? "") as BundleOrder);

async function run(order: BundleOrder): Promise<void> {
  const root = process.cwd();
  const inputs = new Set<string>();
  const { success, logs, metafile } = await Bun.build({
    entrypoints: [...order.entryPoints],
    target: "bun",
    format: "esm",
    minify: true,
    // Commands and the services behind the tools are chunks of their own. The bundler joins chunks that are always loaded
    // together, unless an entry point has a top-level await: a start loads a dozen, each of which takes about 0.05 ms.
    splitting: true,
    naming: { chunk: "[name]-[hash].[ext]" },
    bytecode: order.bytecode,
    metafile: true,
    plugins: [packing(root, inputs)],
    compile: {
      target: order.target,
      executablePath: order.runtime,
      outfile: order.outfile,
      // Without these a binary that is started in a hostile repository runs the preload of that repository's bunfig.toml and
      // loads its .env.
      autoloadDotenv: false,
      autoloadBunfig: false,
    },
    throw: false,
  });
  if (!success || metafile === undefined) {
    console.error(logs.map(({ message }) => message).join("\n"));
    process.exit(1);
  }
  const report = JSON.stringify(metafile);
  if (order.metafile !== undefined) writeFileSync(order.metafile, report);
  for (const path of inputsOf(report)) inputs.add(path);
  console.log(JSON.stringify([...inputs]));
}
