import { type ChildProcess, fork } from "node:child_process";
import type { AnyOperation } from "../../src/contract/operation.ts";
import { bundleOf, scriptEnvironment } from "./child.ts";
import type { Outcome } from "./outcome.ts";

/** A service in a process of its own, on the same database. */
export interface SecondProcess {
  call(token: string, op: AnyOperation, input: object): Promise<Outcome>;
  stop(): void;
}

export async function startSecondProcess(target: string): Promise<SecondProcess> {
  const child: ChildProcess = fork(bundleOf("second-service.ts"), [target], { env: scriptEnvironment, execArgv: [] });
  await new Promise((resolve, reject) => {
    child.once("message", resolve);
    child.once("exit", () => reject(new Error("the second process has ended")));
  });
  const waiting = new Map<number, (outcome: Outcome) => void>();
  child.on("message", ({ id, outcome }: { id: number; outcome: Outcome }) => waiting.get(id)?.(outcome));
  return {
    call(token, { name }, input) {
      const id = waiting.size;
      return new Promise((resolve) => {
        waiting.set(id, resolve);
        child.send({ id, token, name, input });
      });
    },
    stop: () => void child.kill("SIGKILL"),
  };
}
