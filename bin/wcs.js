#!/usr/bin/env node
// Old syntax on purpose: this file has to parse on any Node, to say in one sentence which one is needed.
var needed = [24, 15];
var found = process.versions.node.split(".").map(Number);

if (found[0] < needed[0] || (found[0] === needed[0] && found[1] < needed[1])) {
  process.stderr.write(
    "wcs needs Node " + needed.join(".") + " or newer, and this is Node " + process.versions.node + ".\n",
  );
  process.exitCode = 1;
} else {
  // The user's own cache: the system's temporary directory is shared with strangers.
  require("node:module").enableCompileCache(
    process.env.XDG_CACHE_HOME
      ? require("node:path").join(process.env.XDG_CACHE_HOME, "wcs")
      : require("node:path").join(require("node:os").homedir(), ".cache", "wcs"),
  );
  require("../dist/main.cjs").main(process.argv, process.exit);
}
