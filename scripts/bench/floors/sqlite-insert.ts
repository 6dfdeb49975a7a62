/**
 * The least that a change can cost that is on the disk when it is answered: bare inserts with FULL sync.
 *
 *     bun scripts/bench/floors/sqlite-insert.ts FILE COUNT
 *
 * Prints the milliseconds of each as a JSON array.
 */
import { Database } from "bun:sqlite";

const [file = "", count = "0"] = process.argv.slice(2);
using database = new Database(file);
database.run("PRAGMA busy_timeout = 5000");
database.run("PRAGMA journal_mode = WAL");
database.run("PRAGMA synchronous = FULL");
database.run("CREATE TABLE IF NOT EXISTS lines (id INTEGER PRIMARY KEY, text TEXT NOT NULL)");
const insert = database.query("INSERT INTO lines (text) VALUES (?)");
const times = Array.from({ length: Number(count) }, (_, place) => {
  const started = performance.now();
  insert.run(`a line of the length of a task, number ${place}`);
  return performance.now() - started;
});
process.stdout.write(JSON.stringify(times));
