/** The first argument of a process of this program that confines itself and becomes a command. */
export const sandboxArgument = "__sandbox";
