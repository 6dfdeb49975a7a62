import { codeLink, cursorLink } from "../build/distribution/install-links.ts";

/** The links as text: pages that show Markdown take the address of VS Code out. */
export function installLinks(): string {
  const row = (title: string, link: string): string => `${title}:\n\n\`\`\`text\n${link}\n\`\`\``;
  return [row("Cursor", cursorLink()), row("VS Code", codeLink())].join("\n\n");
}
