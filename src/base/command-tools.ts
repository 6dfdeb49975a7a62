/** Our tools that run a command. What is said of Bash is said of all of them, since the one does what the other does. */
export const commandTools: ReadonlySet<string> = new Set(["Bash", "BackgroundBash"]);
