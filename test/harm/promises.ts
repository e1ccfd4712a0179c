import { expect } from '@jest/globals';
import type { RunRecord } from '../../src/model/run/run';
import type { Harm } from './harms';
import type { HarmSite } from './site';

const MB = 1024 ** 2;

/** What a process may hold more than it had at rest. @format bytes */
const GROWTH_MAX = 300 * MB;
/** @format bytes */
const FILE_MAX = 5_000_000;

/** All that a run leaves: its record, what that names, how it was started, and a whole package with its lists. */
const leftByRuns =
  /^(runs\/[^/]+\/(record|start|ledger|verification|created|plan-\d+|working\/.+)\.json|index\/(days|ends)\/[^/]+\/[^/]+\.json|packages\/[^/]+\/(\d+\.epk|keep\.json))$/;

/** What was measured of one harm. */
export interface Measured {
  readonly end: string;
  readonly seconds: number;
  /** Over what the process had at rest, so far. @format bytes */
  readonly grown: number;
  /** The largest file of the run in the store. @format bytes */
  readonly largest: number;
}

/** The one portal harms its own route and nobody else; a run that is parked is given up. */
export async function holdsPromises(
  site: HarmSite,
  harm: Harm,
  bad: RunRecord,
  since: number,
): Promise<Measured> {
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
  expect(grown).toBeLessThan(GROWTH_MAX);
  expect(site.lives).toBe(true);
  return { end, seconds, grown, largest };
}
