#!/usr/bin/env node
// Uses old syntax, since any Node version must be able to parse this file and report the required version.
var needed = [24, 15];
var found = process.versions.node.split(".").map(Number);
var advice = "In a clone, use npx wcs after npm ci --ignore-scripts=false, which installs Node and builds wcs.\n";

if (found[0] < needed[0] || (found[0] === needed[0] && found[1] < needed[1])) {
  process.stderr.write(
    // biome-ignore lint/style/useTemplate: older versions of Node do not know templates
    "wcs needs Node " + needed.join(".") + " or newer, and this is Node " + process.versions.node + ". " + advice,
  );
  process.exitCode = 1;
} else {
  try {
    require("./bundle.js").run(process.argv, process.exit);
  } catch (error) {
    // Only a file of the bundle can be missing here: the program handles its own errors.
    if (error.code !== "ENOENT") throw error;
    process.stderr.write("wcs is not built. ".concat(advice));
    process.exitCode = 1;
  }
}
