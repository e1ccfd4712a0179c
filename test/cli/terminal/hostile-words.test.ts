import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import pc from 'picocolors';
import { showSheet } from '../../../src/cli/run/commands/show';
import { guardTable } from '../../../src/service/run/guards-sheet';
import { ledgerSheet } from '../../../src/service/run/outcome-sheet';
import { phaseTable } from '../../../src/service/run/phases-sheet';
import { planSheet, planTable } from '../../../src/service/run/plan-sheet';
import { endingSheet } from '../../../src/service/run/run-sheet';
import { columns } from '../../../src/cli/terminal/columns';
import { Output } from '../../../src/cli/terminal/output';
import { plainStyle } from '../../../src/cli/terminal/style';
import { terminalText } from '../../../src/cli/terminal/terminal-text';
import { PortolanError } from '../../../src/model/errors/errors';
import type { Sheet } from '../../../src/model/text/sheet';
import { currentDetails } from '../../../src/workflows/run/shown';
import { drawn } from '../../support/drawn';
import { planOf, runRecordOf } from '../run/records';

/** Clears the screen, begins a line of its own, turns and hides text, and is markup in Markdown. */
const hostile = 'a\u001b[2J\u009b1m\n!! fake\u202e\u200b   b [x](http://y)';
const seen = 'a [2J 1m !! fake b [x](http://y)';
const obeyed = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b\u202e]/;

/** The same value with other words in every text of these names, however deep. */
const withWords = <T>(value: T, names: readonly string[]): T =>
  JSON.parse(
    JSON.stringify(value, (key, held: unknown) =>
      typeof held === 'string' && names.includes(key) ? hostile : held,
    ),
  ) as T;

const words = ['title', 'groupTitle', 'type', 'reason', 'message', 'hint', 'detail', 'saw', 'needs', 'todo'];
const record = withWords(
  runRecordOf({ warnings: [hostile], leftRunning: [hostile], startedBy: hostile }),
  words,
);
const plan = withWords(planOf(), words);

let [out, err] = ['', ''];
beforeEach(() => {
  [out, err] = ['', ''];
  jest.spyOn(process.stdout, 'write').mockImplementation((text) => {
    out += String(text);
    return true;
  });
  jest.spyOn(process.stderr, 'write').mockImplementation((text) => {
    err += String(text);
    return true;
  });
});
afterEach(() => {
  jest.restoreAllMocks();
});

describe('words of a portal in what people see of a run', () => {
  const view = { record, open: false, source: 'record' as const, pending: [], notes: [] };
  const guard = { name: 'disk', verdict: 'refuse', saw: hostile, needs: hostile, todo: hostile } as const;
  const line = { name: 'export', status: 'done', detail: `one: ${hostile.replace('\n', '')}` } as const;
  const sheets: Record<string, Sheet> = {
    'the plan': planSheet(record, plan.rows),
    'the rows of the plan': [planTable(plan)],
    'its end': endingSheet(record),
    'its guards': [guardTable([guard])],
    'a phase': [phaseTable(view, [line])],
    'all of it': showSheet({ ...view, plan }),
  };

  it.each(Object.entries(sheets))('are shown in one line and obeyed by nothing: %s', (_what, sheet) => {
    const text = drawn(sheet);
    expect(text).toContain('a [2J 1m');
    expect(text).not.toMatch(obeyed);
    expect(text).not.toMatch(/^!! fake/m);
  });

  it('are no line, and no markup, in the page of the server', () => {
    const page = currentDetails({ ...record, error: record.error ?? undefined } as never);
    expect(page).not.toMatch(obeyed);
    expect(page).not.toContain('[x](');
    expect(page).not.toMatch(/^!! fake/m);
    expect(page).toContain('\\[x\\]\\(http\\://y\\)');
  });

  it('leave commands of ours as they are typed, so that they can be copied from that page', () => {
    const waits = {
      name: 'approve',
      status: 'waiting',
      detail: 'needs approval: portolan run approve k7q2 --plan a`b',
    };
    const parked = { commands: ['portolan run resume k7q2', 'portolan run cancel k7q2'] };
    const page = currentDetails({ ...record, status: 'parked', phases: [waits], parked } as never);
    expect(page).toContain("- approve: waiting, needs approval: `portolan run approve k7q2 --plan a'b`\n");
    expect(page).toContain('\n- `portolan run resume k7q2`\n- `portolan run cancel k7q2`');
  });

  it('are counted where the ledger names items', () => {
    const entry = { itemId: hostile, title: hostile, type: hostile, reason: hostile };
    const ledger = { failed: [entry], blocked: [], skipped: [], unaccounted: [], imported: [], kept: [] };
    const text = drawn(ledgerSheet(ledger));
    expect(text).not.toMatch(obeyed);
    expect(text).not.toMatch(/^!! fake/m);
  });
});

describe('what a command prints', () => {
  it('of an error quotes the portal in one line', () => {
    const error = new PortolanError('BAD_RESPONSE', `said ${hostile}`, { portalWords: hostile });
    new Output('table').fail(error);
    expect(err).toContain(`portal message: "${seen}"`);
    expect(err).not.toMatch(obeyed);
  });

  it('as JSON is escaped where a terminal would obey it, and is what it was', () => {
    new Output('json').show({ title: hostile }, () => '');
    new Output('ndjson').event({ title: hostile });
    expect(out).not.toMatch(obeyed);
    const [pretty, line] = [out.slice(0, out.indexOf('}\n') + 2), out.slice(out.indexOf('}\n') + 2)];
    expect([JSON.parse(pretty), JSON.parse(line)]).toEqual([{ title: hostile }, { title: hostile }]);
  });

  it('holds nothing that is obeyed, whatever was forgotten before', () => {
    const output = new Output('table');
    output.note(`note ${hostile}`);
    output.show(null, () => `table   ${hostile}`);
    expect(err).toBe('note a [2J 1m\n!! fake   b [x](http://y)\n');
    expect(out).toBe('table   a [2J 1m\n!! fake   b [x](http://y)\n');
  });

  it('has the colors of a style where a terminal shows them, and no other sequence', () => {
    const colors = pc.createColors(true);
    const text = `${colors.red(colors.bold('error'))}\n${colors.dim('what')}`;
    expect(terminalText(text, { colors })).toBe(text);
    expect(terminalText(text, plainStyle)).toBe('error\nwhat');
    const hidden = '\u001b[8mhidden\u001b[28m\u001b[31;5mred\u001b]8;;http://x\u0007';
    expect(terminalText(hidden, { colors })).not.toMatch(obeyed);
  });

  it('in columns has a row a value, whatever lines the value has', () => {
    expect(columns(['A', 'B'], [['x\r\ny', 'z']], plainStyle).split('\n')).toEqual(['A    B', 'x y  z']);
  });
});
