import { Gauge, type Registry } from 'prom-client';
import { type MetricMeaning, type MetricName, metricTable } from './metric-table';

type LabelsOf<N extends MetricName> = (typeof metricTable)[N]['labels'][number];

/** One value of a metric. */
export type Told<N extends MetricName> = { readonly value: number } & Readonly<Record<LabelsOf<N>, string>>;

/** A gauge for each metric of the table. */
export class Gauges {
  private readonly gauges: ReadonlyMap<string, Gauge>;

  constructor(registry: Registry) {
    const table: [string, MetricMeaning][] = Object.entries(metricTable);
    this.gauges = new Map(
      table.map(([name, { help, labels }]) => {
        const gauge = new Gauge({
          name: `portolan_${name}`,
          help,
          labelNames: [...labels],
          registers: [registry],
        });
        // A gauge without labels starts at 0, which would be wrong before the first read.
        if (labels.length === 0) gauge.remove();
        return [name, gauge];
      }),
    );
  }

  /** Replaces all values of a metric. Values not given are unknown and become absent. */
  tell<N extends MetricName>(name: N, ...all: readonly Told<N>[]): void {
    const gauge = this.gauges.get(name);
    if (gauge === undefined) return;
    gauge.reset();
    const meaning: MetricMeaning = metricTable[name];
    if (meaning.labels.length === 0) gauge.remove();
    for (const { value, ...labels } of all) gauge.set(labels as Record<string, string>, value);
  }

  /** Makes all metrics of a look absent. */
  forget(look: MetricMeaning['look']): void {
    for (const [name, meaning] of Object.entries(metricTable))
      if (meaning.look === look) this.tell(name as MetricName);
  }
}
