import { insertRows, updateRow } from "../../store/bulk.ts";
import type { Database, Tx } from "../../store/database.ts";
import type { AttemptResult } from "../queue/leased-queue.ts";
import { callbackRetries, failedAttempt } from "../queue/retry-schedule.ts";
import type { AttemptOutcome } from "./attempt.ts";
import { type ClaimedDelivery, callbackQueue } from "./callback-queue.ts";
import { disable, lockWebhooks } from "./disable-webhooks.ts";

/** Seconds without a success after which a webhook is disabled. */
const failingSecondsAllowed = 5 * 86_400;

export interface FinishedAttempt {
  readonly job: ClaimedDelivery;
  readonly uri: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly answer: AttemptOutcome;
  /** Unix milliseconds. */
  readonly ended: number;
}

type Webhook = Awaited<ReturnType<typeof lockWebhooks>>[number];

const isGood = ({ answer }: FinishedAttempt) => /^2\d\d$/.test(answer.status);
const isGone = ({ answer }: FinishedAttempt) => answer.status === "410";

/** Writes deliveries, log entries and the health of webhooks. An attempt whose lease was lost is only logged. */
export async function writeResults(
  database: Database,
  results: readonly FinishedAttempt[],
  random: () => number,
): Promise<void> {
  await database.writeLocking(async (tx) => {
    const ids = [...new Set(results.map((result) => result.job.webhook_id))];
    const webhooks = new Map((await lockWebhooks(tx, ids)).map((webhook) => [webhook.id, webhook]));
    const judged = results.map((result) => {
      return { result, verdict: verdictOn(result, webhooks.get(result.job.webhook_id), random) };
    });
    const verdicts = judged.map(({ verdict }) => verdict);
    const recorded = await callbackQueue.record(tx, verdicts);
    const entries = judged.map(({ result, verdict }) => entryOf(result, verdict, recorded.has(verdict)));
    await insertRows(tx, "webhook_logs", entries);
    const counting = judged.filter(({ verdict }) => recorded.has(verdict)).map(({ result }) => result);
    for (const [id, those] of Map.groupBy(counting, (result) => result.job.webhook_id)) {
      await judge(tx, webhooks.get(id), those);
    }
  });
  // A client may wait for the result of a test.
  if (results.some(({ job }) => job.single === 1)) database.announce(["webhook-logs"]);
}

function verdictOn(result: FinishedAttempt, webhook: Webhook | undefined, random: () => number): AttemptResult {
  const { job, answer, ended: now } = result;
  const attempt = { id: job.id, token: job.token, attempt: job.attempt + 1 };
  if (isGood(result)) return { ...attempt, state: "done", due_at: now };
  const permanent = job.single === 1 || isGone(result) || webhook?.active !== 1;
  return failedAttempt(callbackRetries, { ...attempt, now, retryAfter: answer.retryAfter, permanent }, random);
}

function entryOf(
  { job, uri, headers, answer, ended }: FinishedAttempt,
  { state, attempt, due_at }: AttemptResult,
  recorded: boolean,
) {
  return {
    webhook_id: job.webhook_id,
    event_id: job.event_id,
    message_id: job.message_id,
    event: job.type,
    uri,
    status: answer.status,
    attempt,
    duration_ms: answer.duration,
    created_at: Math.floor(ended / 1000),
    error: answer.error,
    next_attempt_at: recorded && state === "waiting" ? Math.ceil(due_at / 1000) : null,
    request_headers: JSON.stringify(headers),
    // A lease is also lost when the user whose data was sent is deleted; the response may repeat that data.
    response: recorded && answer.response ? JSON.stringify(answer.response) : null,
    user_id: job.user_id,
  };
}

/** Records since when a webhook has only failed. Disables one that failed for too long or answered 410. */
async function judge(tx: Tx, webhook: Webhook | undefined, results: readonly FinishedAttempt[]): Promise<void> {
  if (webhook?.active !== 1) return;
  const now = Math.floor(Math.max(...results.map((result) => result.ended)) / 1000);
  const real = results.filter((result) => result.job.single === 0);
  if (results.some(isGone)) return disable(tx, webhook, "gone", now);
  if (real.length === 0) return;
  const since = real.some(isGood) ? null : (webhook.failing_since ?? now);
  if (since !== null && now - since >= failingSecondsAllowed) return disable(tx, webhook, "failing", now);
  if (since === webhook.failing_since) return;
  await updateRow(tx, "webhooks", webhook.id, { failing_since: since });
}
