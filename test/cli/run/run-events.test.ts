import { describe, expect, it } from '@jest/globals';
import { historyFromJSON } from '@temporalio/common/lib/proto-utils';
import { eventsOf } from '../../../src/service/run/run-events';
import { eventTable } from '../../../src/service/run/run-sheet';
import { drawn } from '../../support/drawn';
import { readRecorded } from '../../support/recorded';

const told = (name: string) => eventsOf(historyFromJSON(readRecorded(name).history).events ?? []);

describe('the events of a run', () => {
  it('are read from its history as text with a time', () => {
    const events = told('overwritten');
    expect(events[0]).toMatchObject({ subject: 'run', what: 'started' });
    expect(events.at(-1)).toMatchObject({ kind: 'end', subject: 'run', what: 'ended' });
    const [, ...lines] = drawn([eventTable(events)]).split('\n');
    expect(lines).toHaveLength(events.length);
    expect(lines.filter((line) => !/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ {2}\S/.test(line))).toEqual([]);
  });

  it('name failures with their cause, and no poll of a running job', () => {
    const problems = told('parked-at-the-import-undecided').filter(({ kind }) => kind === 'problem');
    expect(problems.length).toBeGreaterThan(0);
    expect(problems.filter(({ what }) => /is "processing"|for no reason/.test(what))).toEqual([]);
  });

  it('name its decisions', () => {
    expect(told('resumed').filter(({ kind }) => kind === 'message')).toContainEqual(
      expect.objectContaining({ what: expect.stringMatching(/^resume /) }),
    );
  });
});
