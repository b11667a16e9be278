import { afterAll, beforeAll, expect, it } from "vitest";
import { usertypes } from "../../src/contract/usertypes.ts";
import { describeEverywhere, type Instance, newInstance } from "../support/instance.ts";

describeEverywhere("usertypes", (environment) => {
  let instance: Instance;
  beforeAll(async () => {
    instance = await newInstance(environment);
  });
  afterAll(() => instance.close());

  it("create, get, list", async () => {
    const { administrator } = instance;
    const made = await administrator.call(usertypes.create, {
      name: "Employee",
      reference: "emp",
      abilities: { news: true },
    });
    expect(made).toMatchObject({ name: "Employee", reference: "emp", abilities: { news: true, user: false } });
    expect(await administrator.call(usertypes.get, { id: made.id })).toEqual(made);
    expect(await administrator.call(usertypes.reference, { reference: "emp" })).toEqual(made);
    expect((await administrator.call(usertypes.list, {})).data).toContainEqual(made);
  });

  it("create refuses a name that is taken in other case", async () => {
    await instance.administrator.call(usertypes.create, { name: "Lead" });
    await expect(instance.administrator.call(usertypes.create, { name: "LEAD" })).rejects.toMatchObject({
      code: "conflict",
      message: expect.stringContaining("name is taken"),
    });
  });
});
