import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import type { AnyOperation } from "../../src/contract/operation.ts";
import { scriptEnvironment } from "./child.ts";
import type { Outcome } from "./outcome.ts";

/** A service in a process of its own, on the same database. */
export interface SecondProcess {
  call(token: string, op: AnyOperation, input: object): Promise<Outcome>;
  stop(): void;
}

export async function startSecondProcess(target: string): Promise<SecondProcess> {
  const child: ChildProcess = fork(new URL("./second-service.ts", import.meta.url), [target], {
    env: scriptEnvironment,
    execArgv: [],
  });
  await once(child, "message");
  return {
    async call(token, { name }, input) {
      const answered = once(child, "message");
      child.send({ token, name, input });
      const [outcome] = (await answered) as [Outcome];
      return outcome;
    },
    stop: () => void child.kill("SIGKILL"),
  };
}
