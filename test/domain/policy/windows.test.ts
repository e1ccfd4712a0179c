import { describe, expect, it } from '@jest/globals';
import { closedAt } from '../../../src/domain/policy/windows';
import type { Window } from '../../../src/model/run/policy';

const allow = (cron: string, hours: number, timezone = 'Europe/Berlin'): Window => ({
  kind: 'allow',
  cron,
  forMs: hours * 3_600_000,
  timezone,
});
const deny = (from: string, to: string, timezone = 'Europe/Berlin', reason?: string): Window => ({
  kind: 'deny',
  from,
  to,
  timezone,
  reason,
});
const evenings = allow('0 20 * * 1-4', 8);
const nightly = allow('30 2 * * *', 1);
const holidays = deny('2026-12-18', '2027-01-04');

/** `open`, `never`, or when it opens. */
const at = (time: string, ...policies: Window[][]) => {
  const closed = closedAt(policies, Date.parse(time));
  if (!closed) return 'open';
  return closed.until === undefined ? 'never' : new Date(closed.until).toISOString().replace(':00.000Z', 'Z');
};

it.each([
  ['the moment at which it opens', '2026-11-23T19:00Z', [evenings], 'open'],
  ['the moment before it opens', '2026-11-23T18:59:59.999Z', [evenings], '2026-11-23T19:00Z'],
  ['the night after it opened', '2026-11-24T02:59:59Z', [evenings], 'open'],
  ['the moment at which it closes', '2026-11-24T03:00Z', [evenings], '2026-11-24T19:00Z'],
  ['summer time', '2026-07-06T12:00Z', [evenings], '2026-07-06T18:00Z'],
  ['a window that is open for days', '2026-11-26T12:00Z', [allow('0 0 * * 1', 96)], 'open'],
  [
    'two windows, the earlier one next',
    '2026-11-22T12:00Z',
    [evenings, allow('0 6 * * 1', 1)],
    '2026-11-23T05:00Z',
  ],

  ['the start of the first denied day in its zone', '2026-12-17T23:00Z', [holidays], '2027-01-04T23:00Z'],
  ['the minute before the first denied day', '2026-12-17T22:59Z', [holidays], 'open'],
  ['the last minute of the last denied day', '2027-01-04T22:59Z', [holidays], '2027-01-04T23:00Z'],
  ['the day after denied days', '2027-01-04T23:00Z', [holidays], 'open'],
  [
    'denied days with a window two days later',
    '2026-12-20T12:00Z',
    [evenings, deny('2026-12-18', '2027-01-02')],
    '2027-01-04T19:00Z',
  ],
  [
    'denied days that end within a window',
    '2026-11-24T12:00Z',
    [allow('0 20 * * 2', 8), deny('2026-11-24', '2026-11-24')],
    '2026-11-24T23:00Z',
  ],
  [
    'denied days followed by denied days',
    '2026-12-01T12:00Z',
    [deny('2026-12-01', '2026-12-03', 'UTC'), deny('2026-12-04', '2026-12-05', 'UTC')],
    '2026-12-06T00:00Z',
  ],

  ['a night whose opening time clocks skip', '2026-03-29T00:00Z', [nightly], '2026-03-29T01:30Z'],
  ['a night whose opening time comes twice', '2026-10-25T00:00Z', [nightly], '2026-10-25T00:30Z'],
  ['the second time that clocks show the opening time', '2026-10-25T01:30Z', [nightly], '2026-10-26T01:30Z'],
  [
    'the last minute of eight hours in which clocks go forward',
    '2026-03-29T02:59Z',
    [allow('0 20 * * 6', 8)],
    'open',
  ],
  [
    'the end of eight hours in which clocks go forward',
    '2026-03-29T03:00Z',
    [allow('0 20 * * 6', 8)],
    '2026-04-04T18:00Z',
  ],
  [
    'the night before noon of a day on which clocks go forward',
    '2026-03-29T02:30Z',
    [allow('0 12 * * *', 1)],
    '2026-03-29T10:00Z',
  ],
  [
    'openings out of order, since clocks skip half an hour',
    '2026-10-03T15:00Z',
    [allow('15,30 2 * * *', 1 / 60, 'Australia/Lord_Howe')],
    '2026-10-03T15:30Z',
  ],
  [
    'an afternoon in Honolulu, when it is tomorrow elsewhere',
    '2026-11-23T23:00Z',
    [allow('0 18 * * *', 1, 'Pacific/Honolulu')],
    '2026-11-24T04:00Z',
  ],
  [
    'a window beside one that is not due within a year',
    '2026-11-22T12:00Z',
    [allow('0 0 29 2 *', 1), evenings],
    '2026-11-23T19:00Z',
  ],
  [
    'a midnight that clocks skip',
    '2026-09-06T03:30Z',
    [deny('2026-09-05', '2026-09-05', 'America/Santiago')],
    '2026-09-06T04:00Z',
  ],

  ['a day more than a year away', '2026-03-01T00:00Z', [allow('0 0 29 2 *', 1, 'UTC')], 'never'],
  ['a day nine months away', '2027-06-01T00:00Z', [allow('0 0 29 2 *', 1, 'UTC')], '2028-02-29T00:00Z'],
  [
    'a window that denied days cover for years',
    '2026-11-22T12:00Z',
    [evenings, deny('2026-01-01', '2030-12-31')],
    'never',
  ],
])('windows of a portal on %s', (_title, time, windows, is) => {
  expect(at(time, windows)).toBe(is);
});

describe('windows of a portal with several names', () => {
  it('all have to be open', () => {
    const mornings = allow('0 6 * * *', 15);
    expect(at('2026-11-23T19:30Z', [evenings], [mornings])).toBe('open');
    expect(at('2026-11-23T21:00Z', [evenings], [mornings])).toBe('2026-11-24T19:00Z');
    expect(at('2026-11-23T19:30Z', [evenings], [])).toBe('open');
    expect(at('2026-12-20T12:00Z', [], [holidays])).toBe('2027-01-04T23:00Z');
  });

  it.each([
    ['day', allow('0 20 * * *', 2), allow('0 8 * * *', 2)],
    ['hour', allow('0 * * * *', 1 / 6), allow('30 * * * *', 1 / 6, 'UTC')],
  ])('never open if they never meet within each %s', (_, one, other) => {
    expect(at('2026-11-23T12:15Z', [one], [other])).toBe('never');
  });
});

it('names the windows that are closed', () => {
  const why = (time: string, ...windows: Window[]) => closedAt([windows], Date.parse(time))?.why;
  expect(why('2026-11-22T12:00Z', evenings, nightly)).toBe(
    'allows imports only within "0 20 * * 1-4" for 8h (Europe/Berlin) or "30 2 * * *" for 1h (Europe/Berlin)',
  );
  expect(why('2026-12-24T12:00Z', deny('2026-12-18', '2027-01-04', 'UTC', 'holidays'))).toBe(
    'allows no import from 2026-12-18 to 2027-01-04 (UTC): holidays',
  );
  expect(why('2026-12-24T12:00Z', deny('2026-01-01', '2030-12-31', 'UTC'))).toBe(
    'allows no import from 2026-01-01 to 2030-12-31 (UTC)',
  );
});

it('refuses a cron that is never due', () => {
  expect(() => at('2026-11-22T12:00Z', [allow('0 0 30 2 *', 1)])).toThrow('cron "0 0 30 2 *" is never due');
});
