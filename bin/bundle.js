// Loads the files of the bundle, and keeps the code that V8 compiled for them in a directory of the user. Node's own compile cache holds only
// code from before a file runs, without the functions that V8 compiles when they are first called.
const {
  closeSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} = require("node:fs");
const { homedir } = require("node:os");
const { dirname, isAbsolute, join } = require("node:path");
const { Script } = require("node:vm");

const folder = join(__dirname, "../dist");
const cacheFolder = findCacheFolder();
/** Milliseconds after which compiled code that was not read is deleted. */
const longestUnused = 60 * 86_400_000;
/** Changes between versions without changing its name, so its code is not kept. The names of other files have a hash of their content. */
const entry = "main.cjs";
const modules = new Map();
const kept = new Map();
let isComplete = true;
let isOwnFolder = false;
/** V8 accepts code only under the flags under which it was compiled, and flags can be set at run time. */
const compileNothing = () => new Script("").createCachedData();
const nothing = compileNothing();
const hasSameFlags = () => compileNothing().equals(nothing);

/** Returns the exports of a file of the bundle. */
function load(name) {
  const loaded = modules.get(name);
  if (loaded) return loaded.exports;
  // Not by join, which takes 1 % of the time of a small command; Node takes / on all systems.
  const filename = `${folder}/${name}`;
  const source = kept.get(name) ?? readFileSync(filename, "utf8");
  const cachedData = name === entry ? undefined : readCode(name);
  const script = new Script(source, { filename, cachedData });
  if (cachedData ? script.cachedDataRejected && hasSameFlags() : name !== entry) isComplete = false;
  const module = { exports: {}, script };
  modules.set(name, module);
  script.runInThisContext()(module.exports, requireFrom, module, filename, folder);
  return module.exports;
}

const requireFrom = (id) => (id.startsWith("./") ? load(id.slice(2)) : require(id));

/** Returns a path in the user's own cache directory, since the system's temporary directory is shared with other users. */
function findCacheFolder() {
  const own = `${process.version}-${process.arch}-${process.getuid?.() ?? ""}`;
  const { XDG_CACHE_HOME = "" } = process.env;
  if (isAbsolute(XDG_CACHE_HOME)) return join(XDG_CACHE_HOME, "wcs", own);
  try {
    const home = homedir();
    return isAbsolute(home) ? join(home, ".cache/wcs", own) : undefined;
  } catch {
    // A user without an entry in the system's list has no home.
    return undefined;
  }
}

/** Throws when others could have written a file or folder, because compiled code is run as it is. */
function checkOwner({ uid, mode }) {
  if (process.getuid && (uid !== process.getuid() || mode & 0o022)) throw new Error("This belongs to another user.");
}

function readCode(name) {
  let file;
  try {
    if (!isOwnFolder) checkOwner(lstatSync(cacheFolder));
    isOwnFolder = true;
    file = openSync(`${cacheFolder}/${name}`);
    checkOwner(fstatSync(file));
    return readFileSync(file);
  } catch {
    return undefined;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** Creates a private folder and those above. Node's own `recursive` never returns where an existing folder cannot hold others, as below /proc. */
function makeFolders(path) {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (error.code === "EEXIST") return;
    if (error.code !== "ENOENT" || dirname(path) === path) throw error;
    makeFolders(dirname(path));
    mkdirSync(path, { mode: 0o700 });
  }
}

/** Saves the code of all files, with the functions that this process called, when one of them had none. */
function saveCode() {
  if (isComplete || cacheFolder === undefined || !hasSameFlags()) return;
  try {
    makeFolders(cacheFolder);
    checkOwner(lstatSync(cacheFolder));
    for (const [name, { script }] of modules)
      if (name !== entry) replaceFile(`${cacheFolder}/${name}`, script.createCachedData());
    removeUnused();
  } catch {
    // The program only starts more slowly without it.
  }
}

/** Removes the code of earlier versions, and what a killed process left. */
function removeUnused() {
  for (const name of readdirSync(cacheFolder)) {
    const path = `${cacheFolder}/${name}`;
    if (lstatSync(path).atimeMs < Date.now() - longestUnused) rmSync(path, { force: true });
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
  for (const name of names) if (!modules.has(name)) kept.set(name, readFileSync(`${folder}/${name}`, "utf8"));
}

process.on("exit", saveCode);
exports.run = (...args) => load(entry).main(...args);
exports.keep = keep;
exports.modules = modules;
