// Starts the program in the executable that scripts/build-exe.ts makes. Loads each file of the bundle from the executable when it is needed.
const { Script } = require("node:vm");
const { getAsset, getAssetKeys, getRawAsset } = require("node:sea");

const assets = new Set(getAssetKeys());
const modules = new Map();

function load(filename) {
  const loaded = modules.get(filename);
  if (loaded) return loaded.exports;
  const module = { exports: {} };
  modules.set(filename, module);
  const cache = `${filename}.cache`;
  const script = new Script(getAsset(filename, "utf8"), {
    filename,
    cachedData: assets.has(cache) ? new Uint8Array(getRawAsset(cache)) : undefined,
  });
  const requireFrom = (id) => (id.startsWith("./") ? load(id.slice(2)) : require(id));
  script.runInThisContext()(module.exports, requireFrom, module, filename, "/");
  return module.exports;
}

load("main.cjs").main(process.argv, process.exit);
