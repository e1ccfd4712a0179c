import { describe, expect, it } from '@jest/globals';
import { type HTMLElement } from 'node-html-parser';
import { h } from 'preact';
import type { RunRecord } from '../../src/model/run/run';
import type { Change } from '../../src/model/transfer/change';
import type { PlanRow } from '../../src/model/transfer/plan';
import { type PlanAsked, PlanPart, rowsShown } from '../../src/serve/page/run/plan';
import { hostile } from './page-world';
import { rendered } from './a-page';

const figures = {
  create: 3,
  overwrite: 3,
  same: 16,
  identical: 16,
  changed: 2,
  unknown: 1,
  keep: 0,
  blocked: 0,
  extra: 0,
  arrivedLater: 0,
  hash: 'aaaa-bbbb-cccc',
  sha256: 'a'.repeat(64),
  ref: 'plans/x',
};

const changed = (fields: Change['fields'], more?: Partial<Change>): Change => ({
  kind: 'changed',
  fields,
  sha256: 'x',
  ...more,
});

const row = (title: string, more: Partial<PlanRow> = {}): PlanRow => ({
  itemId: 'b'.repeat(32),
  type: 'Web Map',
  title,
  action: 'overwrite',
  ...more,
});

const layer = (name: string) => ({ path: `data.layers[${name}]`, label: `layer "${name}" visibility` });

/** The plan of a run as a browser without JavaScript has it. */
function shown(rows: readonly PlanRow[], asked: PlanAsked = { from: 0 }) {
  const record = { runId: 'sync-roads-1', plan: figures } as unknown as RunRecord;
  const page = { ...figures, rows: [...rows], total: rows.length };
  return rendered(h(PlanPart, { record, figures, page, asked } as never));
}

const lines = (root: HTMLElement) =>
  root
    .querySelectorAll('details tbody tr')
    .map((each) => each.querySelectorAll('th, td').map((cell) => cell.text));

describe('the page of a plan', () => {
  it('shows changes first, or all rows if nothing changes', () => {
    expect(rowsShown({ from: 0 }, figures)).toEqual({ changed: true });
    expect(rowsShown({ from: 0 }, { ...figures, changed: 0 })).toEqual({ changed: true });
    expect(rowsShown({ from: 0 }, { ...figures, changed: 0, unknown: 0 })).toEqual({ changed: false });
    expect(rowsShown({ from: 0, action: 'all' }, figures)).toEqual({ changed: false });
    expect(rowsShown({ from: 0, action: 'create' }, figures)).toEqual({ changed: false, action: 'create' });
    const root = shown([row('A')]);
    expect(root.querySelectorAll('option').map((each) => each.text)).toEqual([
      ...['changed (3)', 'all', 'create (3)', 'overwrite (3)', 'same (16)'],
    ]);
    expect(root.querySelector('option[selected]')?.getAttribute('value')).toBe('changed');
    expect(root.querySelector('#plan')?.text).toContain('2 change, 1 is unknown, 16 are identical');
    expect(root.querySelector('#plan-rows a')?.getAttribute('href')).toBe(
      '/runs/sync-roads-1?action=all#plan',
    );
    expect(shown([]).querySelector('#plan-rows')?.text).toBe('No matching items; show all.');
  });

  it('opens a row to its fields, and says why an item is unknown', () => {
    const root = shown([
      row('Roads', {
        change: changed(
          [
            { ...layer('Bridges'), before: 'on', after: 'off' },
            { path: 'data.x', label: 'layer "Stops" added', after: 'https://gis.example.com/x' },
            { path: 'item.snippet', label: 'summary', after: 'All roads' },
          ],
          { more: 1_700 },
        ),
      }),
      row('Pipes', { change: changed([], { kind: 'unknown', why: 'its data is over 32 MB' }) }),
      row('Quiet', { action: 'same', change: changed([], { kind: 'same' }) }),
    ]);
    expect(root.querySelectorAll('summary').map((each) => each.text)).toEqual([
      'In Roads: layer "Bridges" visibility and 1 702 more',
    ]);
    expect(root.querySelectorAll('details[open]')).toEqual([]);
    expect(lines(root)).toEqual([
      ['layer "Bridges" visibility', 'on', 'off'],
      ['layer "Stops" added', '', 'https://gis.example.com/x'],
      ['summary', '-', 'All roads'],
    ]);
    expect(root.querySelector('details')?.text).toContain('and 1 700 more');
    expect(root.querySelectorAll('tr.change').map((each) => each.text)[1]).toBe(
      'not compared, written like a change: its data is over 32 MB',
    );
  });

  it('names the group of each row of a promotion', () => {
    const root = shown(
      ['roads', 'rail'].map((of) =>
        row(`Map of ${of}`, {
          of,
          change: changed([{ ...layer(of), before: 'on', after: 'off' }], {
            kind: 'unknown',
            why: 'a resource',
          }),
        }),
      ),
    );
    const heads = root.querySelectorAll('#plan-rows > .scroll > table > thead th').map((each) => each.text);
    expect(heads.slice(0, 2)).toEqual(['Title', 'Group']);
    expect(root.querySelectorAll('summary').map((each) => each.text)).toEqual([
      'In Map of roads: layer "roads" visibility; not everything could be compared',
      'In Map of rail: layer "rail" visibility; not everything could be compared',
    ]);
    expect(root.querySelector('details')?.text).toContain('written like a change: a resource');
  });

  it('shows hostile titles, labels and values as text [P16]', () => {
    const text = `${hostile.markup}${hostile.bidi}`;
    const field = { path: text, label: text, before: text, after: text };
    const root = shown([row(text, { change: changed([field], { kind: 'unknown', why: text }) })]);
    expect(root.querySelectorAll('script, img, title').map((each) => each.toString())).toEqual([]);
    expect(root.toString()).not.toMatch(/[\u202A-\u202E\u2066-\u2069\u200B-\u200F]/);
    expect(lines(root)[0]?.[1]).toContain(hostile.markup);
  });

  it('stays bounded for any number of changes', () => {
    const fields = Array.from({ length: 100 }, (_, at) => ({
      ...layer(`L${at}`),
      before: 'on',
      after: 'off',
    }));
    const root = shown(Array.from({ length: 100 }, (_, at) => row(`Map ${at}`, { change: changed(fields) })));
    expect(lines(root)).toHaveLength(1_000);
    expect(root.querySelectorAll('tr.change').at(-1)?.text).toBe('100 changed fields not shown');
    expect(root.querySelector('#plan-rows')?.text).toContain('Search for an item to see its own.');
  });
});
