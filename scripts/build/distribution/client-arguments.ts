import { installTargets, launchWords } from "../../../src/install/install-targets.ts";

/** The arguments with which a client starts scorpiox-code, as `install` writes them. */
export function clientArguments(id: string): readonly string[] {
  const client = installTargets.find((target) => target.id === id);
  if (client === undefined) throw new Error(`no client ${id}`);
  return launchWords(client, []);
}
