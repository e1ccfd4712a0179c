import { describe, expect, it } from '@jest/globals';
import { guardRemarks, phaseText } from '../../../../src/cli/run/render/phases';
import { phaseLines } from '../../../../src/service/run/phase-words';
import { progressWords } from '../../../../src/service/run/progress-words';
import { plainStyle } from '../../../../src/cli/terminal/style';
import { phasesUpTo, runRecordOf, secondsIn } from '../records';

const record = runRecordOf();

describe('phases', () => {
  const text = (phases = record.phases, now = secondsIn(300)) =>
    phaseLines(phases).map((line) => phaseText(line, plainStyle, now));

  it('are one line each, a job and its waiting together', () => {
    expect(text()).toEqual([
      'ok  guard      11.2 -> 11.4, 14 items                                       0.8s',
      'ok  export     14 of 16 items                                              41.2s',
      'ok  download   1.9 GB, sha256 6d1f..9c                                      9.1s',
      'ok  upload     1.9 GB, 38 parts                                            11.4s',
      'ok  preview    14 rows                                                      1.3s',
      'ok  approve    a.brandt@desk                                               22.0s',
      'ok  safeguard  6 items, 84 MB                                               8.7s',
      'ok  import     11 imported                                                 2m31s',
      'ok  verify     11 items                                                     6.2s',
      'ok  cleanup    nothing of ours left                                         0.9s',
    ]);
  });

  it('show a job as running from its start to the end of the waiting', () => {
    const between = text(phasesUpTo('import'), secondsIn(100));
    expect(between[7]).toMatch(/^ > {2}import/);
    expect(text(phasesUpTo('wait-import', 'running'), secondsIn(170))[7]).toMatch(/^ > {2}import .* 1m12s$/);
    expect(text(phasesUpTo('wait-import', 'failed'))[7]).toMatch(/^!! {2}import/);
    expect(text(phasesUpTo('approve', 'waiting'), secondsIn(70))[5]).toMatch(
      /^ \? {2}approve {4}waits for an approval .* 3\.0s$/,
    );
  });
});

describe('a phase that did not go through', () => {
  it('has the same line before and after the run is closed, also where the wait that shares it never began', () => {
    const failed = phasesUpTo('export', 'failed');
    const closed = failed.map((phase) =>
      phase.status === 'pending' ? ({ ...phase, status: 'skipped' } as const) : phase,
    );
    expect(phaseLines(failed)[1]).toEqual(phaseLines(closed)[1]);
    expect(phaseLines(failed)[1]).toMatchObject({ status: 'failed', finishedAt: expect.any(String) });
  });

  it('has a line for each of several guards that refuse', () => {
    const phases = phasesUpTo('guard', 'failed').map((phase) =>
      phase.name === 'guard' ? { ...phase, detail: 'version order: too old\ndisk on staging: full' } : phase,
    );
    const guards = [
      { name: 'version order', verdict: 'refuse', saw: 'too old', needs: '11.4' },
      { name: 'account on production', verdict: 'pass', saw: 'owner' },
      { name: 'disk on staging', verdict: 'refuse', saw: 'full' },
    ] as const;
    expect(phaseText(phaseLines(phases)[0]!, plainStyle, secondsIn(1))).toMatch(
      /^!! {2}guard {6}version order: too old \(and 1 more\) +0\.8s$/,
    );
    expect(guardRemarks({ guards: [...guards] }, plainStyle)).toEqual([
      '!!             version order: too old; needed: 11.4',
      '!!             disk on staging: full',
    ]);
    expect(guardRemarks({ guards: guards.slice(0, 2) }, plainStyle)).toEqual([]);
  });

  it('is left out, not done, where its plan was sent back', () => {
    const phases = phasesUpTo('import', 'skipped').map((phase) =>
      phase.name === 'import' ? { ...phase, detail: 'the plan changed and was not imported' } : phase,
    );
    expect(phaseText(phaseLines(phases)[7]!, plainStyle, secondsIn(300))).toBe(
      ' -  import     the plan changed and was not imported',
    );
  });
});

describe('progress', () => {
  it.each([
    [{ bytes: 1_288_490_188, total: 2_040_109_466, parts: 12 }, '1.2 GB of 1.9 GB, 63 %  12 parts'],
    [{ lastStatus: 'processing', polls: 7, consecutiveErrors: 0 }, 'job "processing"'],
    [
      { lastStatus: 'processing', polls: 7, consecutiveErrors: 3 },
      'job "processing"  3 failed polls in a row',
    ],
    [undefined, 'attempt 4: the connection broke'],
  ])('of %j is said as: %s', (details, words) => {
    expect(progressWords({ type: 'any', attempt: 4, details, lastFailure: 'the connection broke' })).toBe(
      details !== undefined && 'bytes' in details ? `${words}  attempt 4: the connection broke` : words,
    );
  });

  it('of a transfer tells its rate and the time left, but not of what an earlier attempt began', () => {
    const transfer = { type: 'any', attempt: 1, details: { bytes: 1.5 * 1024 ** 3, total: 2 * 1024 ** 3 } };
    expect(progressWords({ ...transfer, scheduledAt: 0 }, 30_000)).toBe(
      '1.5 GB of 2 GB, 75 %, 51.2 MB/s, 10.0s left',
    );
    expect(progressWords({ ...transfer, scheduledAt: 0, attempt: 2 }, 30_000)).toBe('1.5 GB of 2 GB, 75 %');
    expect(progressWords(transfer, 30_000)).toBe('1.5 GB of 2 GB, 75 %');
  });
});
