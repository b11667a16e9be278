import { afterAll, beforeAll, expect, it } from "vitest";
import { users } from "../../src/contract/users.ts";
import { webhooks } from "../../src/contract/webhooks.ts";
import { describeOnOneDatabase, type Instance, newInstance } from "../support/instance.ts";

describeOnOneDatabase("listening to events", (environment) => {
  let instance: Instance;
  beforeAll(async () => {
    instance = await newInstance(environment);
    instance.freeze();
  });
  afterAll(() => instance.close());

  it("webhooks.events: events are written for 90 seconds after a request, and each request after 20 seconds extends that", async () => {
    const { administrator } = instance;
    let after = (await administrator.call(webhooks.events, {})).meta.last_id;
    const written = async (seconds: number) => {
      instance.wait(seconds);
      const email = `bo${instance.now()}@example.com`;
      const { id } = await administrator.call(users.create, { first_name: "Bo", last_name: "Berg", email, unit: 1 });
      const { data, meta } = await administrator.call(webhooks.events, { after });
      after = meta.last_id;
      return data.map(({ payload }) => payload.data.id).includes(id);
    };
    expect(await written(89)).toBe(true);
    expect(await written(90)).toBe(false);
    expect(await written(19)).toBe(true);
    // The request of 19 seconds ago renewed nothing.
    expect(await written(71)).toBe(false);
    expect(await written(20)).toBe(true);
    expect(await written(89)).toBe(true);
    // The clock is set back.
    expect(await written(-7200)).toBe(true);
    expect(await written(90)).toBe(false);
  });
});
