import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { blows } from '../harness/blows';
import { type Kind, kinds } from '../harness/kinds';
import { atCalls, type Call, onlyIn } from '../harness/moments';
import { Trials } from '../harness/trial';

jest.setTimeout(60 * 60_000);

/** Calls that an earlier kind has shown already, so that no cell is tried twice. */
let shown: readonly Call[] = [];

const all: readonly Kind[] = [kinds.sync, kinds.inParts, kinds.changed, kinds.twoPackages];

describe.each(all.map((kind) => [kind.title, kind] as const))('%s', (_title, kind) => {
  let trials: Trials;
  beforeAll(async () => {
    trials = await Trials.open(kind);
  });
  afterAll(async () => {
    shown = [...shown, ...trials.twin.calls];
    await trials.close();
  });

  it('ends as if undisturbed when a call is lost, or its response', async () => {
    const moments = atCalls(onlyIn(trials.twin.calls, shown), ['lost', 'processed']);
    expect(await trials.struck(blows.cut, moments)).toEqual([]);
  });

  it('imports each package once when no write gets a response', async () => {
    expect(await trials.struck(blows.cut, [{ unheard: true }])).toEqual([]);
  });
});
