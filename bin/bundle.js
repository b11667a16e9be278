// Loads the files of the bundle, and keeps the code that V8 compiled for them in a directory of the user. Node's own compile cache holds only
// code from before a file runs, without the functions that V8 compiles when they are first called.
const {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} = require("node:fs");
const { homedir } = require("node:os");
const { join } = require("node:path");
const { Script } = require("node:vm");

const folder = join(__dirname, "../dist");
// The user's own cache directory, since the system's temporary directory is shared with other users.
const cacheFolder = join(
  process.env.XDG_CACHE_HOME || join(homedir(), ".cache"),
  "wcs",
  `${process.version}-${process.arch}-${process.getuid?.() ?? ""}`,
);
/** Changes between versions without changing its name, so its code is not kept. The names of other files have a hash of their content. */
const entry = "main.cjs";
const modules = new Map();
const kept = new Map();
let isComplete = true;
/** V8 accepts code only under the flags under which it was compiled, and flags can be set at run time. */
const compileNothing = () => new Script("").createCachedData();
const nothing = compileNothing();
const hasSameFlags = () => compileNothing().equals(nothing);

/** Returns the exports of a file of the bundle. */
function load(name) {
  const loaded = modules.get(name);
  if (loaded) return loaded.exports;
  const filename = join(folder, name);
  const source = kept.get(name) ?? readFileSync(filename, "utf8");
  const cachedData = name === entry ? undefined : readCode(name);
  const script = new Script(`(function(exports,require,module,__filename,__dirname){${source}\n})`, {
    filename,
    cachedData,
  });
  if (cachedData ? script.cachedDataRejected && hasSameFlags() : name !== entry) isComplete = false;
  const module = { exports: {}, script };
  modules.set(name, module);
  script.runInThisContext()(module.exports, requireFrom, module, filename, folder);
  return module.exports;
}

const requireFrom = (id) => (id.startsWith("./") ? load(id.slice(2)) : require(id));

function readCode(name) {
  try {
    return readFileSync(join(cacheFolder, name));
  } catch {
    return undefined;
  }
}

/** Saves the code of all files, with the functions that this process called, when one of them had none. */
function saveCode() {
  if (isComplete || !hasSameFlags()) return;
  try {
    mkdirSync(cacheFolder, { recursive: true, mode: 0o700 });
    for (const [name, { script }] of modules)
      if (name !== entry) replaceFile(join(cacheFolder, name), script.createCachedData());
  } catch {
    // The program only starts more slowly without it.
  }
}

/** Writes a file under another name first, because V8 does not check code that is damaged. */
function replaceFile(path, bytes) {
  const aside = `${path}.${process.pid}`;
  try {
    const file = openSync(aside, "wx", 0o600);
    writeFileSync(file, bytes);
    fsyncSync(file);
    closeSync(file);
    renameSync(aside, path);
  } finally {
    rmSync(aside, { force: true });
  }
}

/** Reads files now, because an upgrade may remove them before they are loaded. */
function keep(names) {
  for (const name of names) if (!modules.has(name)) kept.set(name, readFileSync(join(folder, name), "utf8"));
}

process.on("exit", saveCode);
exports.run = (...args) => load(entry).main(...args);
exports.keep = keep;
exports.modules = modules;
