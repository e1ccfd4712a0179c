import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { type ReplayWorkerOptions, Worker } from '@temporalio/worker';
import { inOneThread } from '../../support/one-thread';
import { workflowBundlePath } from '../../support/temporal';
import { readRecorded, recordedHistories } from '../../support/recorded';

function replay(name: string, workflowBundle: ReplayWorkerOptions['workflowBundle']): Promise<void> {
  const { history } = readRecorded(name);
  // A scheduled run reads its due time from its ID.
  const id = history.events[0]?.workflowExecutionStartedEventAttributes?.workflowId;
  return inOneThread(() => Worker.runReplayHistory({ workflowBundle }, history, id));
}

describe('recorded run', () => {
  it.each(recordedHistories)('continues under this version: %s', async (name) => {
    await expect(replay(name, { codePath: workflowBundlePath() })).resolves.toBeUndefined();
  });
});

/** Changes of workflows that open runs could not take, each with a history that it breaks. */
const changes = [
  {
    change: 'another activity',
    shows: 'overwritten',
    from: /\.listRequested\(/g,
    to: '.listDesired(',
  },
  {
    change: 'a portal queue without slots',
    shows: 'portal-queue-left',
    from: /while\s?\(this\.holders\.length < this\.slots && this\.waiting\.length > 0\)/,
    to: 'while (false)',
  },
  {
    change: 'a banner that stays',
    shows: 'bound-with-a-banner',
    from: /async function takeDown\(.*\) \{/,
    to: '$& return;',
  },
];

describe('replay', () => {
  it.each(changes)('refuses $change', async ({ shows, from, to }) => {
    const code = readFileSync(workflowBundlePath(), 'utf8');
    // The bundle is too long to be printed if the text is missing.
    expect(from.test(code)).toBe(true);
    await expect(replay(shows, { code: code.replace(from, to) })).rejects.toThrow(/determinism/i);
  });
});
