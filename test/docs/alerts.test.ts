import { describe, expect, it } from '@jest/globals';
import { metricTable, requestDuration } from '../../src/serve/metrics/metric-table';
import { alerts, metricsIn, questions } from '../ops/observed';
import { readPage, sectionOf } from './pages';

const page = 'docs/guide/alerts.md';

/** What `portolan serve` tells, by the names that Prometheus gives it. */
const told = new Map<string, readonly string[]>([
  ...Object.entries(metricTable).map(([name, { labels }]) => [`portolan_${name}`, labels] as const),
  ...['bucket', 'count', 'sum'].map(
    (part) => [`${requestDuration.name}_${part}`, [...requestDuration.labels, 'le']] as const,
  ),
]);

/** Labels by which a question sorts, or chooses. */
const labelsIn = (expr: string) =>
  [...expr.matchAll(/\b(?:by|on) \(([^)]*)\)|\{(\w+)=/g)].flatMap(([, sorts = '', chooses]) => [
    ...sorts.split(',').map((label) => label.trim()),
    ...(chooses === undefined ? [] : [chooses]),
  ]);

describe.each([...alerts().map(({ alert, expr }) => ({ title: alert, expr })), ...questions()])(
  '$title: $expr',
  ({ expr }) => {
    it('asks for existing metrics and labels', () => {
      const names = metricsIn(expr);
      expect(names).not.toEqual([]);
      expect(names.filter((name) => !told.has(name))).toEqual([]);
      const known = new Set(['', ...names.flatMap((name) => told.get(name) ?? [])]);
      expect(labelsIn(expr).filter((label) => !known.has(label))).toEqual([]);
    });
  },
);

describe('an alert', () => {
  it.each(alerts())('has a section of the guide with a command: $alert', ({ alert, annotations }) => {
    expect(annotations.runbook_url).toBe(`${page}#${alert.toLowerCase()}`);
    expect(annotations.summary).toMatch(/\.$/);
    expect(sectionOf(readPage(page), alert)).toMatch(/^ {4}(portolan|curl) /m);
  });

  it('exists for each section of the guide', () => {
    const sections = [...readPage(page).matchAll(/^## (.+)$/gm)].map(([, heading]) => heading);
    expect(sections).toEqual(alerts().map(({ alert }) => alert));
  });
});

describe('the dashboard', () => {
  it('shows each metric', () => {
    const shown = new Set(questions().flatMap(({ expr }) => metricsIn(expr)));
    const missing = Object.keys(metricTable).filter((name) => !shown.has(`portolan_${name}`));
    expect(missing).toEqual([]);
  });
});
