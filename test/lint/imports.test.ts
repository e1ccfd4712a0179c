import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';

const root = path.resolve(__dirname, '../..');

interface Case {
  readonly file: string;
  readonly text: string;
}

interface Message {
  readonly ruleId: string;
  readonly message: string;
}

/** The linter's messages on texts in place of these files. */
function lint(cases: readonly Case[]): Message[][] {
  const script = path.join(__dirname, 'lint-texts.mjs');
  const input = JSON.stringify(cases);
  return JSON.parse(execFileSync(process.execPath, [script], { cwd: root, input, encoding: 'utf8' }));
}

const textsBy = (ruleId: string, messages: readonly Message[] = []): string[] =>
  messages.filter((each) => each.ruleId === ruleId).map(({ message }) => message);

/** Imports that climb: of the rest, of another command context, of a view. */
const climbing: [file: string, from: string][] = [
  ['src/model/run/run.ts', '../../config/config'],
  ['src/cli/queue/commands/list.ts', '../../run/run-display'],
  ['src/service/run/run-view.ts', './read-run'],
];

const typeFrom = (from: string): string => `import type { Any } from '${from}';\n`;

// A text stays in the linter's graph of imports, as in an editor: what climbs comes last.
const [circle, straight, ofTypes, ofZod, ...ofClimbing] = lint([
  { file: 'src/store/s3/s3-connection.ts', text: typeFrom('../open-store') },
  { file: 'src/store/s3/s3-objects.ts', text: typeFrom('../store-config') },
  { file: 'src/workflows/sync.ts', text: typeFrom('../activities/activities') },
  { file: 'src/workflows/sync.ts', text: "import { runRecord } from '../model/run/run';\n" },
  ...climbing.map(([file, from]) => ({ file, text: typeFrom(from) })),
]);

describe('an import', () => {
  it.each(climbing.map((each, index) => [...each, ofClimbing[index]] as const))(
    'is refused when it climbs, also for a type: %s',
    (_file, from, messages) => {
      expect(textsBy('import-x/no-restricted-paths', messages)).toEqual([expect.stringContaining(from)]);
    },
  );

  it('is refused when it closes a circle, also for a type', () => {
    expect(textsBy('portolan/no-circle', circle)).toEqual([
      'A circle of imports: store/s3/s3-connection.ts -> store/open-store.ts -> store/s3/s3-connection.ts. ' +
        'Move what both ends need into a file that imports neither, or hand it over as an argument.',
    ]);
  });

  it('is accepted when it closes no circle', () => {
    expect(straight).toEqual([]);
  });
});

describe('workflow code', () => {
  it('imports types of other rooms', () => {
    expect(ofTypes).toEqual([]);
  });

  it('imports only types of a model that loads zod', () => {
    expect(textsBy('@typescript-eslint/no-restricted-imports', ofZod)).toEqual([
      "'../model/run/run' import is restricted from being used by a pattern. Workflow code takes types only from here.",
    ]);
  });
});
