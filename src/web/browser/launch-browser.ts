import { AppError, messageOf } from "../../base/errors.ts";
import type { NetworkGuard } from "../guard/guard.ts";
import type { BrowserBounds } from "./browser-bounds.ts";
import { browserFlags } from "./browser-flags.ts";
import { BrowserProcess } from "./browser-process.ts";
import { createProfile, removeProfile } from "./profile-folder.ts";
import type { ProfileOwner } from "./profile-folder.ts";
import { RunningBrowser } from "./running-browser.ts";

export interface LaunchInput {
  readonly path: string;
  readonly profilesDir: string;
  readonly owner: ProfileOwner;
  readonly env: Readonly<Record<string, string>>;
  /** Its browser refuses to make a sandbox. */
  readonly isSuperUser: boolean;
  readonly guard: NetworkGuard;
  readonly bounds: BrowserBounds;
}

/** Why it did not start, with what it printed. */
class LaunchFailure extends Error {
  override readonly name = "LaunchFailure";

  constructor(
    message: string,
    readonly lastWords: string,
  ) {
    super(message);
  }
}

/** Only root's browser is started without a sandbox from the beginning: it would refuse otherwise. */
const rootNote =
  "The browser ran without its sandbox, because it refuses to use it when run as root.";
const sandboxNote =
  "The browser ran without its sandbox, because this system does not let it create one (user namespaces are disabled).";

/**
 * Starts the browser. When its sandbox cannot be made it is started without, and the pages say so.
 * @throws AppError `system` when it does not start
 */
export async function launchBrowser(input: LaunchInput): Promise<RunningBrowser> {
  try {
    if (input.isSuperUser) return await launch(input, false, [rootNote]);
    try {
      return await launch(input, true, []);
    } catch (error) {
      if (!(error instanceof LaunchFailure) || !isSandboxFailure(error.lastWords)) throw error;
      return await launch(input, false, [sandboxNote]);
    }
  } catch (error) {
    const words = error instanceof LaunchFailure ? lastLine(error.lastWords) : "";
    const said = words === "" ? "" : ` It said: ${words}`;
    throw new AppError(
      "system",
      `The browser ${input.path} did not start: ${messageOf(error)}.${said}`,
      { cause: error },
    );
  }
}

/** The messages that browsers print when the system denies them a sandbox. */
export function isSandboxFailure(words: string): boolean {
  return /no usable sandbox|without --no-sandbox|setuid sandbox|sandbox_host_linux|zygote_host_impl_linux|failed to move to new namespace|sandbox helper/i.test(
    words,
  );
}

async function launch(
  input: LaunchInput,
  isSandboxed: boolean,
  notes: readonly string[],
): Promise<RunningBrowser> {
  const { path, env, guard, bounds } = input;
  const profileDir = createProfile(input.profilesDir, input.owner);
  let browserProcess: BrowserProcess | undefined;
  try {
    const args = browserFlags(profileDir, isSandboxed);
    browserProcess = new BrowserProcess({ path, args, env });
    const running = connect(browserProcess, { guard, bounds, profileDir, notes });
    return await inTime(running, browserProcess, bounds.launchMsMax);
  } catch (error) {
    browserProcess?.kill();
    await browserProcess?.end(bounds.closeMsMax);
    await removeProfile(profileDir);
    throw error;
  }
}

interface Surroundings {
  readonly guard: NetworkGuard;
  readonly bounds: BrowserBounds;
  readonly profileDir: string;
  readonly notes: readonly string[];
}

async function connect(
  browserProcess: BrowserProcess,
  surroundings: Surroundings,
): Promise<RunningBrowser> {
  const { default: puppeteer, TargetType } = await import("puppeteer-core");
  const browser = await puppeteer.connect({
    transport: browserProcess.transport,
    defaultViewport: null,
    // Tabs belong to this program: nothing else may enable domains in them or wait for them.
    targetFilter: (target) => target.type() === TargetType.BROWSER,
  });
  const root = await browser.target().createCDPSession();
  return RunningBrowser.create({ ...surroundings, process: browserProcess, browser, root });
}

async function inTime(
  running: Promise<RunningBrowser>,
  browserProcess: BrowserProcess,
  msMax: number,
): Promise<RunningBrowser> {
  const failed = Promise.withResolvers<never>();
  const fail = (message: string): void => failed.reject(new Error(message));
  const timer = setTimeout(() => fail(`it did not answer within ${msMax / 1000} s`), msMax);
  void browserProcess.ended.then(() => fail("it exited immediately"));
  for (const promise of [running, failed.promise]) promise.catch(() => undefined);
  try {
    return await Promise.race([endedRather(running, browserProcess), failed.promise]);
  } catch (error) {
    throw new LaunchFailure(messageOf(error), await browserProcess.lastWords());
  } finally {
    clearTimeout(timer);
  }
}

/** When the pipe breaks because the process ended, the end of the process says more. */
async function endedRather(
  running: Promise<RunningBrowser>,
  browserProcess: BrowserProcess,
): Promise<RunningBrowser> {
  try {
    return await running;
  } catch (error) {
    await Promise.race([browserProcess.ended, Bun.sleep(endMsMax)]);
    throw error;
  }
}

/** From the end of the pipe to the news of the end of the process, in ms. */
const endMsMax = 200;
const wordsMax = 200;

function lastLine(words: string): string {
  const lines = words.split("\n").filter((line) => line.trim() !== "");
  return (lines.at(-1) ?? "").slice(0, wordsMax);
}
