import { describe, expect, it } from '@jest/globals';
import type { RunRecord } from '../../../src/model/run/run';
import { phaseLines, phaseTable } from '../../../src/service/run/phases-sheet';
import { progressWords } from '../../../src/service/run/progress-words';
import { drawn } from '../../support/drawn';
import { phasesUpTo, runRecordOf, secondsIn, viewOf } from './records';

/** The lines of the phases of a run. */
function text(changes: Partial<RunRecord>, now = secondsIn(300)) {
  const record = runRecordOf(changes);
  return drawn([phaseTable(viewOf(record, { open: true, source: 'run' }))], { now }).split('\n');
}

describe('phases', () => {
  it('have one line each, a job together with its wait', () => {
    expect(text({})).toEqual([
      'ok  guard       0.8s    11.2 -> 11.4, 14 items',
      'ok  export      41.2s   14 of 16 items',
      'ok  download    9.1s    1.9 GB, sha256 6d1f..9c',
      'ok  upload      11.4s   1.9 GB, 38 parts',
      'ok  preview     1.3s    14 rows',
      'ok  approve     22.0s   a.brandt@desk',
      'ok  safeguard   8.7s    6 items, 84 MB',
      'ok  import      2m31s   11 imported',
      'ok  verify      6.2s    11 items',
      'ok  cleanup     0.9s    nothing of ours left',
    ]);
  });

  it('show a job as running until its wait ends', () => {
    const between = text({ phases: phasesUpTo('import') }, secondsIn(100));
    expect(between[7]).toMatch(/^ > {2}import/);
    expect(text({ phases: phasesUpTo('wait-import', 'running') }, secondsIn(170))[7]).toMatch(
      /^ > {2}import +1m12s /,
    );
    expect(text({ phases: phasesUpTo('wait-import', 'failed') })[7]).toMatch(/^!! {2}import/);
    expect(text({ phases: phasesUpTo('approve', 'waiting') }, secondsIn(70))[5]).toMatch(
      /^ \? {2}approve +3\.0s +waiting for approval$/,
    );
  });
});

describe('a failed phase', () => {
  it('has the same line before and after the run is closed', () => {
    const failed = phasesUpTo('export', 'failed');
    const closed = failed.map((phase) =>
      phase.status === 'pending' ? ({ ...phase, status: 'skipped' } as const) : phase,
    );
    expect(phaseLines(failed)[1]).toEqual(phaseLines(closed)[1]);
    expect(phaseLines(failed)[1]).toMatchObject({ status: 'failed', finishedAt: expect.any(String) });
  });

  it('counts further guards that refused', () => {
    const phases = phasesUpTo('guard', 'failed').map((phase) =>
      phase.name === 'guard' ? { ...phase, detail: 'version order: too old\ndisk on staging: full' } : phase,
    );
    expect(text({ phases }, secondsIn(1))[0]).toMatch(
      /^!! {2}guard +0\.8s +version order: too old \(and 1 more\)$/,
    );
  });

  it('is skipped if its plan was sent back', () => {
    const phases = phasesUpTo('import', 'skipped').map((phase) =>
      phase.name === 'import' ? { ...phase, detail: 'the plan changed and was not imported' } : phase,
    );
    expect(text({ phases })[7]).toBe(' -  import              the plan changed and was not imported');
  });
});

describe('progress', () => {
  it.each([
    [{ bytes: 1_288_490_188, total: 2_040_109_466, parts: 12 }, '1.2 GB of 1.9 GB, 63 %, 12 parts'],
    [{ lastStatus: 'processing', consecutiveErrors: 0 }, 'job "processing"'],
    [{ lastStatus: 'processing', consecutiveErrors: 3 }, 'job "processing", 3 failed polls in a row'],
    [undefined, 'attempt 4: the connection broke'],
  ])('of %j reads: %s', (details, words) => {
    expect(progressWords({ type: 'any', attempt: 4, details, lastFailure: 'the connection broke' })).toBe(
      details !== undefined && 'bytes' in details ? `${words}, attempt 4: the connection broke` : words,
    );
  });

  it('shows rate and time left of a first attempt only', () => {
    const transfer = { type: 'any', attempt: 1, details: { bytes: 1.5 * 1024 ** 3, total: 2 * 1024 ** 3 } };
    expect(progressWords({ ...transfer, scheduledAt: 0 }, 30_000)).toBe(
      '1.5 GB of 2 GB, 75 %, 51.2 MB/s, 10.0s left',
    );
    expect(progressWords({ ...transfer, scheduledAt: 0, attempt: 2 }, 30_000)).toBe('1.5 GB of 2 GB, 75 %');
    expect(progressWords(transfer, 30_000)).toBe('1.5 GB of 2 GB, 75 %');
  });
});
