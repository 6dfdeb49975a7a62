import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { root } from "../../test/e2e/harness/binary.ts";

const suitePackage = join(root, "node_modules/@modelcontextprotocol/conformance");

export interface SuiteProgram extends Disposable {
  readonly file: string;
}

/** The suite in one file that runs it several times (suite-starts.ts). */
export async function buildSuite(): Promise<SuiteProgram> {
  const folder = mkdtempSync(join(tmpdir(), "scorpiox-conformance-suite-"));
  // The suite looks for them beside its own folder.
  symlinkSync(join(suitePackage, "requirements"), join(folder, "requirements"));
  const end = (): void => rmSync(folder, { recursive: true, force: true });
  const outdir = join(folder, "dist");
  try {
    await Bun.build({
      entrypoints: [join(suitePackage, "dist/index.js")],
      outdir,
      target: "bun",
      minify: true,
      bytecode: true,
      plugins: [severalStarts],
    });
  } catch (error) {
    end();
    throw error;
  }
  return { file: join(outdir, "index.js"), [Symbol.dispose]: end };
}

/** The suite's last statement, which runs its command line. */
const lastStatement = /(\w+)\.parse\(\);export\{\};\s*$/;

const severalStarts: Bun.BunPlugin = {
  name: "several starts",
  setup(build) {
    build.onLoad({ filter: /conformance\/dist\/index\.js$/ }, async ({ path }) => {
      const text = await Bun.file(path).text();
      const commandLine = lastStatement.exec(text)?.[1];
      if (commandLine === undefined) throw new Error(`${path} does not end as it used to.`);
      const ours = JSON.stringify(join(import.meta.dir, "suite-starts.ts"));
      const ending = `${commandLine};\nimport { runStarts } from ${ours};\nvoid runStarts(${commandLine});\n`;
      return { contents: text.replace(lastStatement, ending), loader: "js" };
    });
  },
};
