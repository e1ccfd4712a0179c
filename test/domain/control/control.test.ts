import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Control } from '../../../src/domain/control/control';
import type { Signed } from '../../../src/model/run/signature';

const WEEK_MS = 7 * 24 * 3_600_000;
const control = new Control(Buffer.from('a key of so many characters as it needs'));
const other = new Control(Buffer.from('another key of as many characters as it'));
const elsewhere = new Control(Buffer.from('a key of so many characters as it needs'), ['ns', 'queue']);
const ID = 'sync-transport-20261121T030000Z-k7q2';
const input = { runId: ID, route: { name: 'transport', target: { portal: 'production' } }, yes: false };

/** As it comes out of Temporal. */
const sent = <T>(value: T) => JSON.parse(JSON.stringify(value)) as T;
const outcome = (check: () => void) => {
  try {
    check();
    return 'let in';
  } catch (thrown) {
    return (thrown as Error).message;
  }
};
const startOf = (given: Signed, workflowId = ID, workflowType = 'sync') =>
  outcome(() => control.verifyStart({ workflowType, workflowId, input: sent(given) }));
const answerOf = (message: Signed, workflowId = ID, name = 'approve') =>
  outcome(() => control.verifyAnswer({ workflowId, name, message: sent(message) }));

const signed = () => control.signStart('sync', ID, input);
const ANOTHER =
  /^\[NOT_AUTHENTIC\] the (start|(approve|cancel) message) was signed with another control key or for another run, or was modified$/;

beforeEach(() => void jest.useFakeTimers({ now: Date.UTC(2026, 10, 21) }));
afterEach(() => void jest.useRealTimers());

describe('a start', () => {
  it('is let in as it was signed, for as long as a worker may be away', () => {
    const start = signed();
    expect(startOf(start)).toBe('let in');
    jest.advanceTimersByTime(WEEK_MS);
    expect(startOf(start)).toBe('let in');
  });

  const forgeries = {
    'whose input was altered': () => startOf({ ...signed(), yes: true } as Signed),
    'that says more than was signed': () => startOf({ ...signed(), snapshotId: 'x' } as Signed),
    'of another run': () => startOf(signed(), 'sync-transport-20261121T030000Z-aaaa'),
    'of another kind': () => startOf(signed(), ID, 'restore'),
    'signed with another key': () => startOf(other.signStart('sync', ID, input)),
    'signed with the same key for another namespace or queue': () =>
      startOf(elsewhere.signStart('sync', ID, input)),
    'with an answer in place of its proof': () => startOf(control.signAnswer('sync', ID, input)),
    'with the proof of a schedule': () => startOf(control.signSchedule('sync', ID, input)),
    'whose proof says another time': () =>
      startOf({ ...input, proof: { ...signed().proof, at: Date.now() + 1 } }),
    'whose proof is anything': () => startOf({ ...input, proof: { mac: 7 } } as never),
  };
  it.each(Object.entries(forgeries))('%s is refused', (_, start) => {
    expect(start()).toMatch(ANOTHER);
  });

  it.each([[undefined], [null], ['text']])('with the proof %p is told to be unsigned', (proof) => {
    expect(startOf({ ...input, proof: proof as never })).toBe('[NOT_AUTHENTIC] the start is not signed');
  });

  it('that is too old, or of a clock far ahead, is refused with its time [P14]', () => {
    const start = signed();
    jest.advanceTimersByTime(WEEK_MS + 1);
    expect(startOf(start)).toMatch(/was signed at 2026-11-21T00:00:00.000Z, too long ago$/);
    jest.setSystemTime(Date.UTC(2026, 10, 19, 23));
    expect(startOf(start)).toMatch(/in the future$/);
    jest.setSystemTime(Date.UTC(2026, 10, 20, 1));
    expect(startOf(start)).toBe('let in');
  });
});

describe('what a schedule starts', () => {
  const BASE = 'sync-transport-nightly';
  const due = `${BASE}-2026-11-21T03:00:00Z`;
  const ofSchedule = () => control.signSchedule('sync', BASE, { ...input, runId: undefined });

  it('is let in whenever it is due, and never grows old', () => {
    const start = ofSchedule();
    jest.advanceTimersByTime(100 * WEEK_MS);
    expect(startOf(start, due)).toBe('let in');
    expect(startOf(start, `${BASE}-2029-01-01T00:00:00Z`)).toBe('let in');
  });

  it('is refused for another schedule, as its own start, or changed [P14]', () => {
    expect(startOf(ofSchedule(), 'sync-transport-weekly-2026-11-21T03:00:00Z')).toMatch(ANOTHER);
    expect(startOf(ofSchedule(), BASE)).toMatch(ANOTHER);
    expect(startOf({ ...ofSchedule(), yes: true } as Signed, due)).toMatch(ANOTHER);
  });

  it('is signed the same each time, so that it is applied once', () => {
    expect(ofSchedule()).toEqual(ofSchedule());
  });
});

describe('an answer', () => {
  const approval = { hash: '9f2c-41aa-03d7', who: 'ann@desk' };
  const given = () => control.signAnswer('approve', ID, approval);

  it('is let in for the run and the question that it was signed for', () => {
    expect(answerOf(given())).toBe('let in');
    expect(answerOf(given(), 'sync-transport-20261121T030000Z-aaaa')).toMatch(ANOTHER);
    expect(answerOf(given(), ID, 'cancel')).toMatch(ANOTHER);
  });

  it('is refused where somebody put another name under it, and where nobody signed it', () => {
    expect(answerOf({ ...given(), who: 'bob@desk' } as Signed)).toMatch(ANOTHER);
    for (const bare of [approval, null, 7, 'yes'])
      expect(answerOf(bare as Signed)).toBe('[NOT_AUTHENTIC] the approve message is not signed');
  });

  it('is another one each time', () => {
    expect(given().proof.nonce).not.toBe(given().proof.nonce);
  });
});
