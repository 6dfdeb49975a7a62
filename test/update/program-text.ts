/** A program that says its version as ours does. */
export function programText(version: string): string {
  return `#!/bin/sh\necho scorpiox-code ${version}\n`;
}
