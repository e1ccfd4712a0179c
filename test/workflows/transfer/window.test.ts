import { describe, expect, it } from '@jest/globals';
import { untilOpening } from '../../../src/workflows/transfer/window';

const at = (time: string) => Date.parse(`2026-11-23T${time}Z`);
const opens = at('20:00');

describe('a scheduled run', () => {
  it('ends before its next run when that is due before the window opens', () => {
    const patient = { end: opens, next: '2026-11-23T19:00:00Z', until: at('18:55') };
    expect(untilOpening(patient)).toEqual(patient);
  });

  it('waits for the window when its next run is due then or later', () => {
    for (const next of ['2026-11-23T20:00:00Z', '2026-11-23T20:02:00Z', '2026-11-24T02:00:00Z'])
      expect(untilOpening({ end: opens, next, until: at('19:55') })).toEqual({ end: opens, until: opens });
  });

  it('waits for the window when no schedule starts another run', () => {
    expect(untilOpening({ end: opens, until: opens })).toEqual({ end: opens, until: opens });
  });
});
