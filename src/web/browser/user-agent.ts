import type { DevTools, Protocol } from "./devtools.ts";

/** How pages see the browser: by header and by client hints, which have to agree. */
export interface UserAgent {
  readonly userAgent: string;
  readonly userAgentMetadata: Protocol.Emulation.UserAgentMetadata;
}

/** Its own, without the word that many networks refuse (docs/browser.md#how-it-runs). */
export async function readUserAgent(root: DevTools): Promise<UserAgent> {
  const { userAgent } = await root.send("Browser.getVersion");
  return describeUserAgent(userAgent, process.platform, process.arch);
}

export function describeUserAgent(
  ownUserAgent: string,
  platform: NodeJS.Platform,
  architecture: string,
): UserAgent {
  const userAgent = ownUserAgent.replace("HeadlessChrome/", "Chrome/");
  const version = /Chrome\/([\d.]+)/.exec(userAgent)?.[1] ?? "";
  const major = version.split(".")[0] ?? "";
  return {
    userAgent,
    userAgentMetadata: {
      brands: brandsOf(major, "99"),
      fullVersionList: brandsOf(version, "99.0.0.0"),
      platform: platformName(platform),
      platformVersion: "",
      architecture: architecture === "arm64" ? "arm" : "x86",
      bitness: "64",
      model: "",
      mobile: false,
    },
  };
}

function brandsOf(
  version: string,
  otherVersion: string,
): Protocol.Emulation.UserAgentBrandVersion[] {
  return [
    { brand: "Chromium", version },
    { brand: "Not?A_Brand", version: otherVersion },
  ];
}

function platformName(platform: NodeJS.Platform): string {
  if (platform === "win32") return "Windows";
  return platform === "darwin" ? "macOS" : "Linux";
}
