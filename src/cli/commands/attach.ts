import { messageOf } from "../../base/errors.ts";
import { runFolderIn } from "../../interact/attach/run-folder.ts";
import type { AttachApp } from "../../interact/terminal/attach-app.ts";
import { exitCodes } from "../command-io.ts";
import type { Command } from "../command.ts";
import { directoryFlags } from "../flags.ts";
import { hasColours, hasDrawnSigns } from "../look.ts";
import { readStartUp } from "../start-up.ts";
import { openTerminal, type TerminalDevice } from "../terminal-io.ts";

export const attachCommand: Command = {
  usage: "",
  description:
    "Shows in this terminal what the running servers ask and do: open questions, background tasks with their\n" +
    "output, tasks and plans, callbacks. It follows servers that start and stop; ? lists the keys.",
  flags: { ...directoryFlags },
  arguments: { min: 0, max: 0 },
  needsPerson: true,
  async run({ args, io, print }) {
    const { scorpioxDir } = readStartUp(args, io).dirs;
    const device = openTerminal(io, "attach");
    const [{ AttachApp }, { createLook }] = await Promise.all([
      import("../../interact/terminal/attach-app.ts"),
      import("../../interact/terminal/cells.ts"),
    ]);
    const app = new AttachApp({
      runFolder: runFolderIn(scorpioxDir),
      look: createLook(hasColours(true, io.env), hasDrawnSigns(io.env, process.platform)),
      size: () => device.size(),
      write: (text) => device.write(text),
      onSuspend: () => suspend(app, device),
    });
    const end = untilEnd(app, device);
    device.onInput(app.input);
    device.onResize(app.resized);
    device.take();
    app.start();
    const { exitCode, failure } = await end;
    app.leave();
    device.giveBack();
    if (failure !== undefined) print.error(failure);
    return exitCode;
  },
};

interface End {
  readonly exitCode: number;
  readonly failure?: string;
}

/** A process that still runs after this was not suspended. */
const notSuspendedMs = 100;

/** The exit code that shells give for a signal. */
const signalCodes = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

/** The first of all that can end it. */
function untilEnd(app: AttachApp, device: TerminalDevice): Promise<End> {
  const { promise, resolve } = Promise.withResolvers<End>();
  void app.ended.then(() => resolve({ exitCode: exitCodes.done }));
  for (const [signal, exitCode] of Object.entries(signalCodes)) {
    process.on(signal, () => resolve({ exitCode }));
  }
  process.on("SIGTSTP", () => suspend(app, device));
  device.onHangUp(() => resolve({ exitCode: exitCodes.failed }));
  const fail = (error: unknown): void => {
    resolve({ exitCode: exitCodes.failed, failure: `internal error: ${messageOf(error)}` });
  };
  // The usual handlers report a mistake and go on: they would write over the window.
  for (const event of ["uncaughtException", "unhandledRejection"]) {
    process.removeAllListeners(event);
    process.on(event, fail);
  }
  return promise;
}

/** Suspends as Ctrl-Z does; continues when the shell resumes it, or at once if there is no shell to do so. */
function suspend(app: AttachApp, device: TerminalDevice): void {
  if (process.platform === "win32") return;
  app.leave();
  device.giveBack();
  const goOn = (): void => {
    clearTimeout(timer);
    process.removeListener("SIGCONT", goOn);
    process.on("SIGTSTP", () => suspend(app, device));
    device.take();
    app.start();
  };
  const timer = setTimeout(goOn, notSuspendedMs);
  process.on("SIGCONT", goOn);
  // Without listeners it stops the process, or nothing where nobody could have it go on, as in a window of its own.
  process.removeAllListeners("SIGTSTP");
  // To those who were started along with it, too, as the terminal does.
  process.kill(0, "SIGTSTP");
}
