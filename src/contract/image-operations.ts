import { id } from "./common-schemas.ts";
import { imageItems, imageLimit } from "./file-schemas.ts";
import { type Access, operation } from "./operation.ts";

interface ImageOwner {
  readonly owner: "user" | "unit" | "group";
  readonly noun: "avatar" | "image";
  /** Who can call the operations, as a sentence, where `access` does not say it all. */
  readonly rights?: string;
  readonly access: Access;
}

export function imageOperations({ owner, noun, rights, access }: ImageOwner) {
  const path = `/${owner}s/{id}/${noun}`;
  const replaced = `Replaces the previous ${noun}. Download it by its ID, as that of any file.`;
  return {
    set: operation("PUT", path, `Set a ${owner}'s ${noun}`, {
      access,
      description: rights === undefined ? replaced : `${replaced} ${rights}`,
      input: () => ({ id: id(`${owner}s`), files: imageItems() }),
      bodyLimit: imageLimit,
    }),
    delete: operation("DELETE", path, `Delete a ${owner}'s ${noun}`, {
      access,
      ...(rights !== undefined && { description: rights }),
      input: () => ({ id: id(`${owner}s`) }),
    }),
  };
}
