import { describe, expect, it } from '@jest/globals';
import { type Cron, parseCron } from '../../../src/model/schedule/cron';
import { dueTimes, oddDays } from '../../../src/model/schedule/cron-times';

function cronOf(text: string): Cron {
  const cron = parseCron(text);
  if ('problem' in cron) throw new Error(cron.problem);
  return cron;
}

const due = (text: string, zone: string, from: string, to: string): string[] =>
  [...dueTimes(cronOf(text), zone, Date.parse(from), Date.parse(to))].map((at) =>
    new Date(at).toISOString().replace(':00.000', ''),
  );

describe('a cron expression', () => {
  it('has values, names, ranges, lists and steps', () => {
    expect(parseCron('*/20 22-23,3 1,15 JAN-mar/2 fri,sun,7')).toEqual({
      minutes: [0, 20, 40],
      hours: [3, 22, 23],
      daysOfMonth: [1, 15],
      months: [1, 3],
      daysOfWeek: [0, 5],
    });
  });

  it.each([
    ['0 3 * *', 'has five fields: minute, hour, day of month, month, day of week'],
    ['60 3 * * *', 'the minute "60" is not within 0 to 59'],
    ['0 5-3 * * *', 'the hour "5-3" is not within 0 to 23'],
    ['0 3 * * frei', 'the day of week "frei" is not one; write 0 to 7, a list, a range or a step'],
    ['0 */0 * * *', 'the hour "*/0" is not one; write 0 to 23, a list, a range or a step'],
    ['0 3 30,31 2 *', 'is never due: no such month has such a day'],
  ])('is refused where it says nothing: %s', (text, problem) => {
    expect(parseCron(text)).toEqual({ problem });
  });

  it('is due on days that fit both the day of the month and the day of the week', () => {
    expect(due('0 3 1-7 * SUN', 'UTC', '2026-11-21T00:00Z', '2027-02-01T00:00Z')).toEqual([
      '2026-12-06T03:00Z',
      '2027-01-03T03:00Z',
    ]);
  });

  it('takes the clock at its word: 02:30 is left out in spring, and 02:30 comes twice in autumn', () => {
    const at = (from: string, to: string): string[] => due('30 2 * * *', 'Europe/Berlin', from, to);
    expect(at('2027-03-27T00:00Z', '2027-03-30T00:00Z')).toEqual(['2027-03-27T01:30Z', '2027-03-29T00:30Z']);
    expect(at('2027-10-30T12:00Z', '2027-10-31T12:00Z')).toEqual(['2027-10-31T00:30Z', '2027-10-31T01:30Z']);
  });

  it('knows the days of a year on which it is due never or twice', () => {
    const from = Date.parse('2026-11-21T00:00Z');
    expect(oddDays(cronOf('30 2 * * *'), 'Europe/Berlin', from)).toEqual([
      { date: '2027-03-28', time: '02:30', starts: 'never' },
      { date: '2027-10-31', time: '02:30', starts: 'twice' },
    ]);
    expect(oddDays(cronOf('0 3 * * *'), 'Europe/Berlin', from)).toEqual([]);
    expect(oddDays(cronOf('30 1 * * *'), 'America/New_York', from)).toEqual([
      { date: '2027-11-07', time: '01:30', starts: 'twice' },
    ]);
    expect(oddDays(cronOf('0 * * * *'), 'Europe/Berlin', from)).toEqual([]);
    expect(oddDays(cronOf('30 2 * * *'), 'UTC', from)).toEqual([]);
  });
});
