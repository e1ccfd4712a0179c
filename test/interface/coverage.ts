import { tableRows } from '../docs/pages';
import type { Row, Section } from './row';
import { lackingOnWire, wiresOf, wireWords } from './wire';
import type { World } from './world';

/** What this run has shown so far. */
export class Coverage {
  readonly #passed = new Set<string>();

  constructor(private readonly world: World) {}

  /** Ids of the rows that have run and passed. */
  get passed(): ReadonlySet<string> {
    return this.#passed;
  }

  /** @throws Error where the check fails, or what has to go over the wire is not in the log of this very check */
  async show(row: Row): Promise<void> {
    const mark = this.world.mark();
    await row.check(this.world);
    const log = this.world.since(mark);
    const lacking = lackingOnWire(row, log);
    if (lacking.length > 0) {
      const saw = log.map(
        ({ method, operation, status, errorCode, params }) =>
          `${method} ${operation} ${JSON.stringify(params)}: ${status}${errorCode ? `, error ${errorCode}` : ''}`,
      );
      throw new Error(`Not on the wire: ${lacking.join('; ')}. There was: ${saw.join('; ') || 'nothing'}`);
    }
    this.#passed.add(row.id);
  }
}

/** docs/internals/interface-coverage.md with the rows that have passed, before it is formatted. */
export function coveragePage(
  sections: readonly Section[],
  untested: readonly (readonly [statement: string, reason: string])[],
  passed: ReadonlySet<string>,
): string {
  const shown = sections.map(({ title, rows }) => ({ title, rows: rows.filter(({ id }) => passed.has(id)) }));
  const all = shown.flatMap(({ rows }) => rows);
  const wired = all.filter((row) => wiresOf(row).length > 0);
  return `# Coverage of the portal interface

Every statement about the [portal interface](../reference/portal-interface.md) that can be tested has a row here: its operations, parameters, answers, records, item types, rules, limits, settings, releases and deployments. A row is here because its test ran and passed, and, where the last column tells of requests, because the log of the simulated portals held them after that very test.

\`test/interface/interface.test.ts\` plays the rows, compares this page with those that passed, and fails where they differ. It is written anew by \`npm run docs\`; the rows themselves are under \`test/interface/rows\`. The checks go through Portolan's own client, guards, classification and checks of what people write: a row is about what Portolan sends, reads, refuses or says beforehand, and no row sends anything else. What is called _relied on_ is said by no reference: Portolan chose it, and the simulated portal does it.

The last column names requests as the simulated portal calls them, with the HTTP status and, where the answer is an error, its code.

**${all.length} statements**, ${wired.length} of them seen on the wire; ${untested.length} more cannot be tested and stand at the end.

${shown
  .filter(({ rows }) => rows.length > 0)
  .map(({ title, rows }) => `## ${title}\n\n${table(rows)}`)
  .join('\n\n')}

## What cannot be tested

${untested.map(([statement, reason]) => `- ${statement} _${reason}_`).join('\n')}
`;
}

const table = (rows: readonly Row[]): string =>
  [
    ['Statement', 'Shown by', 'On the wire'],
    ['---', '---', '---'],
    ...rows.map((row) => [row.statement, `\`${row.id}\``, wiresOf(row).map(wireWords).join('; ')]),
  ]
    .map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`)
    .join('\n');

/** What a page says otherwise than the one that it should be, in words; empty where they are the same. */
export function differences(page: string, expected: string): string[] {
  if (page === expected) return [];
  const [there, desired] = [rowsById(page), rowsById(expected)];
  const found = [
    ...[...there.keys()]
      .filter((id) => !desired.has(id))
      .map((id) => `${id} stands there, and has not run and passed`),
    ...[...desired.keys()].filter((id) => !there.has(id)).map((id) => `${id} has passed, and is missing`),
    ...[...desired]
      .filter(([id, words]) => (there.get(id) ?? words) !== words)
      .map(([id]) => `${id} reads otherwise`),
  ];
  return found.length > 0 ? found : ['the text around the rows reads otherwise'];
}

const rowsById = (page: string): Map<string, string> =>
  new Map(tableRows(page).map((cells) => [cells[1] ?? '', cells.join(' | ')]));
