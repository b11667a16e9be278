import { DatabaseSync } from "node:sqlite";

// Holds the lock of writing on a SQLite file until it is told to end.
const connection = new DatabaseSync(process.argv[2]!);
connection.exec("begin immediate; insert into settings values ('held', '1')");
process.once("SIGTERM", () => {
  connection.exec("commit");
  connection.close();
  process.exit(0);
});
setInterval(() => {}, 1000);
process.stdout.write("locked\n");
