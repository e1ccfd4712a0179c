import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { RunRecord } from '../../src/model/run/run';
import { requestedRunId } from '../../src/service/run/start-run';
import { shortRunId } from '../../src/model/run/run-id';
import { Site } from './site';

const slow = 240_000;

const endOf = (requestId: string): string => requestedRunId('sync', 'asks', requestId).slice(-1);
/** A request whose run ends in the same sign as that of `night`. */
const sameEnd = Array.from({ length: 1_000 }, (_, at) => `night-${at}`).find(
  (each) => endOf(each) === endOf('night'),
)!;

describe('answers to runs', () => {
  let site: Site;

  const waiting = async (...args: string[]): Promise<RunRecord> => {
    const runId = await site.sync('asks', ...args);
    await site.waits(runId);
    return await site.show(runId);
  };

  beforeAll(async () => {
    site = await Site.open({ imageBytes: 1024 ** 2 });
    await site.startUp();
  }, slow);
  afterAll(() => site.close());

  it(
    'are refused where the run is not there, not one, not waiting, or has another plan',
    async () => {
      const ended = await site.sync('free', '--plan-only');
      expect((await site.run('run', 'watch', ended)).status).toBe(0);
      const [one, twin] = [await waiting('--request-id', 'night'), await waiting('--request-id', sameEnd)];
      expect(one.runId.slice(-1)).toBe(twin.runId.slice(-1));
      expect(await site.sync('asks', '--request-id', 'night')).toBe(one.runId);
      const hash = one.plan!.hash;
      const short = shortRunId(one.runId);

      const refusals: readonly [readonly string[], number, string][] = [
        [['approve', 'nobody', '--plan', hash], 10, 'RUN_NOT_FOUND  No run "nobody".'],
        [['reject', 'nobody'], 10, 'RUN_NOT_FOUND  No run "nobody".'],
        [['cancel', 'nobody'], 10, 'RUN_NOT_FOUND  No run "nobody".'],
        [['watch', 'nobody'], 10, 'RUN_NOT_FOUND  No run "nobody".'],
        [['approve', one.runId.slice(-1), '--plan', hash], 2, 'USAGE  '],
        [['cancel', one.runId.slice(-1)], 2, 'USAGE  '],
        [['approve', short, '--plan', '0000-0000-0000'], 2, `waits with plan ${hash}, not 0000-0000-0000`],
        [['approve', ended, '--plan', hash], 2, `${ended} has ended; it accepts no decisions.`],
        [['reject', ended], 2, `${ended} has ended; it accepts no decisions.`],
        [['cancel', ended], 2, `${ended} has ended; it accepts no decisions.`],
      ];
      for (const [args, status, words] of refusals) {
        const refused = await site.run('run', ...args);
        expect(refused).toMatchObject({ status, stdout: '' });
        expect(refused.stderr).toContain(words);
      }
      expect((await site.show(one.runId)).status).toBe('waiting');

      expect((await site.run('run', 'reject', 'latest', '--reason', 'not today')).status).toBe(0);
      expect((await site.run('run', 'watch', twin.runId)).status).toBe(5);
      expect((await site.run('run', 'cancel', short)).status).toBe(0);
      const cancelled = await site.run('run', 'watch', one.runId);
      expect(cancelled.status).toBe(5);
      expect(await site.show(one.runId)).toMatchObject({ status: 'cancelled', target: 'untouched' });
    },
    slow,
  );
});
