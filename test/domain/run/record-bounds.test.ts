import { describe, expect, it } from '@jest/globals';
import { fillRecord } from '../../../src/domain/run/run-record';
import { referencesOf } from '../../../src/domain/transfer/references/content';
import { joinVerifications, FindingsBuilder } from '../../../src/domain/transfer/verify/verification';
import { runRecord } from '../../../src/model/run/run';
import { type RunState, addWarning, WARNINGS_MAX } from '../../../src/model/run/run-state';
import { emptyLedger } from '../../../src/model/transfer/ledger';
import { AStore } from '../snapshot/a-store';

const long = (letter: string) => letter.repeat(100_000);
const characters = (value: unknown) => JSON.stringify(value).length;

/** An item of which so many things are wrong, each at great length. */
function wrong(itemId: string, times: number) {
  const sheet = new FindingsBuilder(itemId, 'A title');
  for (let at = 0; at < times; at += 1) {
    const place = { path: `data.${long('p')}[${at}]`, value: long('v') };
    sheet.find('broken-reference', { ...place, hint: 'Mend it.' });
    sheet.external('an address on neither portal', place);
    sheet.notChecked(long('r'), place);
  }
  return sheet.end();
}

describe('a verification', () => {
  it("keeps an item's first findings, cut, and the number of all", () => {
    const seen = wrong('a', 200);
    expect([seen.findings, seen.external, seen.notChecked].map((list) => list.length)).toEqual([
      100, 100, 100,
    ]);
    expect(seen.leftOut).toEqual({ findings: 100, external: 100, notChecked: 100 });
    expect(seen.checked).toBe(0);
    expect(characters(seen)).toBeLessThan(500_000);
  });

  it('is a file that can be opened however many items were made for it', () => {
    const one = wrong('a', 120);
    const whole = joinVerifications(Array.from({ length: 200 }, () => one));
    const kept = whole.findings.length;
    expect(kept).toBeGreaterThan(1_000);
    expect(whole.leftOut).toMatchObject({ findings: 200 * 120 - kept });
    expect(characters(whole)).toBeLessThan(5_000_000);
  });

  it('of items that are as people make them is kept whole', () => {
    const sheet = new FindingsBuilder('a', 'A title');
    sheet.find('missing', { path: 'data.x', value: 'v', hint: 'Mend it.' });
    const whole = joinVerifications([sheet.end(), sheet.end()]);
    expect(whole).toMatchObject({ findings: [{ path: 'data.x', value: 'v' }, {}] });
    expect(whole).not.toHaveProperty('leftOut');
  });

  it('names the places of a document by the beginnings of its names', () => {
    const data = { [long('k')]: Array.from({ length: 1_000 }, () => ({ url: 'https://a.example.com/x' })) };
    const paths = [...referencesOf({ item: {}, data })].map(({ path }) => path);
    expect(paths).toHaveLength(1_000);
    expect(Math.max(...paths.map((path) => path.length))).toBeLessThan(300);
  });
});

describe('the record of a run', () => {
  const end = { portal: 'staging', url: 'u' };
  const state: RunState = {
    runId: 'r',
    kind: 'sync',
    status: 'partial',
    target: 'changed',
    route: { name: 'transport', source: end, target: end },
    temporal: { workflowId: 'r', runId: 'r' },
    startedAt: '2026-11-20T03:00:00.000Z',
    startedBy: 'a@b',
    phases: [],
    actions: [],
    warnings: [],
    leftRunning: [],
  };

  it('keeps two hundred warnings, each once and cut, and says there were more', () => {
    const warnings: string[] = [];
    for (let at = 0; at < 10_000; at += 1) addWarning(warnings, `${at} ${long('w')}`);
    addWarning(warnings, warnings[0]);
    expect(warnings).toHaveLength(WARNINGS_MAX + 1);
    expect(warnings.at(-1)).toBe('further warnings are omitted');
    expect(characters(warnings)).toBeLessThan(250_000);
    const usual: string[] = [];
    for (const warning of ['a', 'b', 'a', undefined]) addWarning(usual, warning);
    expect(usual).toEqual(['a', 'b']);
  });

  it('is under 5 MB whatever lies in the lists that it holds [P16]', async () => {
    const { store } = new AStore();
    const entry = { itemId: 'a', title: long('t'), reason: long('r') };
    const imported = Array.from({ length: 100 }, () => entry);
    await store.writeJson('ledger', { ...emptyLedger(), imported });
    const figures = {
      requested: 100,
      imported: 100,
      same: 0,
      kept: 0,
      blocked: 0,
      skipped: 0,
      failed: 0,
      notImported: 0,
      unaccounted: 0,
    };
    const record = await fillRecord(store, { ...state, items: { ...figures, ref: 'ledger' } });
    expect(characters(record)).toBeLessThan(5_000_000);
    expect(runRecord.safeParse(record).error).toBeUndefined();
    expect(record.items?.imported).toHaveLength(100);
  });

  it('counts the findings that are left out', async () => {
    const { store } = new AStore();
    await store.writeJson('verification', wrong('a', 200));
    const counts = {
      checked: 0,
      references: 0,
      features: 0,
      notChecked: 200,
      external: 200,
      findings: 200,
    };
    const { verification } = await fillRecord(store, {
      ...state,
      verification: { ...counts, ref: 'verification' },
    });
    expect(verification?.findings).toEqual({ count: 200, ref: 'verification' });
  });
});
