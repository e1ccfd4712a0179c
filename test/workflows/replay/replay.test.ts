import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { type ReplayWorkerOptions, Worker } from '@temporalio/worker';
import { inOneThread } from '../../support/one-thread';
import { workflowBundlePath } from '../../support/temporal';
import { readRecorded, recordedHistories } from '../../support/recorded';

/** Replays histories. @returns why each of them failed, if it did, in their order */
async function replay(
  names: readonly string[],
  workflowBundle: ReplayWorkerOptions['workflowBundle'],
): Promise<(Error | undefined)[]> {
  const histories = names.map((name) => {
    const { history } = readRecorded(name);
    // A scheduled run reads its due time from its ID.
    const workflowId = history.events[0]?.workflowExecutionStartedEventAttributes?.workflowId ?? name;
    return { workflowId, history };
  });
  return await inOneThread(async () => {
    const errors: (Error | undefined)[] = [];
    for await (const { error } of Worker.runReplayHistories({ workflowBundle }, histories))
      errors.push(error);
    return errors;
  });
}

describe('recorded run', () => {
  let errors: (Error | undefined)[];
  beforeAll(async () => {
    errors = await replay(recordedHistories, { codePath: workflowBundlePath() });
  });

  it.each(recordedHistories.map((name, at) => [name, at] as const))(
    'continues under this version: %s',
    (_name, at) => {
      expect(errors).toHaveLength(recordedHistories.length);
      expect(errors[at]).toBeUndefined();
    },
  );
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
    const [error] = await replay([shows], { code: code.replace(from, to) });
    expect(error?.message).toMatch(/determinism/i);
  });
});
