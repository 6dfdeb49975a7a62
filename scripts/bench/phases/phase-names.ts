/** The phases in the order in which they run, with the line that the help and the progress show. */
export const phaseTitles = {
  cold: "cold start",
  size: "executable and download",
  memory: "idle memory",
  idle: "memory a minute after the last call",
  calls: "cheap calls and pings",
  one: "the same with client and servers on one processor",
  relay: "calls through gateways",
  pipelined: "pipelined calls, 64 in flight",
  shell: "shell calls",
  output: "1, 10 and 100 MB of shell output",
  busy: "cheap calls beside 8 slow ones",
  request: "5 MB requests",
  backpressure: "replies behind a slow reader",
  http: "calls over HTTP",
  sessions: "memory of idle HTTP sessions",
  replacement: "Worker replacement after a faulty call",
} as const;

export type PhaseName = keyof typeof phaseTitles;

export const phaseNames: readonly PhaseName[] = Object.keys(phaseTitles).filter(isPhaseName);

function isPhaseName(name: string): name is PhaseName {
  return name in phaseTitles;
}
