import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { root } from "../../test/e2e/harness/binary.ts";

export interface Programs extends Disposable {
  readonly suite: string;
  /** Our connections to other servers, as the client that the suite drives. */
  readonly client: string;
}

/**
 * The suite and its client, each in one file: they are started more than a hundred times, and then most of a start would be
 * to read and compile their hundreds of modules.
 */
export async function buildPrograms(): Promise<Programs> {
  const suitePackage = join(root, "node_modules/@modelcontextprotocol/conformance");
  const folder = mkdtempSync(join(tmpdir(), "scorpiox-conformance-programs-"));
  // The suite looks for them beside its own folder.
  symlinkSync(join(suitePackage, "requirements"), join(folder, "requirements"));
  const build = async (entry: string, name: string, bytecode: boolean): Promise<string> => {
    const outdir = join(folder, name);
    await Bun.build({ entrypoints: [entry], outdir, target: "bun", minify: true, bytecode });
    return join(outdir, `${name}.js`);
  };
  return {
    suite: await build(join(suitePackage, "dist/index.js"), "index", true),
    client: await build(join(root, "test/conformance/client-driver.ts"), "client-driver", false),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}
