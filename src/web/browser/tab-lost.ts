/** The tab, or its whole browser, went away during a call. The call may be tried once more in another one. */
export class TabLost extends Error {
  override readonly name = "TabLost";

  constructor(readonly why: "crashed" | "browser-gone") {
    super(why === "crashed" ? "The page crashed its tab." : "The browser ended.");
  }
}
