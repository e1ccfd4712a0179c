import { describe, expect, it } from '@jest/globals';
import { PortolanError } from '../../../src/model/errors/errors';
import { failureText } from '../../../src/cli/terminal/output';
import { plainStyle, styleFor } from '../../../src/cli/terminal/style';
import { phasesUpTo, runRecordOf, secondsIn } from './records';
import { endingSheet } from '../../../src/service/run/run-sheet';
import { exitStatusOf } from '../../../src/service/run/run-view';
import { drawn } from '../../support/drawn';

const record = runRecordOf();

describe('the ending of a run', () => {
  it('shows the outcome, the target, and what to type next', () => {
    expect(drawn(endingSheet(record))).toBe(
      `PARTIAL in 4m16s. 311 imported, 1 kept, 1 blocked, 1 finding. Target: changed. Exit status 3.

details  portolan run show k7q2`,
    );
  });

  it('names the command that checks known findings again', () => {
    const { verification } = record;
    const findings = [verification?.findings].flat().map((each) => ({ ...each, foundBy: 'sync-roads-m3p8' }));
    const same = Array.from({ length: 11 }, (_, id) => ({ itemId: String(id) }));
    const none = { imported: [], kept: [], blocked: [], skipped: [], failed: [], unaccounted: [] };
    const unchanged = runRecordOf({
      target: 'untouched',
      package: undefined,
      items: { ...none, same },
      verification: verification && ({ ...verification, checked: 0, findings } as typeof verification),
    });
    expect(drawn(endingSheet(unchanged))).toBe(
      `PARTIAL in 4m16s. Unchanged, 11 same, 1 finding. Target: unchanged. Exit status 3.

recheck  portolan sync transport --full
details  portolan run show k7q2`,
    );
  });

  it('names the plan that can be approved', () => {
    const waiting = runRecordOf({
      status: 'waiting',
      target: 'untouched',
      finishedAt: undefined,
      phases: phasesUpTo('approve', 'waiting'),
      items: undefined,
      verification: undefined,
    });
    expect(drawn(endingSheet(waiting), { now: secondsIn(70) })).toBe(
      `WAITING after 1m10s. Waiting for approval. Target: unchanged. Exit status 4.

plan     portolan run show k7q2 --plan
approve  portolan run approve k7q2 --plan b41c-77e0-19aa
reject   portolan run reject k7q2`,
    );
  });

  it('shows code, message and hint of a failed run', () => {
    const failed = runRecordOf({
      status: 'failed',
      target: 'untouched',
      items: undefined,
      verification: undefined,
      package: undefined,
      warnings: ['the run record could not be written'],
      error: {
        origin: 'target',
        kind: 'permanent',
        code: 'GROUP_NOT_FOUND',
        message: 'no group 47ab on production',
        hint: 'Check the group id.',
      },
    });
    expect(drawn(endingSheet(failed))).toBe(
      `FAILED in 4m16s. Target: unchanged. Exit status 10.
why      GROUP_NOT_FOUND no group 47ab on production (permanent, target)
fix      Check the group id.

warning the run record could not be written

details  portolan run show k7q2`,
    );
  });

  it.each([
    ['CANCELLED', 'the run was cancelled'],
    ['REJECTED', 'a.brandt@desk rejected plan b41c-77e0-19aa: not today'],
  ])('is one line for a run that a person ended: %s', (code, message) => {
    const error = { origin: 'tool', kind: 'permanent', code, message, hint: 'The run is over.' } as const;
    const ended = runRecordOf({ status: 'cancelled', items: undefined, verification: undefined, error });
    expect(drawn(endingSheet(ended)).split('\n').slice(1)).toEqual([
      `why      ${code} ${message}`,
      '',
      'details  portolan run show k7q2',
    ]);
  });

  it('has a line for each guard that refused', () => {
    const message = 'version order: 11.4 -> 11.2; needed: 11.4\ndisk on production: 3 GB; needed: 10 GB';
    const error = { origin: 'tool', kind: 'permanent', code: 'TARGET_OLDER', message, hint: 'Ask.' } as const;
    const refused = runRecordOf({ status: 'failed', items: undefined, verification: undefined, error });
    expect(drawn(endingSheet(refused)).split('\n').slice(1, 4)).toEqual([
      'why      TARGET_OLDER version order: 11.4 -> 11.2; needed: 11.4 (permanent, tool)',
      '         disk on production: 3 GB; needed: 10 GB',
      'fix      Ask.',
    ]);
  });

  it('names the command that removes a left package', () => {
    const phases = phasesUpTo('cleanup', 'failed').map((phase) =>
      phase.name === 'cleanup' ? { ...phase, detail: 'left: production: 1a2b: not allowed' } : phase,
    );
    expect(
      drawn(endingSheet(runRecordOf({ phases })))
        .split('\n')
        .slice(-2),
    ).toEqual(['clean    portolan clean production --yes', 'details  portolan run show k7q2']);
  });

  it.each([
    ['succeeded', undefined, 0],
    ['nothing-to-do', undefined, 0],
    ['running', undefined, 0],
    ['partial', undefined, 3],
    ['waiting', undefined, 4],
    ['parked', undefined, 4],
    ['cancelled', 'REJECTED', 5],
    ['failed', undefined, 1],
    ['failed', 'JOB_FAILED', 1],
    ['failed', 'CREDENTIALS_REFUSED', 12],
    ['failed', 'PLAN_CHANGED', 1],
    ['failed', 'of a later version', 1],
  ] as const)('of a %s run (%s) exits with %d [P20]', (status, code, exit) => {
    const error = code && ({ origin: 'tool', kind: 'permanent', code, message: '', hint: '' } as const);
    expect(exitStatusOf(runRecordOf({ status, error }))).toBe(exit);
  });
});

describe('an error', () => {
  it('shows what was seen, the portal message and what to do [P20]', () => {
    const error = new PortolanError('CREDENTIALS_REFUSED', 'staging refused the user "sync".', {
      portalWords: 'Invalid username or password.',
    });
    expect(failureText(error, plainStyle)).toBe(
      `error CREDENTIALS_REFUSED  staging refused the user "sync".
  portal message: "Invalid username or password."
  Check this portal's user name and password in portolan.yaml.`,
    );
  });

  it.each([
    [{ isTTY: true }, {}, true],
    [{ isTTY: true }, { NO_COLOR: '1' }, false],
    [{ isTTY: true }, { TERM: 'dumb' }, false],
    [{}, {}, false],
  ])('has colors only on a terminal that shows them: %j %j', (stream, env, colored) => {
    expect(styleFor(stream, env).colors.isColorSupported).toBe(colored);
  });
});
