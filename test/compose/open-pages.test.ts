import { expect, test } from "bun:test";

import { createPageBrowser, openerOf } from "../../src/compose/open-pages.ts";
import { posixTest } from "../e2e/harness/platform.ts";
import { Orphanage } from "../../src/commands/process/orphanage.ts";

const screen = { DISPLAY: ":0" };

test.each<[string, NodeJS.Platform, Record<string, string>, readonly string[] | undefined]>([
  ["auto", "linux", screen, ["xdg-open"]],
  ["auto", "linux", { WAYLAND_DISPLAY: "wayland-0" }, ["xdg-open"]],
  ["auto", "linux", {}, undefined],
  ["auto", "linux", { ...screen, SSH_CONNECTION: "1.2.3.4 5 6.7.8.9 22" }, undefined],
  ["auto", "darwin", {}, ["/usr/bin/open"]],
  ["auto", "darwin", { SSH_TTY: "/dev/ttys001" }, undefined],
  ["auto", "win32", {}, ["rundll32", "url.dll,FileProtocolHandler"]],
  ["off", "linux", screen, undefined],
  ["off", "darwin", {}, undefined],
  ["/opt/browser", "linux", {}, ["/opt/browser"]],
  ["/opt/browser", "linux", { SSH_TTY: "/dev/pts/1" }, ["/opt/browser"]],
])("openerOf(%s) on %s with %j", (setting, platform, env, opener) => {
  expect(openerOf({ setting, platform, env })).toEqual(opener as never);
});

posixTest.each([
  ["off", false, false],
  ["/bin/true", true, true],
  ["/bin/false", true, false],
  ["/no/such/program", true, false],
])("createPageBrowser() with %s", async (setting, canOpen, opens) => {
  const orphanage = new Orphanage();
  let opened = 0;
  const onOpened = (): void => void opened++;
  const parts = { setting, env: {}, homeDir: "/", platform: process.platform, orphanage, onOpened };
  const browser = createPageBrowser(parts);
  expect([browser.canOpen, await browser.open("http://127.0.0.1:1/")]).toEqual([canOpen, opens]);
  expect(opened).toBe(canOpen ? 1 : 0);
});
