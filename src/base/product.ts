import { repository, version } from "../../package.json";

/** Name, title and version of the program: in `serverInfo`, in help and in `version`. */
export const product = {
  name: "scorpiox-code",
  title: "scorpiox-code",
  version,
  description:
    "One executable that gives an AI client working tools over the Model Context Protocol",
} as const;

/** Where the program comes from; undefined while `repository` of `package.json` is the placeholder for an owner. */
export const homepage = repository.startsWith("github:OWNER/")
  ? undefined
  : repository.replace("github:", "https://github.com/");

/** False when Bun runs the program from its source. On Windows the files of an executable are below `B:\~BUN`. */
export const isCompiled = Bun.main.startsWith("/$bunfs/") || Bun.main.slice(3, 7) === "~BUN";

/** How this program starts itself: the executable alone when it is compiled, else Bun and the main file. */
export function ownCommand(): readonly [string, ...string[]] {
  return isCompiled ? [process.execPath] : [process.execPath, Bun.main];
}

/**
 * How to start the program that runs now, whatever file is at its path: an update may have replaced it by another version, and
 * a command may be allowed to write there, so that a program started from there would run outside of the bounds. On Linux it is
 * named by this process's id, not as `self`: `prlimit` and the like, which may precede a command, would be `self` then.
 */
export function ownRunningCommand(): readonly string[] {
  const [program, ...rest] = ownCommand();
  return [process.platform === "linux" ? `/proc/${process.pid}/exe` : program, ...rest];
}

/** The hidden argument that makes this program the process that hunts for marked processes when the guardian asks for it. */
export const huntArgument = "__hunt-marked";

/** The first argument of a process of this program that confines itself and becomes a command. */
export const sandboxArgument = "__sandbox";

/** The hidden argument that makes this program the hub. */
export const hubArgument = "__hub";

/** The hidden argument that makes this program the decoding process. */
export const decoderArgument = "__decode-image";

/** The hidden argument that makes this program the process that reads PDFs. */
export const pdfReaderArgument = "__read-pdf";
