import { AppError, messageOf } from "../../base/errors.ts";
import type { NetworkGuard } from "../guard/network-guard.ts";
import type { BrowserBounds } from "./browser-bounds.ts";
import { BrowserProcess, connectDevTools } from "./browser-process.ts";
import { createProfile, type ProfileOwner, removeProfile } from "./profile-folder.ts";
import { RunningBrowser } from "./running-browser.ts";

interface LaunchInput {
  readonly path: string;
  readonly profilesDir: string;
  readonly owner: ProfileOwner;
  readonly env: Readonly<Record<string, string>>;
  /** Its browser refuses to make a sandbox. */
  readonly isSuperUser: boolean;
  readonly guard: NetworkGuard;
  readonly bounds: BrowserBounds;
}

/** The reason why it did not start, with its output. */
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
  const root = connectDevTools(browserProcess.transport);
  return RunningBrowser.create({ ...surroundings, process: browserProcess, root });
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

/** Each of them calls home, waits for something that does, or does work for a window that nobody sees. */
const unwantedFeatures: readonly string[] = [
  "AcceptCHFrame",
  "AutofillServerCommunication",
  "CertificateTransparencyComponentUpdater",
  "DialMediaRouteProvider",
  "MediaRouter",
  "OptimizationHints",
  "Translate",
  // Two pages of the address bar for each page, in a process of their own: two thirds of its processor time.
  "WebUIOmniboxPopup",
  "WebUIOmniboxAimPopup",
];

/** The browser's command-line flags, besides its profile. */
const fixedFlags: readonly string[] = [
  "--headless=new",
  "--remote-debugging-pipe",
  // No window of its own: every page is made in a context of its own.
  "--no-startup-window",
  "--no-first-run",
  "--no-default-browser-check",
  // Responsive pages hide parts of themselves in the 800 × 600 that is usual without a screen.
  "--window-size=1280,1024",
  "--hide-scrollbars",
  "--mute-audio",
  "--disable-gpu",
  "--disable-dev-shm-usage",
  "--disable-extensions",
  "--disable-sync",
  "--disable-default-apps",
  "--disable-breakpad",
  "--disable-crash-reporter",
  "--disable-hang-monitor",
  "--disable-prompt-on-repost",
  "--disable-client-side-phishing-detection",
  "--disable-search-engine-choice-screen",
  // Pages in the background are throttled, and all pages are in the background here.
  "--disable-background-timer-throttling",
  "--disable-backgrounding-occluded-windows",
  "--disable-renderer-backgrounding",
  // No keychain of the user is asked for, and no window of it opens.
  "--password-store=basic",
  "--use-mock-keychain",
  `--disable-features=${unwantedFeatures.join(",")}`,
  // Popups are not opened at all; where this is not known they are closed as they appear.
  "--block-new-web-contents",
  // A page that eats memory loses its own process, not the machine.
  "--js-flags=--max-old-space-size=512",
];

/**
 * All traffic goes through the proxy of a page's context (docs/network.md#how-the-browser-is-held). Traffic of no
 * context, the browser's own requests to its vendor, is sent to a port without a listener; no name is ever resolved.
 */
const networkFlags: readonly string[] = [
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-domain-reliability",
  "--no-pings",
  "--disable-quic",
  "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
  "--webrtc-ip-handling-policy=disable_non_proxied_udp",
  "--proxy-server=http://127.0.0.1:9",
  "--proxy-bypass-list=<-loopback>",
  "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
];

/** The arguments of a browser that is driven over a pipe. */
function browserFlags(profileDir: string, isSandboxed: boolean): string[] {
  return [
    ...fixedFlags,
    ...networkFlags,
    ...(isSandboxed ? [] : ["--no-sandbox", "--disable-setuid-sandbox"]),
    `--user-data-dir=${profileDir}`,
  ];
}
