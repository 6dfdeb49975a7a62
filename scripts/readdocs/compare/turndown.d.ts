/** What the comparison uses of turndown, which has no declarations of its own. */
declare module "turndown" {
  export default class Turndown {
    constructor(options: { readonly headingStyle: "atx"; readonly codeBlockStyle: "fenced" });
    use(plugin: (turndown: Turndown) => void): this;
    turndown(html: string): string;
  }
}

declare module "turndown-plugin-gfm" {
  import type Turndown from "turndown";

  export function gfm(turndown: Turndown): void;
}
