import { constants } from "node:fs";
import { access } from "node:fs/promises";

/**
 * Why the program that a script names in its first line does not start it; undefined when it does, or the script names
 * none. The system only says that there is no such file, and means that program.
 * @param head the first bytes of the script
 */
export async function interpreterFault(head: Uint8Array): Promise<string | undefined> {
  const [line = ""] = new TextDecoder().decode(head).split("\n");
  const program = /^#![ \t]*([^ \t]+)/.exec(line)?.[1];
  if (program === undefined) return undefined;
  if (program.endsWith("\r")) {
    return "its first line ends with a carriage return: save it with the line ends of this system (LF)";
  }
  try {
    await access(program, constants.X_OK);
    return undefined;
  } catch {
    return `its first line names ${program}, which cannot be run: install it, or change that line`;
  }
}
