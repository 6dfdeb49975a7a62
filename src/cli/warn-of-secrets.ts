import type { NewEntry } from "../upstream/edit/server-text.ts";
import type { ServerFile } from "./mcp-scope.ts";
import type { Printer } from "./print.ts";
import { plainSecrets } from "./shown-entry.ts";

/** Secrets in a file of a project are seen by everybody who has the project (CL4). */
export function warnOfSecrets(
  name: string,
  entry: NewEntry,
  { origin }: ServerFile,
  print: Printer,
): void {
  if (origin.trust !== "project") return;
  for (const secret of plainSecrets(entry)) {
    print.warning(
      `${secret.path} of ${name} looks like a secret, and others see a file of the project. ` +
        `Write \${${secret.name}} instead, which is read from the environment, or use --scope global with \${keyring:${secret.name}}.`,
    );
  }
}
