import { expect } from '@jest/globals';
import type { RunRecord } from '../../src/model/run';
import type { Kill } from './kills';
import type { Moment } from './moments';
import { Site } from './site';

/** A run goes on within this time after `portolan up` listens again. */
const goesOnWithinMs = 60_000;

/** Time until the run made its first request to a portal after what was killed was back. @format milliseconds */
export async function killed(site: Site, kill: Kill, moment: Moment, runId: string): Promise<number> {
  await moment.reached(site, runId);
  const killedAt = Date.now();
  await kill.happen(site);
  const backAt = Date.now();
  await moment.goOn?.(site, runId);
  return (await firstRequestAfter(site, killedAt)) - backAt;
}

async function firstRequestAfter(site: Site, killedAt: number): Promise<number> {
  for (;;) {
    const times = [site.source, site.target]
      .flatMap((portal) => portal.requests().map(({ at }) => Date.parse(at)))
      .filter((at) => at > killedAt);
    if (times.length > 0) return Math.min(...times);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Waits for the run, and expects of it what every run that survived has come to. */
export async function expectWholeRun(site: Site, runId: string): Promise<RunRecord> {
  const ended = await site.run('run', 'watch', runId, '-o', 'json');
  const record = JSON.parse(ended.stdout) as RunRecord;
  expect(record).toMatchObject({ status: 'succeeded', target: 'changed' });
  // The account of these routes is no administrator, and may not read disk figures.
  expect(record.warnings.filter((warning) => !warning.startsWith('disk on '))).toEqual([]);
  expect(record.items?.imported).toHaveLength(2);
  expect(ended.status).toBe(0);
  expect(site.source.requests('group.export')).toHaveLength(1);
  expect(site.target.importsPosted()).toHaveLength(1);
  expect([await site.source.packages(), await site.target.packages()]).toEqual([[], []]);
  return record;
}

/** One run, one kill: everything that is promised of it. */
export async function expectSurvival(kill: Kill, moment: Moment): Promise<void> {
  const site = await Site.open(moment.play);
  try {
    await kill.before(site);
    const runId = await site.sync(moment.route);
    const waitedMs = await killed(site, kill, moment, runId);
    process.stderr.write(
      `kill -9 of ${kill.of}, while ${moment.when}: goes on after ${(waitedMs / 1000).toFixed(1)} s\n`,
    );
    expect(waitedMs).toBeLessThan(goesOnWithinMs);
    await expectWholeRun(site, runId);
  } finally {
    await site.close();
  }
}
