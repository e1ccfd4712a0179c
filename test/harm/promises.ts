import { expect } from '@jest/globals';
import type { RunRecord } from '../../src/model/run/run';
import type { Harm } from './harms';
import type { HarmSite } from './site';

const MB = 1024 ** 2;

/** What a process may hold more than it had at rest. @format bytes */
const GROWTH_MAX = 300 * MB;
/** @format bytes */
const FILE_MAX = 5_000_000;

/** The record and what it names: all that a run leaves whose package is not kept. */
const leftByRuns = /^runs\/[^/]+\/(record|ledger|verification|created|plan-\d+)\.json$/;

/** What was measured of one harm. */
interface Measured {
  readonly what: string;
  readonly end: string;
  readonly seconds: number;
  /** Over what the process had at rest, so far. @format bytes */
  readonly grown: number;
  /** The largest file of the run in the store. @format bytes */
  readonly largest: number;
}

function say({ what, end, seconds, grown, largest }: Measured): void {
  const figures = `${Math.round(seconds)} s, grown by ${Math.round(grown / MB)} MB, largest file ${largest} bytes`;
  process.stderr.write(`${what}: ${end}, ${figures}\n`);
}

/** The one portal harms its own route and nobody else; a run that is parked is given up. */
export async function holdsPromises(
  site: HarmSite,
  harm: Harm,
  bad: RunRecord,
  since: number,
): Promise<void> {
  const { error, runId, status } = bad;
  expect({ status, code: error?.code }).toEqual({ status: harm.ends, code: harm.code });
  if (harm.says) expect(error?.message).toMatch(harm.says);
  if (status === 'parked') await site.cancel(runId);
  const files = await site.files(runId);
  expect(files.map(({ file }) => file).filter((file) => !leftByRuns.test(file))).toEqual([]);
  const largest = Math.max(...files.map(({ bytes }) => bytes));
  expect(largest).toBeLessThan(FILE_MAX);
  const grown = await site.grown();
  const end = [status, error?.code].filter(Boolean).join(' ');
  const seconds = (performance.now() - since) / 1_000;
  say({ what: harm.what, end, seconds, grown, largest });
  expect(grown).toBeLessThan(GROWTH_MAX);
  expect(site.lives).toBe(true);
}
