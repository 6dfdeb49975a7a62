import { AppError } from "../../base/errors.ts";
import { escapeName } from "../../base/unsafe-characters.ts";
import { suggestionFor } from "../../config/nearest-name.ts";
import { exitCodes } from "../command-io.ts";
import type { Command, KnownCommands } from "../command.ts";
import { complete } from "../completion/candidates.ts";
import { completionScripts, shells } from "../completion/scripts.ts";

/** More words than any command line has. */
const wordsMax = 1_000;

export function createCompletions(known: KnownCommands): Command {
  const how = shells.map((shell) => `  ${shell.padEnd(10)}  ${completionScripts[shell].how}`);
  return {
    usage: shells.join("|"),
    description: `Prints a script with which a shell completes commands, flags and values:\n${how.join("\n")}`,
    flags: {
      complete: {
        kind: "switch",
        help: "Print the candidates for the words behind --, for such a script.",
      },
    },
    arguments: { min: 0, max: wordsMax },
    needsPerson: false,
    async run(context) {
      const { args, io, print } = context;
      if (args.has("complete")) {
        const words = args.positionals;
        const { candidates, takesFiles } = await complete(words, known, context);
        for (const { value, help } of candidates) {
          // A shell must insert the name itself, in one line.
          if (escapeName(value) !== value) continue;
          print.line(help === "" ? value : `${value}\t${escapeName(help)}`);
        }
        if (takesFiles) print.line(":files");
        return exitCodes.done;
      }
      const [word = "", ...others] = args.positionals;
      const shell = shells.find((one) => one === word);
      if (shell === undefined || others.length > 0) {
        const hint = suggestionFor(word, shells);
        throw new AppError("usage", `Name one shell: ${shells.join(", ")}.${hint}`);
      }
      io.stdout.write(completionScripts[shell].text);
      return exitCodes.done;
    },
  };
}
