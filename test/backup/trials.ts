import path from 'node:path';
import { expect } from '@jest/globals';
import { loadConfig } from '../../src/config/load-config';
import { emptyGroupId } from '../../src/simulator/seed/seeds';
import { openSnapshots, type Snapshots } from '../../src/domain/snapshot/snapshots';
import { report } from '../chaos/report';
import { Site, type SiteOptions } from '../chaos/site';
import { theWorker } from '../chaos/kills';
import type { Moment } from '../chaos/moments';
import { MissedMoment, type Scenario, type Trial, trial } from '../chaos/trial';

const MB = 1024 ** 2;
/** Bytes of what most groups here hold. */
export const imageBytes = 8 * MB;
/** So many that its package goes up in parts. */
export const largeImageBytes = 65 * MB;

/** Two portals, of which the target is the scratch portal of drills too, and a worker of its own. */
export async function openSite(options: SiteOptions = {}): Promise<{ site: Site; snapshots: Snapshots }> {
  const site = await Site.open({
    imageBytes,
    source: { jobPolls: 2 },
    target: { jobPolls: 2 },
    route: { backup: { keep: { last: 1 }, drill: { portal: 'production', group: emptyGroupId } } },
    targetPortal: { role: 'scratch' },
    ...options,
  });
  await site.staffWith('worker');
  return { site, snapshots: openSnapshots(loadConfig(path.join(site.folder, 'portolan.yaml'))) };
}

/** Runs of one kind, each of which loses its worker at another moment. Says on stderr what became of each. */
export async function killedAt(site: Site, moments: readonly Moment[], scenario: Scenario): Promise<Trial[]> {
  const only = process.env['PORTOLAN_MOMENT'];
  const trials: Trial[] = [];
  for (const moment of moments.filter(({ when }) => only === undefined || when.includes(only))) {
    const done = await caught(site, moment, scenario);
    trials.push(done);
    const { struckIn, parked, problems, record } = done;
    const told = [
      `struck in ${struckIn.map((each) => each ?? 'no phase').join()}`,
      ...parked.map((code) => `parked with ${code}, resumed`),
      record.status,
      ...problems.map((problem) => `\n    ${record.runId} ${problem}`),
    ];
    process.stderr.write(`${record.kind}: ${moment.when}: ${told.join(', ')}\n`);
  }
  return trials;
}

/** A busy machine looks at the store too seldom to catch each moment of it: such a moment is waited for again. */
const TRIES = 3;

async function caught(site: Site, moment: Moment, scenario: Scenario): Promise<Trial> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await trial(site, theWorker, moment, 0, scenario);
    } catch (thrown) {
      const mayBeMissed = thrown instanceof MissedMoment && 'store' in moment.at;
      if (!mayBeMissed || tries >= TRIES) throw thrown;
      process.stderr.write(`${thrown.message}; once more\n`);
    }
  }
}

/** Tells of trials, and holds that each kept every promise. */
export function hold(trials: readonly Trial[]): void {
  process.stderr.write(`${report(trials)}\n`);
  const broken = trials.filter(({ problems }) => problems.length > 0);
  expect(broken.map(({ record, moment, problems }) => [record.runId, moment.when, problems])).toEqual([]);
}
