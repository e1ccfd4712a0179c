import { describe, expect, it } from '@jest/globals';
import { parseCron } from '../../../src/model/schedule/cron';

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

  it('has steps from a value to the end', () => {
    expect(parseCron('50/5 20/2 * * 1/2')).toMatchObject({
      minutes: [50, 55],
      hours: [20, 22],
      daysOfWeek: [0, 1, 3, 5],
    });
  });

  it.each([
    ['0 3 * *', 'has five fields: minute, hour, day of month, month, day of week'],
    ['0 0 3 * * *', 'has five fields: minute, hour, day of month, month, day of week'],
    ['@daily', 'has five fields: minute, hour, day of month, month, day of week'],
    ['60 3 * * *', '"60" is not a valid minute; write 0 to 59, a list, a range or a step'],
    ['0 5-3 * * *', '"5-3" is not a valid hour; write 0 to 23, a list, a range or a step'],
    [
      '0 3 * * frei',
      '"frei" is not a valid day of week; write 0 to 7 or sun to sat, a list, a range or a step',
    ],
    ['0 */0 * * *', '"*/0" is not a valid hour; write 0 to 23, a list, a range or a step'],
    ['0 3 1,,2 * *', '"" is not a valid day of month; write 1 to 31, a list, a range or a step'],
    // Other programs know these; the server of Temporal does not.
    ['H 3 * * *', '"H" is not a valid minute; write 0 to 59, a list, a range or a step'],
    ['0 3 L * *', '"L" is not a valid day of month; write 1 to 31, a list, a range or a step'],
    ['0 3 ? * *', '"?" is not a valid day of month; write 1 to 31, a list, a range or a step'],
    [
      '0 3 * * MON#1',
      '"MON#1" is not a valid day of week; write 0 to 7 or sun to sat, a list, a range or a step',
    ],
    ['0 3 30,31 2 *', 'is never due: no such month has such a day'],
    ['0 3 31 2,4 *', 'is never due: no such month has such a day'],
  ])('is refused where it says nothing: %s', (text, problem) => {
    expect(parseCron(text)).toEqual({ problem });
  });
});
