import { createHmac } from "node:crypto";
import { writeFileSync } from "node:fs";

const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const secret = Buffer.alloc(32, "secret");
const body = '{"type": "user.create"}';

/** The signature of `body.json`, which session.txt checks. */
export const signature = `v1,${createHmac("sha256", secret).update(`msg_1.1796115600.${body}`).digest("base64")}`;

const files: Readonly<Record<string, string | Buffer>> = {
  "ada.txt": "correct horse battery staple\n",
  "grace.txt": "a bug in relay seventy\n",
  "key.txt": `${Buffer.alloc(32, "key").toString("base64")}\n`,
  "secret.txt": `whsec_${secret.toString("base64")}\n`,
  "body.json": body,
  "smtp-url.txt": "smtp://wcs:secret@mail.example.com:587\n",
  "portrait.png": Buffer.from(pixel, "base64"),
  "menu.txt": "Monday: pancakes\n",
  "agenda.txt": "1. Welcome\n",
  "people.csv":
    "reference,first_name,last_name,email,unit,user_types\nE-100,Dorothy,Vaughan,dorothy@example.com,eng,Employee\nE-101,Mary,Jackson,mary@example.com,sales,Employee\n",
  "units.csv": "reference,name,parent\nlegal,Legal,people\n",
  "titles.csv": "email,title\nkaren.jones@example.com,Team Lead\nyuki.tanaka@example.com,Sales Lead\n",
  "holidays.ics":
    "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//Example//EN\r\nBEGIN:VEVENT\r\nUID:new-year@example.com\r\nDTSTAMP:20260101T000000Z\r\nDTSTART;VALUE=DATE:20270101\r\nSUMMARY:New Year\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n",
};

/** Writes the files that the lines of session.txt read into the current folder. */
export function writeSampleFiles(): void {
  for (const [name, content] of Object.entries(files)) writeFileSync(name, content, { mode: 0o600 });
}
