import { ServiceError } from "../../../contract/errors.ts";
import { users } from "../../../contract/users.ts";
import type { Context } from "../../kit/command-spec.ts";
import { findOneByName } from "../../kit/find-by-name.ts";
import { download } from "../files/download-file.ts";

/** `wcs users avatar get`: downloads the avatar of a user like `wcs files get`. */
export function downloadAvatar(context: Context): Promise<void> {
  return download(context, async (caller) => {
    const id = await findOneByName("users", "<id>", context.args.id, caller, context.terminal);
    const { name, avatar } = await caller.call(users.get, { id });
    if (avatar === null) throw new ServiceError("not_found", `${name} has no avatar.`);
    return avatar.id;
  });
}
