import type { TestSpecification } from "vitest/node";
import { BaseSequencer } from "vitest/node";

/** Files that take long for their size: they start programs or wait for them. */
export const longFiles = [
  "test/faults/webhooks.test.ts",
  "test/faults/writes.test.ts",
  "test/docs/reference.test.ts",
  "test/behaviour/two-processes.property.test.ts",
  "test/behaviour/two-factor-races.test.ts",
  "test/behaviour/permissions.test.ts",
  "test/cli/watch.test.ts",
  "test/cli/wizards-terminal.test.ts",
  "test/cli/serve-workers.test.ts",
  "test/faults/readiness.test.ts",
  "test/store/busy.test.ts",
];

const isLong = (moduleId: string): boolean => longFiles.some((file) => moduleId.endsWith(`/${file}`));

/** Starts the files in `longFiles` before the others that share modules, so that none keeps a single worker busy at the end. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // Isolated files first, so that the workers that share modules stay. Vitest sorts by size.
    const rank = ({ project, moduleId }: TestSpecification) => (project.config.isolate ? 0 : isLong(moduleId) ? 1 : 2);
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b));
  }
}
