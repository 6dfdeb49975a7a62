/** Our tools that run a command. What is said of Bash is said of all of them, since the one does what the other does. */
export const commandTools: readonly string[] = ["Bash", "BackgroundBash"];

export function runsCommand(toolName: string): boolean {
  return commandTools.includes(toolName);
}
