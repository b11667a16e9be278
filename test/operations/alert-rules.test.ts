import { spawnSync } from "node:child_process";
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse, stringify } from "yaml";
import { example } from "./support.ts";

const hasPromtool = spawnSync("promtool", ["--version"]).status === 0;
if (!hasPromtool)
  process.stderr.write("promtool is missing, so the alert rules were not tested: apt-get install prometheus.\n");

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly annotations: { readonly summary: string };
}
interface Situation {
  /** Series with one value per minute, in the notation of promtool. */
  readonly series: Readonly<Record<string, string>>;
  /** Minute at which the alert is looked at. */
  readonly at: number;
}
interface AlertCase {
  readonly fires: Situation;
  /** Just below the threshold, or too short. */
  readonly silent: Situation;
  /** Labels of the alert beside those of the rule. */
  readonly labels: Readonly<Record<string, string>>;
}

const job = 'job="wcs",instance="a"';
const target = { job: "wcs", instance: "a" };
const waiting = (what: string) => `wcs_waiting{${job},what="${what}"}`;
const requests = (status: number) => `wcs_http_request_duration_seconds_count{${job},status="${status}"}`;
const bucket = (le: string) => `wcs_http_request_duration_seconds_bucket{${job},method="POST",le="${le}"}`;

/** For each alert a situation in which it fires, and one in which it does not. */
const cases: Readonly<Record<string, AlertCase>> = {
  WcsDown: {
    fires: { series: { [`up{${job}}`]: "1 0x10" }, at: 4 },
    silent: { series: { [`up{${job}}`]: "1 0 1x10" }, at: 4 },
    labels: target,
  },
  WcsRestarts: {
    fires: { series: { [`process_start_time_seconds{${job}}`]: "1 2 3 4 5x30" }, at: 10 },
    silent: { series: { [`process_start_time_seconds{${job}}`]: "1 2 3 4x30" }, at: 10 },
    labels: target,
  },
  WcsErrors: {
    fires: { series: { [requests(500)]: "0+3x40", [requests(200)]: "0+97x40" }, at: 20 },
    silent: { series: { [requests(500)]: "0+1x40", [requests(200)]: "0+99x40" }, at: 20 },
    labels: {},
  },
  WcsSlow: {
    fires: { series: { [bucket("2.5")]: "0+90x60", [bucket("5")]: "0+100x60", [bucket("+Inf")]: "0+100x60" }, at: 30 },
    silent: { series: { [bucket("2.5")]: "0+96x60", [bucket("5")]: "0+100x60", [bucket("+Inf")]: "0+100x60" }, at: 30 },
    labels: {},
  },
  WcsCallbacksOverdue: {
    fires: { series: { [waiting("due")]: "101x40" }, at: 16 },
    silent: { series: { [waiting("due")]: "100x40", [waiting("later")]: "500x40" }, at: 16 },
    labels: { ...target, what: "due" },
  },
  WcsMailsWait: {
    fires: { series: { [waiting("mails")]: "1x60" }, at: 31 },
    silent: { series: { [waiting("mails")]: "1x20 0 1x40" }, at: 31 },
    labels: { ...target, what: "mails" },
  },
  WcsMailsFailed: {
    fires: { series: { [waiting("failed_mails")]: "2x30 3x30" }, at: 40 },
    silent: { series: { [waiting("failed_mails")]: "3x60" }, at: 40 },
    labels: { ...target, what: "failed_mails" },
  },
  WcsFileDescriptors: {
    fires: { series: { [`process_open_fds{${job}}`]: "900x30", [`process_max_fds{${job}}`]: "1000x30" }, at: 11 },
    silent: { series: { [`process_open_fds{${job}}`]: "800x30", [`process_max_fds{${job}}`]: "1000x30" }, at: 11 },
    labels: target,
  },
  WcsEventLoop: {
    fires: { series: { [`nodejs_eventloop_lag_p99_seconds{${job}}`]: "0.6x30" }, at: 11 },
    silent: { series: { [`nodejs_eventloop_lag_p99_seconds{${job}}`]: "0.6x5 0.1x30" }, at: 11 },
    labels: target,
  },
};

const rules = (
  parse(example("wcs-alerts.yml")) as { groups: { rules: (Rule & { labels: Record<string, string> })[] }[] }
).groups.flatMap((group) => group.rules);

it("each alert has a situation in which it fires, and one in which it does not", () => {
  expect(Object.keys(cases).sort()).toEqual(rules.map(({ alert }) => alert).sort());
});

describe.skipIf(!hasPromtool)("the alert rules in Prometheus", () => {
  const folder = mkdtempSync(join(tmpdir(), "wcs-alerts-"));
  beforeAll(() => {
    for (const name of ["wcs-alerts.yml", "prometheus.yml"])
      copyFileSync(new URL(`../../examples/operations/${name}`, import.meta.url), join(folder, name));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const promtool = (...args: readonly string[]) => {
    const { status, stdout, stderr } = spawnSync("promtool", args, { cwd: folder, encoding: "utf8" });
    return { status, output: stdout + stderr };
  };
  const test = ({ series, at }: Situation, alert: string, alerts: readonly object[]) => {
    const inputs = Object.entries(series).map(([name, values]) => ({ series: name, values }));
    const expected = [{ eval_time: `${at}m`, alertname: alert, exp_alerts: alerts }];
    const tests = [{ interval: "1m", input_series: inputs, alert_rule_test: expected }];
    writeFileSync(join(folder, "test.yml"), stringify({ rule_files: ["wcs-alerts.yml"], tests }));
    return promtool("test", "rules", "test.yml");
  };

  it("promtool accepts the rules and the configuration", () => {
    expect(promtool("check", "rules", "wcs-alerts.yml")).toMatchObject({ status: 0 });
    expect(promtool("check", "config", "prometheus.yml")).toMatchObject({ status: 0 });
  });

  it.each(rules)("$alert fires when it should, and not below its threshold", ({ alert, labels, annotations }) => {
    const { fires, silent, labels: own } = cases[alert] as AlertCase;
    const fired = [{ exp_labels: { ...labels, ...own }, exp_annotations: annotations }];
    expect(test(fires, alert, fired).output).toContain("SUCCESS");
    expect(test(silent, alert, []).output).toContain("SUCCESS");
    expect(test(fires, alert, []).status).not.toBe(0);
  });

  it("Prometheus can parse the queries of the dashboard", () => {
    const { panels } = JSON.parse(example("grafana-dashboard.json")) as { panels: { targets: { expr: string }[] }[] };
    const queries = panels
      .flatMap(({ targets }) => targets)
      .map(({ expr }) => expr.replaceAll("$__rate_interval", "5m"));
    const recorded = queries.map((expr, number) => ({ record: `query_${number}`, expr }));
    writeFileSync(join(folder, "queries.yml"), stringify({ groups: [{ name: "dashboard", rules: recorded }] }));
    expect(promtool("check", "rules", "queries.yml")).toMatchObject({
      status: 0,
      output: expect.stringContaining(`${queries.length} rules found`),
    });
  });
});
