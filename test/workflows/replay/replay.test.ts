import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { type ReplayWorkerOptions, Worker } from '@temporalio/worker';
import { isLong } from '../../support/long';
import { inOneThread } from '../../support/one-thread';
import { workflowBundlePath } from '../../support/temporal';
import { readRecorded, recordedHistories } from '../../support/recorded';

function replay(name: string, workflowBundle: ReplayWorkerOptions['workflowBundle']): Promise<void> {
  const { history } = readRecorded(name);
  // A run that a schedule started reads from its id when it was due.
  const id = history.events[0]?.workflowExecutionStartedEventAttributes?.workflowId;
  return inOneThread(() => Worker.runReplayHistory({ workflowBundle }, history, id));
}

describe('a run that an earlier version began', () => {
  it.each(recordedHistories)('goes on under this one: %s', async (name) => {
    await expect(replay(name, { codePath: workflowBundlePath() })).resolves.toBeUndefined();
  });
});

/** A change of the workflows that runs under way could not take, and a history in which it shows. */
interface Mutation {
  readonly change: string;
  readonly shows: string;
  readonly from: RegExp;
  readonly to: string;
  /** `npm test` looks at it too, and `npm run test:faults` at all. @default false */
  readonly isTelling?: boolean;
}

const mutations: readonly Mutation[] = [
  {
    change: 'a step has another name',
    shows: 'overwritten',
    from: /\.listRequested\(/g,
    to: '.listDesired(',
    isTelling: true,
  },
  { change: 'a phase is dropped', shows: 'overwritten', from: /^\s+\S+\.safeguard,(?: \/\/.*)?$/gm, to: '' },
  {
    change: 'a phase is added',
    shows: 'overwritten',
    from: /^(\s+\S+\.waitImport),(?: \/\/.*)?$/gm,
    to: '$1, $1,',
  },
  {
    change: 'a wait for a slot is dropped',
    shows: 'queue-of-the-import',
    from: /async enter\(\{ portal, concurrency = \{[^}]*\} \}, direction\) \{/,
    to: '$& return false;',
  },
  {
    change: 'a portal queue gives no slot',
    shows: 'portal-queue-left',
    from: /while\s?\(this\.holders\.length < this\.slots && this\.waiting\.length > 0\)/,
    to: 'while (false)',
    isTelling: true,
  },
  {
    change: 'nobody is told of a parked run',
    shows: 'resumed',
    from: /await \(0,\s?\S+\.observe\)\('parked', run\);/,
    to: '',
  },
  {
    change: 'a run is not parked any more',
    shows: 'resumed',
    from: /!\(0,\s?\S+\.shouldPark\)\(run, thrown\)/,
    to: 'true',
  },
  {
    change: 'a resume looks at the portals no more',
    shows: 'resumed',
    from: /const portals = await guardAgain\(run, route\);/,
    to: 'const portals = {};',
  },
  {
    change: 'a night on which nothing changed exports all the same',
    shows: 'backup-unchanged',
    from: /then: 'end'/g,
    to: '',
  },
  {
    change: 'a backup looks at no policy',
    shows: 'backup',
    from: /\bretention\(input\)/,
    to: '...[]',
  },
  {
    change: 'a restore saves nothing of what it overwrites',
    shows: 'restore',
    from: /^\s+\S+\.safeguard,(?: \/\/.*)?$/gm,
    to: '',
  },
  {
    change: 'a rollback puts no copy back',
    shows: 'rollback',
    from: /\bputBack\(input\)/,
    to: '...[]',
  },
  {
    change: 'a rollback without a safeguard does not look whether there is something to restore',
    shows: 'rollback-of-what-only-created',
    from: /\bnothingOverwritten\(input\)/,
    to: '...[]',
  },
  {
    change: 'a drill is noted nowhere',
    shows: 'drill-with-import',
    from: /\bprove\(input\)/,
    to: '...[]',
  },
  {
    change: 'a drill leaves what it has imported',
    shows: 'drill-with-import',
    from: /run\.portalWork\.imports\.posted \? await takeAway\(run\) : undefined/,
    to: 'undefined',
  },
  {
    change: 'a scheduled run makes no room for the next one',
    shows: 'makes-room',
    from: /const next = await nextStart\(schedule\);/,
    to: 'const next = undefined;',
  },
  {
    change: 'an age is noted nowhere',
    shows: 'watch-age',
    from: /if \(note !== undefined\)/,
    to: 'if (false)',
  },
  {
    change: 'settings are not read back',
    shows: 'changed-settings',
    from: /nonCancellable\(\(\)\s?=>\s?check\(run, .*\)\)/,
    to: 'nonCancellable(async () => ({}))',
  },
  {
    change: 'a bisect closes no ledger',
    shows: 'bisected',
    from: /\.uniteLedgers\(/g,
    to: '.closeLedger(',
  },
  {
    change: 'a banner stays',
    shows: 'bound-with-a-banner',
    from: /async function takeDown\(.*\) \{/,
    to: '$& return;',
    isTelling: true,
  },
  {
    change: 'a task hears nothing',
    shows: 'bound-with-a-banner',
    from: /async function notifyTask\(run\) \{/,
    to: '$& return;',
  },
];

describe('a change that runs under way could not take', () => {
  it.each(mutations.filter(({ isTelling }) => isLong || isTelling))(
    'is noticed: $change',
    async ({ shows, from, to }) => {
      const code = readFileSync(workflowBundlePath(), 'utf8');
      // The bundle is too long to be printed where the text is not found.
      expect(from.test(code)).toBe(true);
      await expect(replay(shows, { code: code.replace(from, to) })).rejects.toThrow(/determinism/i);
    },
  );
});
