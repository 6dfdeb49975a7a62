/** Each of them calls home, or waits for something that does. */
const unwantedFeatures: readonly string[] = [
  "AcceptCHFrame",
  "AutofillServerCommunication",
  "CertificateTransparencyComponentUpdater",
  "DialMediaRouteProvider",
  "MediaRouter",
  "OptimizationHints",
  "Translate",
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
export function browserFlags(profileDir: string, isSandboxed: boolean): string[] {
  return [
    ...fixedFlags,
    ...networkFlags,
    ...(isSandboxed ? [] : ["--no-sandbox", "--disable-setuid-sandbox"]),
    `--user-data-dir=${profileDir}`,
  ];
}
