import { auth as ops } from "../../contract/auth.ts";
import type { Group } from "../tree.ts";

const own = () => import("../session.ts");

export const auth: Group = {
  summary: "Sign in and out, renew and show the token",
  commands: {
    login: {
      summary: "Sign in with e-mail and password",
      description:
        "Keeps the token in a profile: the one that is named, else one for the same target, else a new one called after the host.",
      flags: [
        { flags: "--username <email>", description: "Your e-mail address" },
        { flags: "--password-stdin", description: "Read the password from stdin [WCS_PASSWORD]" },
        { flags: "--password-file <path>", description: "Read the password from a file", completes: "file" },
      ],
      examples: [
        "wcs auth login --url https://wcs.example.com --username ada@example.com",
        "pass show wcs | wcs auth login --url https://wcs.example.com --username ada@example.com --password-stdin",
      ],
      run: async (context) => (await own()).login(context),
    },
    logout: {
      summary: "Forget the token of a profile",
      run: async (context) => (await own()).logout(context),
    },
    renew: {
      summary: "Exchange the token for a newer one",
      description: "Commands do so by themselves when less than half of its life is left.",
      run: async (context) => (await own()).renewNow(context),
    },
    status: {
      summary: "Who is signed in, where and until when",
      prints: true,
      run: async (context) => (await own()).status(context),
    },
    token: {
      summary: "Print the token, for another program",
      examples: ['curl -H "Authorization: Bearer $(wcs auth token)" https://wcs.example.com/api/users/current'],
      run: async (context) => (await own()).printToken(context),
    },
    password: {
      summary: "A forgotten password",
      commands: {
        request: { op: ops.passwordRequest, done: "If {email} is known, a mail is on its way there." },
        reset: {
          op: ops.passwordReset,
          hidden: ["password_confirm"],
          fill: (input) => ({ ...input, password_confirm: input.password }),
          done: "The new password is set.",
        },
      },
    },
  },
};
