import type { languages as contract } from "../../contract/languages.ts";
import type { Handlers } from "../pipeline/context.ts";

export const languages: Handlers<typeof contract> = {
  async list(ctx) {
    return {
      data: ctx.settings.languages.map((code) => ({
        code,
        name: new Intl.DisplayNames([code], { type: "language" }).of(code) ?? code,
      })),
    };
  },
};
