import { expect, onTestFinished, vi } from "vitest";
import { TopicWatch } from "../../src/core/pipeline/topic-watch.ts";

/**
 * Returns a function that resolves when a request of this process has begun to wait since. A token or a right that ends
 * between the check of a request and its wait ends the request only when the wait is over.
 */
export function observeWaits(): () => Promise<void> {
  const watch = vi.spyOn(TopicWatch.prototype, "watch");
  onTestFinished(() => void watch.mockRestore());
  const begun = () => watch.mock.settledResults.filter(({ type }) => type === "fulfilled");
  return () => expect.poll(() => begun().length).toBeGreaterThan(0);
}
