import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { stringify } from 'yaml';
import { untilNextLook } from '../src/activities/transfer/jobs';
import { transportGroupId, transportTargetGroupId } from '../src/simulator/seed/transport';
import { connectTemporal } from '../src/temporal/connection';
import { actionsWithGates, billedOf, sumOf } from './billed-actions';
import { Child } from './child';
import type { PortalProcess } from './portal-process';
import { besideUp, configFor, syncOnce } from './whole-sync';

const HOUR_MS = 3_600_000;

/** What a run costs in actions of Temporal Cloud. Looks more than one at a job, which depend on the portal, are left out. */
export interface Actions {
  /** Of a sync that nothing disturbs, with its gates, by how it writes. */
  readonly sync: { readonly plain: number; readonly overwriting: number };
  /** Of the plain one, what its two gates cost beside its own history. */
  readonly gates: number;
  /** Looks at a job in its first hour. */
  readonly hourOfWaiting: number;
}

/** Counts the actions of two real syncs by their histories, beside a `portolan up` of their own. */
export async function countActions(folder: string): Promise<Actions> {
  const [source, target] = [
    new Child<PortalProcess>('portal-process'),
    new Child<PortalProcess>('portal-process'),
  ];
  const quick = { jobMs: 0, jobPolls: 0 };
  const start = (
    portal: typeof source,
    name: string,
    version: string,
    seed: 'transport' | 'transport-target',
  ) => portal.call('start', { ...quick, name, version, state: path.join(folder, `actions-${name}`), seed });
  try {
    const from = await start(source, 'staging', '11.2', 'transport');
    const to = await start(target, 'production', '11.4', 'transport-target');
    const ends = {
      source: { url: from.url, group: transportGroupId },
      target: { url: to.url, group: transportTargetGroupId },
    };
    const file = path.join(folder, 'portolan.yaml');
    const plain = await configFor(folder, ends);
    await writeFile(file, stringify(plain));
    return await besideUp(file, async () => {
      const once = await syncOnce(file);
      await writeFile(
        file,
        stringify({
          ...(await configFor(folder, ends, { overwrite: true, data: 'replace' })),
          temporal: plain.temporal,
        }),
      );
      const again = await syncOnce(file);
      const { client, connection } = await connectTemporal({ address: plain.temporal.address }, 'default');
      try {
        const [first, second] = [
          await actionsWithGates(client, once.runId),
          await actionsWithGates(client, again.runId),
        ];
        const own = await billedOf(client, once.runId);
        return {
          sync: { plain: sumOf(first) - first.retries, overwriting: sumOf(second) - second.retries },
          gates: sumOf(first) - sumOf(own),
          hourOfWaiting: looksIn(HOUR_MS),
        };
      } finally {
        await connection.close();
      }
    });
  } finally {
    await Promise.all([source.end(), target.end()]);
  }
}

/** How often a job is looked at that goes on for so long. */
function looksIn(jobMs: number): number {
  let looks = 0;
  for (let at = 0; at < jobMs; at += untilNextLook(at)) looks += 1;
  return looks;
}
