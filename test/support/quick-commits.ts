import { DatabaseSync } from "node:sqlite";

const quick = Symbol.for("wcs.test.quickCommits");
const methods: { exec: DatabaseSync["exec"]; [quick]?: true } = DatabaseSync.prototype;

// Tests end processes, not the machine, so what they commit in this process need not reach the disk.
if (methods[quick] === undefined) {
  const { exec } = methods;
  methods[quick] = true;
  methods.exec = function (this: DatabaseSync, text) {
    exec.call(this, text.replace("synchronous = full", "synchronous = off"));
  };
}
