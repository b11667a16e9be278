import { spawn } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";
import { bin, finished, useHome } from "./support.ts";

const home = useHome();
let number = 0;
const newFolder = () => {
  const folder = home().path(`backups-${++number}`);
  mkdirSync(folder);
  return folder;
};
const rotate = async (folder: string, kept: number | string) => {
  const { code, stdout, stderr } = await home().wcs(["db", "backup", folder, "--rotate", String(kept), "--json"]);
  return { code, stderr, made: JSON.parse(stdout || "{}") as { file?: string; removed?: string[] } };
};
const dated = (folder: string, day: number) => `${folder}/wcs-202001${String(day).padStart(2, "0")}T030000Z.db`;
/** A folder with backups of five days. */
async function filled(): Promise<string> {
  const folder = newFolder();
  await home().wcs(["db", "backup", dated(folder, 1)]);
  for (const day of [2, 3, 4, 5]) copyFileSync(dated(folder, 1), dated(folder, day));
  return folder;
}

it("db backup --rotate adds a backup named by its time, and keeps the newest of them", async () => {
  const folder = await filled();
  const { code, stderr, made } = await rotate(folder, 3);
  expect(code).toBe(0);
  expect(basename(made.file!)).toMatch(/^wcs-20[2-9]\d{5}T\d{6}Z\.db$/);
  expect(made.removed).toEqual([3, 2, 1].map((day) => dated(folder, day)));
  expect(stderr).toMatch(/Removed 3 older backups\.\n$/);
  expect(readdirSync(folder).sort()).toEqual(
    [dated(folder, 4), dated(folder, 5), made.file!].map((path) => basename(path)),
  );
  expect((await home().wcs(["db", "restore", made.file!, "--dry-run", "--db", home().path("new.db")])).code).toBe(0);
});

it("db backup --rotate never removes other files: of another instance or program, with another name, without a database", async () => {
  const folder = await filled();
  const foreign = home().path("foreign.db");
  await home().wcs(["init", "--db", foreign, "--admin-email", "b@example.com", "--admin-name", "B B", "--no-profile"]);
  await home().wcs(["db", "backup", dated(folder, 6), "--db", foreign]);
  writeFileSync(dated(folder, 7), "notes");
  writeFileSync(dated(folder, 8), "");
  mkdirSync(dated(folder, 9));
  symlinkSync(dated(folder, 1), dated(folder, 10));
  copyFileSync(dated(folder, 1), `${folder}/wcs-before-upgrade.db`);
  copyFileSync(dated(folder, 1), `${folder}/wcs-20200111T030000Z.db.old`);
  copyFileSync(dated(folder, 1), dated(folder, 12));
  const marked = new DatabaseSync(dated(folder, 12));
  marked.exec("pragma application_id = 7");
  marked.close();
  const { made } = await rotate(folder, 1);
  expect(made.removed).toEqual([5, 4, 3, 2, 1].map((day) => dated(folder, day)));
  const stayed = [6, 7, 8, 9, 10, 12].map((day) => basename(dated(folder, day)));
  const all = [...stayed, "wcs-before-upgrade.db", "wcs-20200111T030000Z.db.old", basename(made.file!)];
  expect(readdirSync(folder).sort()).toEqual(all.sort());
});

it("db backup --rotate keeps the backup that it made, also beside files of the future", async () => {
  const folder = newFolder();
  const future = `${folder}/wcs-29990101T030000Z.db`;
  await home().wcs(["db", "backup", future]);
  const { made } = await rotate(folder, 1);
  expect([existsSync(made.file!), made.removed]).toEqual([true, [future]]);
});

it("db backup --rotate needs a folder that exists, and a number", async () => {
  const folder = newFolder();
  writeFileSync(`${folder}/file`, "mine");
  expect(await rotate(`${folder}/file`, 7)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("is not a folder"),
  });
  expect(readFileSync(`${folder}/file`, "utf8")).toBe("mine");
  expect(await rotate(`${folder}/none`, 7)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("there is no folder".slice(1)),
  });
  for (const wrong of ["0", "-1", "1.5", "many", ""]) expect((await rotate(folder, wrong)).code).toBe(2);
  expect((await home().wcs(["db", "backup", folder, "--rotate", "7", "--force"])).code).toBe(2);
  expect(readdirSync(folder)).toEqual(["file"]);
});

it("db backup --rotate removes nothing when the backup does not fit on the disk", async () => {
  const folder = await filled();
  const before = readdirSync(folder);
  // A limit of 100 KiB for files simulates a full disk.
  const args = ["-c", 'ulimit -f 200; exec "$0" "$@"', process.execPath, bin, "db", "backup", folder, "--rotate", "1"];
  const { code, stderr } = await finished(spawn("/bin/sh", args, { env: home().env }));
  expect([code, stderr]).toEqual([1, expect.stringMatching(/^error: The (disk is full|file would be larger)/)]);
  expect(readdirSync(folder)).toEqual(before);
});

it("db backup --quiet prints nothing, so that cron sends no mail, unless a flag says how to print", async () => {
  const quiet = async (...more: string[]) =>
    home().wcs(["db", "backup", await filled(), "--rotate", "3", "--quiet", ...more]);
  expect(await quiet()).toMatchObject({ code: 0, stdout: "", stderr: "" });
  expect(await quiet("--query", "file")).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/Z\.db\n$/),
    stderr: "",
  });
});
