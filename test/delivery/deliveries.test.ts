import { beforeEach, expect, it } from "vitest";
import { users } from "../../src/contract/users.ts";
import { webhooks } from "../../src/contract/webhooks.ts";
import { describeOnDatabases, newEngine, userAgent } from "../support/engine.ts";
import type { Instance } from "../support/instance.ts";
import { type Receiver, receiverOfTest, verify } from "../support/receiver.ts";

describeOnDatabases("deliveries", (open) => {
  let instance: Instance;
  let receiver: Receiver;
  beforeEach(async () => {
    instance = await open();
    receiver = await receiverOfTest();
  });

  const newWebhook = async (path = "/hook") =>
    (await instance.administrator.call(webhooks.create, { name: "ci", uri: `${receiver.url}${path}` })).data;
  const newUser = (number = 1) =>
    instance.administrator.call(users.create, {
      first_name: "Bo",
      last_name: `Berg ${number}`,
      email: `bo${number}@example.com`,
      unit: 1,
    });

  it("a change is sent in a signed callback, and logged", async () => {
    const { id, secret = "" } = await newWebhook();
    const user = await newUser();
    expect(await newEngine(instance).drain({ maxSeconds: 60 })).toMatchObject({ due: 0, later: 0 });
    const [request] = receiver.received;
    expect(receiver.received).toHaveLength(1);
    expect(request).toMatchObject({
      path: "/hook",
      headers: { "content-type": "application/json", "user-agent": userAgent },
    });
    expect(verify(secret, request!)).toMatchObject({ type: "user.create", data: { ...user } });
    const { data } = await instance.administrator.call(webhooks.logs, { id });
    expect(data).toEqual([
      {
        id: 1,
        event: "user.create",
        uri: `${receiver.url}/hook`,
        status: "200",
        webhook_event_id: request!.headers["webhook-id"],
        attempt: 1,
        duration_ms: expect.any(Number),
        created_at: expect.any(Number),
        error: null,
        next_attempt_at: null,
      },
    ]);
  });
});
