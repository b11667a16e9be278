import type { AnyOperation } from "./operation.ts";
import { type GroupName, groupEntries } from "./operation-groups.ts";

export async function allOperations(): Promise<AnyOperation[]> {
  const loaded = await Promise.all(groupEntries.map(([group]) => loadOperations(group)));
  return loaded.flatMap((operations) => Object.values(operations));
}

async function loadOperations(group: GroupName): Promise<Record<string, AnyOperation>> {
  // Vite does not support variables in paths of the form "./name.ts".
  return (await import(`../contract/${group}.ts`))[group];
}
