import ms from 'ms';
import {
  type Look,
  looks,
  type MetricMeaning,
  metricTable,
  requestDuration,
} from '../../../src/serve/metrics/metric-table';
import { routineKinds } from '../../../src/service/metrics/last-successes';
import { heldAges, heldStates, openStates } from '../../../src/service/metrics/open-figures';
import { ledgerLists } from '../../../src/model/transfer/ledger-lists';
import { isOpenStatus, runStatuses } from '../../../src/model/run/phase';
import { directions } from '../../../src/model/run/portal-queue';
import { table, writtenBy } from './table';

export const metricsPage = (): string => `# Metrics

${writtenBy('the table of metrics')}

What \`/metrics\` of \`portolan serve\` and of \`portolan up\` tells Prometheus. Each value is read from Temporal and the store, so it is true after any restart, and any number of servers tell the same: ask with \`max by (…)\`. They are gauges. An age is \`time() - …_timestamp_seconds\`. What cannot be looked at is absent, but for what lies in the past and stays so; \`portolan_temporal_up\` and \`portolan_store_up\` say why. [Alerts](../guide/alerts.md) is what to do about them; how a server is asked, and what workers tell besides, stands in [production](../guide/production.md#metrics).

${table(['Metric', 'Labels', 'Unit', 'What it says', 'By', 'At most so old'], rows())}

\`${requestDuration.name}\` is a histogram (${spans(requestDuration.labels)}): ${requestDuration.help}. It and what Node tells of itself (\`process_…\`, \`nodejs_…\`) are of one process, from its start on.

What is read together is read once for all who ask, at most that often. A scrape waits six seconds for it, and else has what was known before.

## Labels

There are as many values as the configuration has names; no run, item or person is one.

${table(['Label', 'Its values'], labelRows())}
`;

const spans = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(', ');

const rows = (): string[][] =>
  Object.entries<MetricMeaning>(metricTable).map(([name, { help, labels, unit, source, look }]) => [
    ...[`\`portolan_${name}\``, spans(labels), unit, help, source],
    age(look),
  ]);

const age = (look: Look): string => ms(looks[look], { long: true });

const labelRows = (): string[][] => [
  ['`route`', 'names of `routes`'],
  ['`pipeline`, `stage`', 'names of `pipelines` and of their stages'],
  ['`portal`', 'names of `portals`'],
  ['`direction`', spans(directions)],
  ['`receiver`', 'names of `notify`, or their places'],
  ['`status`', `${spans(openStates)}; of runs that wait for somebody ${spans(heldStates)}`],
  ['`age`', spans(heldAges.map(({ age: each }) => each))],
  ['`outcome`', spans(runStatuses.filter((status) => !isOpenStatus(status)))],
  ['`kind`', `${spans(routineKinds)}; of \`portolan_ended_runs\` every kind of run`],
  ['`phase`', 'phases of a run'],
  ['`list`', `${spans(ledgerLists)}; \`saved\``],
];
