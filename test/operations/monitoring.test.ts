import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { useHome } from "../cli/support.ts";
import { freePort } from "../support/free-port.ts";
import { type Mailbox, newMailbox } from "../support/mailbox.ts";
import { example, manual, type Server, serve, writeConfig } from "./support.ts";

/** The parts of a dashboard that Grafana's model requires, as far as ours has them. */
interface Dashboard {
  readonly schemaVersion: number;
  readonly templating: { readonly list: readonly object[] };
  readonly panels: readonly {
    readonly id: number;
    readonly type: string;
    readonly title: string;
    readonly datasource: object;
    readonly gridPos: Readonly<Record<"x" | "y" | "w" | "h", number>>;
    readonly fieldConfig: object;
    readonly targets: readonly { readonly refId: string }[];
  }[];
}

const home = useHome();
let server: Server;
let mailbox: Mailbox;
let metrics: string;

beforeAll(async () => {
  mailbox = await newMailbox();
  const metricsPort = await freePort();
  await home().wcs(["settings", "set", "mail.from", "wcs@example.com"]);
  const user = ["--first-name", "Bob", "--last-name", "Jones", "--email", "bob@example.com", "--unit", "1"];
  await home().wcs(["users", "create", ...user]);
  const config = `port: 0\nmetrics_port: ${metricsPort}\nlog_format: json\nsmtp_url: smtp://127.0.0.1:${mailbox.port}\n`;
  server = await serve(home(), ["--config", writeConfig(home(), config)]);
  await fetch(`${server.url}/api/users`);
  const answer = await fetch(`http://127.0.0.1:${metricsPort}/metrics`);
  metrics = await answer.text();
});
afterAll(async () => {
  server.process.kill("SIGKILL");
  await mailbox.close();
});

/** Names of the series that the program serves, and the values of their label `what`. */
const served = () => new Set([...metrics.matchAll(/^(\w+)(?:\{| )/gm)].map(([, name = ""]) => name));
/** Labels that each series has. */
const labelsOf = (name: string) =>
  new Set(
    [...metrics.matchAll(new RegExp(`^${name}\\{(.*)\\} `, "gm"))].flatMap(([, labels = ""]) =>
      [...labels.matchAll(/(\w+)="/g)].map(([, label = ""]) => label),
    ),
  );
/** A series in an expression of Prometheus, with its selector. */
const series = /\b((?:wcs|process|nodejs)_\w+)(?:\{([^}]*)\})?/g;

function expectServed(expressions: readonly string[]): void {
  for (const expression of expressions) {
    for (const [, name = "", selector = ""] of expression.matchAll(series)) {
      expect(served(), expression).toContain(name);
      for (const [, label = "", value = ""] of selector.matchAll(/(\w+)[=!]~?="?([^",]*)|(\w+)="([^"]*)"/g)) {
        if (label === "" || label === "job") continue;
        expect(labelsOf(name), expression).toContain(label);
        if (label === "what") expect(metrics, expression).toContain(`what="${value}"`);
      }
    }
  }
}

describe("monitoring as in examples/operations", () => {
  it("the alert rules use only metrics that the program serves", () => {
    const { groups } = parse(example("wcs-alerts.yml")) as { groups: { rules: { alert: string; expr: string }[] }[] };
    const rules = groups.flatMap(({ rules }) => rules);
    expect(rules.length).toBeGreaterThan(5);
    expectServed(rules.map(({ expr }) => expr));
    for (const { expr } of rules) expect(expr.replaceAll(/\bup\b/g, "process_up")).toMatch(series);
  });

  it("the dashboard uses only metrics that the program serves", () => {
    const { panels } = JSON.parse(example("grafana-dashboard.json")) as { panels: { targets: { expr: string }[] }[] };
    const expressions = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
    expect(expressions.length).toBeGreaterThan(7);
    expectServed(expressions);
    for (const expression of expressions) expect(expression).toMatch(series);
  });

  it("Grafana can show the dashboard: panels side by side, each with queries of the data source that it asks for", () => {
    const { panels, templating, schemaVersion } = JSON.parse(example("grafana-dashboard.json")) as Dashboard;
    expect(schemaVersion).toBeGreaterThanOrEqual(39);
    expect(templating.list).toEqual([expect.objectContaining({ name: "datasource", type: "datasource" })]);
    const chosen = { type: "prometheus", uid: "$" + "{datasource}" };
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) => {
      expect(x + w).toBeLessThanOrEqual(24);
      return Array.from({ length: w * h }, (_, at) => `${x + (at % w)}/${y + Math.floor(at / w)}`);
    });
    expect(new Set(cells).size).toBe(cells.length);
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    for (const { title, type, datasource, targets, fieldConfig } of panels) {
      expect({ title, type, datasource }).toEqual({
        title: expect.stringMatching(/./),
        type: "timeseries",
        datasource: chosen,
      });
      expect(fieldConfig).toMatchObject({ defaults: { unit: expect.any(String) }, overrides: [] });
      expect(new Set(targets.map(({ refId }) => refId)).size).toBe(targets.length);
      for (const target of targets)
        expect(target).toMatchObject({ datasource: chosen, legendFormat: expect.any(String) });
    }
  });

  it("the manual names every metric of the program, and no other", () => {
    const [, table = ""] = manual().split("| Metric | Contents |");
    const named = [...(table.split("\n\n")[0] ?? "").matchAll(/^\| (.*?) \|/gm)].flatMap(([, cell = ""]) =>
      [...cell.matchAll(/`(\w+)\*?`/g)].map(([, name = ""]) => name),
    );
    const own = [...metrics.matchAll(/^# TYPE (wcs_\w+)/gm)].map(([, name]) => name);
    expect(named.filter((name) => name.startsWith("wcs_")).sort()).toEqual(own.sort());
    const values = [...metrics.matchAll(/^wcs_waiting\{what="(\w+)"\}/gm)].map(([, value = ""]) => value);
    for (const value of values) expect(table).toContain(`\`${value}\``);
  });

  it("the probes that the manual names answer", async () => {
    for (const path of ["/healthz", "/readyz"]) {
      expect(manual()).toContain(`| \`${path}\` |`);
      expect((await fetch(`${server.url}${path}`)).status).toBe(200);
    }
  });

  it("the manual describes the fields of the log, and no others", async () => {
    await home().wcs(["users", "welcome", "bob@example.com"]);
    await expect.poll(() => mailbox.mails.length).toBe(1);
    await mailbox.close();
    await home().wcs(["users", "welcome", "bob@example.com"]);
    await expect.poll(() => server.log().some(({ reason }) => reason !== undefined)).toBe(true);
    server.process.kill("SIGTERM");
    await once(server.process, "close");
    const lines = server.log();
    expect(lines.map(({ msg }) => msg)).toEqual(
      expect.arrayContaining(["request", "mail sent", "mail not sent", "finishing"]),
    );
    const [, table = ""] = manual().split("| Field | Contents |");
    const described = [...table.matchAll(/^\| (.*?) \|/gm)].flatMap(([, cell = ""]) =>
      [...cell.matchAll(/`(\w+)`/g)].map(([, name = ""]) => name),
    );
    const seen = new Set(lines.flatMap((line) => Object.keys(line)));
    // Only failures of the program itself have an `err`.
    expect(described.sort()).toEqual([...seen, "err"].sort());
    expect(JSON.stringify(lines)).not.toMatch(/bob@example|token=/);
  });
});
