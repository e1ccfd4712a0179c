import { describe, expect, it } from '@jest/globals';
import {
  askGuards,
  type Guard,
  guardList,
  type Subject,
} from '../../../../src/domain/transfer/guards/guard-list';
import {
  type GuardedRun,
  guardSteps,
  type Look,
  type Side,
} from '../../../../src/model/transfer/guard-steps';
import type { UndoneRun } from '../../../../src/domain/transfer/guards/portal';
import { facts } from '../facts';

/** The portals that a run works with: a restore only remembers where its snapshot came from. */
const guardedSides = {
  sync: ['source', 'target'],
  backup: ['source'],
  restore: ['target'],
  drill: ['target'],
  'drill with import': ['target'],
  rollback: ['target'],
} satisfies Record<GuardedRun, Side[]>;

/** What each look asks about. */
function subjectsOf(look: Look, run: GuardedRun) {
  switch (look) {
    case 'portals':
      return ['configuration', 'portal', ...(guardedSides[run].length > 1 ? ['pair'] : [])];
    case 'source group':
    case 'target group':
      return ['group'];
    case 'source disk':
    case 'target disk':
      return ['disk'];
    case 'snapshot':
      return ['pair', 'owners'];
    case 'items':
      return ['items', 'packages'];
    case 'store':
    case 'references':
    case 'record':
      return [look];
  }
}

const runs = Object.keys(guardSteps) as GuardedRun[];
const looksOf = (run: GuardedRun) => guardSteps[run].flat();
const listed = Object.entries(guardList) as [Subject, Guard<Subject>[]][];

describe('the list of guards', () => {
  it('has only guards that a run checks, and all runs that a guard names', () => {
    for (const [subject, guards] of listed) {
      const asking = runs.filter((run) =>
        looksOf(run).some((look) => subjectsOf(look, run).includes(subject)),
      );
      for (const { name, runs: named } of guards) {
        expect([name, asking.length > 0]).toEqual([name, true]);
        for (const run of named ?? []) expect([name, asking]).toEqual([name, expect.arrayContaining([run])]);
      }
    }
  });

  it.each(runs)('is checked by a %s for each portal and its group', (run) => {
    for (const side of guardedSides[run]) expect(looksOf(run)).toContain(`${side} group`);
    for (const side of ['source', 'target'])
      if (!(guardedSides[run] as string[]).includes(side))
        expect(looksOf(run).filter((look) => look.startsWith(side))).toEqual([]);
  });

  it('checks the disk for every run that writes', () => {
    expect(runs.filter((run) => !looksOf(run).some((look) => look.endsWith('disk')))).toEqual(['rollback']);
  });

  it('rechecks what may change while a run waits', () => {
    const again = listed.flatMap(([subject, guards]) =>
      guards.filter((guard) => guard.again).map(({ name }) => `${subject}: ${name}`),
    );
    expect(again).toEqual([
      'configuration: configuration',
      'configuration: policy',
      'portal: writing',
      'portal: folder',
      'group: group',
      'group: account',
      'disk: disk',
    ]);
  });

  it('names each guard like its result', async () => {
    const [source, target] = [facts('staging'), facts('production')];
    const answers = await askGuards('pair', { source, target }, { run: 'drill with import' });
    expect(answers.map(({ name }) => name)).toEqual(['two portals', 'version order', 'scratch portal']);
  });

  it('accepts a restore to the portal of its snapshot', async () => {
    const one = facts('staging');
    const verdicts = async (run: GuardedRun) =>
      (await askGuards('pair', { source: one, target: one }, { run })).map(
        ({ verdict, code }) => code ?? verdict,
      );
    expect(await verdicts('restore')).toEqual(['pass']);
    expect(await verdicts('drill')).toEqual(['SAME_PORTAL', 'pass']);
    expect(await verdicts('sync')).toEqual(['SAME_PORTAL', 'pass']);
    expect(await verdicts('drill with import')).toEqual(['SAME_PORTAL', 'pass', 'NOT_SCRATCH']);
  });

  it('refuses a worker with another portal, and shows both', async () => {
    const differing = ['production is https://a here, but https://b on the worker'];
    expect(await askGuards('configuration', { differing })).toMatchObject([
      { verdict: 'refuse', code: 'CONFIG_MISMATCH', saw: differing[0] },
    ]);
  });

  it('finds nothing to restore only if the record says so', async () => {
    const verdict = async (record?: UndoneRun) =>
      (await askGuards('record', { runId: 'sync-a', record }))[0]?.saw;
    expect(await verdict({ target: 'changed', plan: { overwrite: 0 } })).toBe('sync-a overwrote nothing');
    expect(await verdict({ target: 'untouched', plan: { overwrite: 3 } })).toBe('sync-a overwrote nothing');
    expect(await verdict({ target: 'changed', plan: { overwrite: 3 } })).toBe(
      'sync-a had 3 items to overwrite',
    );
    expect(await verdict()).toBe('sync-a left no record');
  });
});
