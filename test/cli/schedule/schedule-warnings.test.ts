import { describe, expect, it } from '@jest/globals';
import { oddDays } from '../../../src/service/schedule/schedule-warnings';
import { parseCron } from '../../../src/model/schedule/cron';

describe('whoever writes a schedule', () => {
  const from = Date.parse('2026-11-21T00:00Z');
  const odd = (text: string, timezone: string) => {
    const cron = parseCron(text);
    if ('problem' in cron) throw new Error(cron.problem);
    return oddDays(cron, timezone, from);
  };

  it('is told of the days of a year on which clocks leave its time out, or show it twice', () => {
    expect(odd('30 2 * * *', 'Europe/Berlin')).toEqual([
      { date: '2027-03-28', time: '02:30', starts: 'never' },
      { date: '2027-10-31', time: '02:30', starts: 'twice' },
    ]);
    expect(odd('30 1 * * *', 'America/New_York')).toEqual([
      { date: '2027-11-07', time: '01:30', starts: 'twice' },
    ]);
  });

  it.each([
    ['0 3 * * *', 'Europe/Berlin', 'a time that is shown once a day'],
    ['0 * * * *', 'Europe/Berlin', 'each hour, where nobody misses one'],
    ['30 2 * * MON', 'Europe/Berlin', 'a day on which no clock is set'],
    ['30 2 * * *', 'UTC', 'a zone whose clocks are never set'],
  ])('is told nothing of %s in %s: %s', (cron, timezone) => {
    expect(odd(cron, timezone)).toEqual([]);
  });
});
