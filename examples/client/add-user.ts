// Adds a user to a unit: `WCS_URL=... WCS_TOKEN=wcs_... node add-user.ts 'Copenhagen' ada@example.com Ada Lovelace`
import { connect, ServiceError } from "@wcs-tool/wcs/client";

const { WCS_URL: url = "http://127.0.0.1:8420", WCS_TOKEN: token = "" } = process.env;
const [place = "", email = "", first_name = "", last_name = ""] = process.argv.slice(2);
const client = connect({ url, token });

try {
  const { data } = await client.names.find({ texts: [place], kinds: ["units"] });
  const [unit] = data;
  if (unit === undefined) throw new Error(`There is no unit ${place}.`);
  // The call may be repeated when the connection fails: its idempotency key prevents a second user.
  const user = await client.users.create({ first_name, last_name, email, unit: unit.id });
  process.stdout.write(`Added user ${user.id} to ${unit.name}.\n`);
} catch (error) {
  if (!(error instanceof ServiceError)) throw error;
  for (const [field, messages] of Object.entries(error.fields ?? { error: [error.message] })) {
    process.stderr.write(`${field}: ${messages.join(", ")}\n`);
  }
  process.exitCode = 1;
}
