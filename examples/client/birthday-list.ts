// Prints the birthdays of the next 30 days: `WCS_URL=https://wcs.example.com WCS_TOKEN=wcs_... node birthday-list.ts`
import { connect, ServiceError } from "@wcs-tool/wcs/client";

const { WCS_URL: url = "http://127.0.0.1:8420", WCS_TOKEN: token = "" } = process.env;
const client = connect({ url, token });

try {
  for await (const user of client.users.birthdays.all()) {
    process.stdout.write(`${user.day}  ${user.name}\n`);
  }
} catch (error) {
  if (!(error instanceof ServiceError)) throw error;
  process.stderr.write(`${error.message} (${error.code})\n`);
  process.exitCode = 1;
}
