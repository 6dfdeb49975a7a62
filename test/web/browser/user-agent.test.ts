import { expect, test } from "bun:test";

import { describeUserAgent } from "../../../src/web/browser/running-browser.ts";

test("describeUserAgent() says what the browser is, and not that it has no window", () => {
  const own = "Mozilla/5.0 (X11; Linux x86_64) HeadlessChrome/156.0.1.2 Safari/537.36";
  const other = "Not?A_Brand";
  expect(describeUserAgent(own, "darwin", "arm64")).toEqual({
    userAgent: "Mozilla/5.0 (X11; Linux x86_64) Chrome/156.0.1.2 Safari/537.36",
    userAgentMetadata: {
      brands: [
        { brand: "Chromium", version: "156" },
        { brand: other, version: "99" },
      ],
      fullVersionList: [
        { brand: "Chromium", version: "156.0.1.2" },
        { brand: other, version: "99.0.0.0" },
      ],
      platform: "macOS",
      platformVersion: "",
      architecture: "arm",
      bitness: "64",
      model: "",
      mobile: false,
    },
  });
});
