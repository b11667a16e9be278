/** Makes fast-check generate the same values in each run, so that a failure is due to the change that is tested. */
if (process.env.WCS_TEST_SEED) {
  const { default: fc } = await import("fast-check");
  fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(process.env.WCS_TEST_SEED) });
}

export {};
