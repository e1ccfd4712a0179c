import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';

const root = path.resolve(__dirname, '../..');

/** Files of `ops/`. */
export const files = {
  dashboard: path.join(root, 'ops/grafana/portolan.json'),
  rules: path.join(root, 'ops/prometheus/portolan.rules.yml'),
  testsOfRules: path.join(root, 'ops/prometheus/portolan.rules.test.yml'),
} as const;

export interface Alert {
  readonly alert: string;
  readonly expr: string;
  readonly annotations: { readonly summary: string; readonly runbook_url: string };
}

/** The alarms, in their order. */
export function alerts(): readonly Alert[] {
  const { groups } = parse(readFileSync(files.rules, 'utf8')) as { groups: { rules: Alert[] }[] };
  return groups.flatMap(({ rules }) => rules);
}

interface Panel {
  readonly title: string;
  readonly targets?: readonly { readonly expr: string }[];
}

/** Each question of the dashboard, with the title of its panel. */
export function questions(): readonly { readonly title: string; readonly expr: string }[] {
  const { panels } = JSON.parse(readFileSync(files.dashboard, 'utf8')) as { panels: Panel[] };
  return panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ title, expr })));
}

/** Names of our metrics in a question. */
export const metricsIn = (expr: string): string[] => expr.match(/\bportolan_\w+/g) ?? [];
