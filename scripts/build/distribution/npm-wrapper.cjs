#!/usr/bin/env node
"use strict";
// The command of the npm package scorpiox-code: becomes, or starts, the program in the package for this machine.
const { readFileSync } = require("node:fs");

const system = process.platform === "win32" ? "windows" : process.platform;
const base = `scorpiox-code-${system}-${process.arch}`;
const names = system === "linux" ? [base, `${base}-musl`] : [base];

function find(name) {
  try {
    return require.resolve(`${name}/scorpiox-code${system === "windows" ? ".exe" : ""}`);
  } catch {
    return undefined;
  }
}

function runsOnMusl() {
  try {
    return /\/(ld-musl-|libc\.musl-)/.test(readFileSync("/proc/self/maps", "utf8"));
  } catch {
    return false;
  }
}

// A package manager that does not know about C libraries installs both.
const found = names.map(find).filter(Boolean);
const program = found.length === 2 && runsOnMusl() ? found[1] : found[0];

if (program === undefined) {
  process.stderr.write(
    `scorpiox-code: the package ${names.join(" or ")} is not installed. ` +
      "It is an optional dependency: install again without --no-optional and --omit=optional, " +
      `on the machine that runs it. It has to exist for ${process.platform} ${process.arch}.\n`,
  );
  process.exitCode = 1;
} else if (typeof process.execve === "function" && system !== "windows") {
  // Node 22.15 and newer: the program takes this process over, and nothing stays between it and the client.
  process.execve(program, [program, ...process.argv.slice(2)], process.env);
} else {
  start(program);
}

function start(file) {
  const { spawn } = require("node:child_process");
  let child;
  const passed = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2", "SIGWINCH"];
  for (const signal of passed) {
    try {
      process.on(signal, () => child.kill(signal));
    } catch {
      // Not a signal of this system.
    }
  }
  // Behind the listeners: a signal that comes as soon as it runs is passed too.
  child = spawn(file, process.argv.slice(2), { stdio: "inherit" });
  child.on("error", (error) => {
    process.stderr.write(`scorpiox-code: cannot start ${file}: ${error.message}\n`);
    process.exitCode = 1;
  });
  child.on("exit", (code, signal) => {
    if (signal === null) process.exit(code);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}
