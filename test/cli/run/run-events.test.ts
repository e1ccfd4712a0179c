import { describe, expect, it } from '@jest/globals';
import { historyFromJSON } from '@temporalio/common/lib/proto-utils';
import { eventsOf } from '../../../src/service/run/run-events';
import { eventTable } from '../../../src/service/run/run-sheet';
import { drawn } from '../../support/drawn';
import { readRecorded } from '../../support/recorded';

const told = (name: string) => eventsOf(historyFromJSON(readRecorded(name).history).events ?? []);

describe('what happened to a run', () => {
  it('is told step by step from its history, in words that people read, and with its time', () => {
    const events = told('overwritten');
    expect(events[0]).toMatchObject({ subject: 'run', what: 'started' });
    expect(events.at(-1)).toMatchObject({ kind: 'end', subject: 'run', what: 'ended' });
    const [, ...lines] = drawn([eventTable(events)]).split('\n');
    expect(lines).toHaveLength(events.length);
    expect(lines.filter((line) => !/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ {2}\S/.test(line))).toEqual([]);
  });

  it('tells what failed with its cause, and calls no look at a job under way a problem', () => {
    const problems = told('parked-at-the-import-undecided').filter(({ kind }) => kind === 'problem');
    expect(problems.length).toBeGreaterThan(0);
    expect(problems.filter(({ what }) => /is "processing"|for no reason/.test(what))).toEqual([]);
  });

  it('tells who answered it', () => {
    expect(told('resumed').filter(({ kind }) => kind === 'message')).toContainEqual(
      expect.objectContaining({ what: expect.stringMatching(/^resume /) }),
    );
  });
});
