import ms from 'ms';
import { looks, metricTable, requestDuration } from '../../../src/serve/metrics/metric-table';
import { routineKinds } from '../../../src/service/metrics/last-successes';
import { heldAges, heldStates, openStates } from '../../../src/service/metrics/open-figures';
import { ledgerLists } from '../../../src/model/transfer/ledger-lists';
import { isOpenStatus, runStatuses } from '../../../src/model/run/phase';
import { directions } from '../../../src/model/run/portal-queue';
import { table, writtenBy } from './table';

export const metricsPage = (): string => `# Metrics

${writtenBy('the table of metrics')}

Served by \`portolan serve\` and \`portolan up\` at \`/metrics\`. All values are gauges, read from Temporal and the store: they survive restarts, and several servers report the same, so query \`max by (…)\`. An age is \`time() - …_timestamp_seconds\`. Values that cannot be read are absent; values about the past stay. \`portolan_temporal_up\` and \`portolan_store_up\` tell why. See [alerts](../guide/alerts.md) for what to do, and [observability](../guide/observability.md) for setup and worker metrics.

${tables()}

\`${requestDuration.name}\` is a histogram (${spans(requestDuration.labels)}): ${requestDuration.help}. It and the Node.js metrics (\`process_…\`, \`nodejs_…\`) are per process.

All scrapes share one read. A scrape waits up to six seconds for it, then returns the previous values.

## Labels

\`route\`, \`pipeline\`, \`stage\` and \`portal\` are names from the configuration. No label names a run, an item or a person.

${table(['Label', 'Values'], labelRows())}
`;

const spans = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(', ');

const tables = () =>
  [...new Set(Object.values(looks).map(({ maxAgeMs }) => maxAgeMs))]
    .map((maxAgeMs) => {
      const rows = table(['Metric', 'Meaning'], rowsOf(maxAgeMs));
      return `## Up to ${ms(maxAgeMs, { long: true })} old\n\n${rows}`;
    })
    .join('\n\n');

const rowsOf = (maxAgeMs: number) =>
  Object.entries(metricTable)
    .filter(([, { look }]) => looks[look].maxAgeMs === maxAgeMs)
    .map(([name, { help, labels }]) => [
      `\`portolan_${name}${labels.length === 0 ? '' : `{${labels.join(',')}}`}\``,
      help,
    ]);

const labelRows = () => [
  ['`direction`', spans(directions)],
  ['`receiver`', 'names of `notify`, or their positions'],
  ['`status`', `${spans(openStates)}; for held runs ${spans(heldStates)}`],
  ['`age`', spans(heldAges.map(({ age: each }) => each))],
  ['`outcome`', spans(runStatuses.filter((status) => !isOpenStatus(status)))],
  ['`kind`', `${spans(routineKinds)}; for \`portolan_ended_runs\` every kind of run`],
  ['`phase`', 'phases of a run'],
  ['`list`', `${spans(ledgerLists)}; \`saved\``],
];
