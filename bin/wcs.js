#!/usr/bin/env node
// Uses old syntax, since any Node version must be able to parse this file and report the required version.
var needed = [24, 15];
var found = process.versions.node.split(".").map(Number);

if (found[0] < needed[0] || (found[0] === needed[0] && found[1] < needed[1])) {
  process.stderr.write(
    // biome-ignore lint/style/useTemplate: older versions of Node do not know templates
    "wcs needs Node " + needed.join(".") + " or newer, and this is Node " + process.versions.node + ".\n",
  );
  process.exitCode = 1;
} else {
  require("./bundle.js").run(process.argv, process.exit);
}
