import { PassThrough } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import pc from 'picocolors';
import { showSheet } from '../../../src/cli/run/commands/show';
import { guardTable } from '../../../src/service/run/guards-sheet';
import { ledgerSheet } from '../../../src/service/run/outcome-sheet';
import { phaseTable } from '../../../src/service/run/phases-sheet';
import { planSheet, planTable } from '../../../src/service/run/plan-sheet';
import { endingSheet } from '../../../src/service/run/run-sheet';
import { columns } from '../../../src/cli/terminal/columns';
import { Output, type OutputFormat } from '../../../src/cli/terminal/output';
import { plainStyle } from '../../../src/cli/terminal/style';
import { terminalText } from '../../../src/cli/terminal/terminal-text';
import { PortolanError } from '../../../src/model/errors/errors';
import type { Sheet } from '../../../src/model/text/sheet';
import { currentDetails } from '../../../src/workflows/run/state';
import { drawn } from '../../support/drawn';
import { planOf, runRecordOf, viewOf } from '../run/records';

/** Clears the screen, begins a line of its own, turns and hides text, and is markup in Markdown. */
const hostile = 'a\u001b[2J\u009b1m\n!! fake\u202e\u200b   b [x](http://y)';
const seen = 'a [2J 1m !! fake b [x](http://y)';
const obeyed = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b\u202e]/;

/** The same value with other words in every text of these names, however deep. */
const withWords = <T>(value: T, names: readonly string[]) =>
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

describe('portal text in the output of a run', () => {
  const view = viewOf(record);
  const guard = { name: 'disk', verdict: 'refuse', saw: hostile, needs: hostile, todo: hostile } as const;
  const line = { name: 'export', status: 'done', detail: `one: ${hostile.replace('\n', '')}` } as const;
  const sheets: Record<string, Sheet> = {
    'the plan': planSheet(record, plan.rows),
    'the rows of the plan': [planTable(plan)],
    'the end': endingSheet(record),
    'preflight checks': [guardTable([guard])],
    'a phase': [phaseTable(view, [line])],
    'run show': showSheet({ ...view, plan }),
  };

  it.each(Object.entries(sheets))('is shown in one line, without control characters: %s', (_what, sheet) => {
    const text = drawn(sheet);
    expect(text).toContain('a [2J 1m');
    expect(text).not.toMatch(obeyed);
    expect(text).not.toMatch(/^!! fake/m);
  });

  it("is neither a line nor markup in Temporal's Web UI", () => {
    const page = currentDetails({ ...record, error: record.error ?? undefined } as never);
    expect(page).not.toMatch(obeyed);
    expect(page).not.toContain('[x](');
    expect(page).not.toMatch(/^!! fake/m);
    expect(page).toContain('\\[x\\]\\(http\\://y\\)');
  });

  it("leaves commands to copy in Temporal's Web UI as they are typed", () => {
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

  it('is shown in one line where results name items', () => {
    const entry = { itemId: hostile, title: hostile, type: hostile, reason: hostile };
    const ledger = { failed: [entry], blocked: [], skipped: [], unaccounted: [], imported: [], kept: [] };
    const text = drawn(ledgerSheet(ledger));
    expect(text).not.toMatch(obeyed);
    expect(text).not.toMatch(/^!! fake/m);
  });
});

/** What a command prints in a format. */
function printed(format: OutputFormat, print: (output: Output) => void) {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  print(new Output(format, { stdout, stderr }));
  const textOf = (stream: PassThrough) => String(stream.read() ?? '');
  return { out: textOf(stdout), err: textOf(stderr) };
}

describe('output of a command', () => {
  it('quotes the message of a portal in one line', () => {
    const error = new PortolanError('BAD_RESPONSE', `said ${hostile}`, { portalWords: hostile });
    const { err } = printed('table', (output) => output.fail(error));
    expect(err).toContain(`portal message: "${seen}"`);
    expect(err).not.toMatch(obeyed);
  });

  it.each([
    ['json', (output: Output) => output.show({ title: hostile }, () => '')],
    ['ndjson', (output: Output) => output.event({ title: hostile })],
  ] as const)('escapes control characters in %s and keeps the value', (format, print) => {
    const { out } = printed(format, print);
    expect(out).not.toMatch(obeyed);
    expect(JSON.parse(out)).toEqual({ title: hostile });
  });

  it('removes control characters that no caller removed', () => {
    const { out, err } = printed('table', (output) => {
      output.note(`note ${hostile}`);
      output.show(null, () => `table   ${hostile}`);
    });
    expect(err).toBe('note a [2J 1m\n!! fake   b [x](http://y)\n');
    expect(out).toBe('table   a [2J 1m\n!! fake   b [x](http://y)\n');
  });

  it('keeps colors at a terminal that shows them, and no other sequence', () => {
    const colors = pc.createColors(true);
    const text = `${colors.red(colors.bold('error'))}\n${colors.dim('what')}`;
    expect(terminalText(text, { colors })).toBe(text);
    expect(terminalText(text, plainStyle)).toBe('error\nwhat');
    const hidden = '\u001b[8mhidden\u001b[28m\u001b[31;5mred\u001b]8;;http://x\u0007';
    expect(terminalText(hidden, { colors })).not.toMatch(obeyed);
  });

  it('keeps a value with several lines in one row of a table', () => {
    expect(columns(['A', 'B'], [['x\r\ny', 'z']], plainStyle).split('\n')).toEqual(['A    B', 'x y  z']);
  });
});
