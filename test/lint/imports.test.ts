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

/** What the linter says of texts that would stand in these files, in their order. */
function lint(cases: readonly Case[]): Message[][] {
  const script = path.join(__dirname, 'lint-texts.mjs');
  const input = JSON.stringify(cases);
  return JSON.parse(execFileSync(process.execPath, [script], { cwd: root, input, encoding: 'utf8' }));
}

const saidBy = (ruleId: string, messages: readonly Message[] = []): string[] =>
  messages.filter((each) => each.ruleId === ruleId).map(({ message }) => message);

/** An import that climbs, from each room, and what to do instead. */
const climbing: [file: string, from: string, instead: string][] = [
  [
    'src/model/run/run.ts',
    '../../config/config',
    'model/ imports nothing of the rest. Move the type that is needed down into model/, or the function up to whoever calls it.',
  ],
  [
    'src/simulator/world.ts',
    '../portal/client',
    'simulator/ shares nothing with the client, lest both make the same mistake. Write what it needs anew, from docs/reference/portal-interface.md.',
  ],
  [
    'src/secrets/secret.ts',
    '../config/config',
    'secrets/ knows errors and nothing else. Take the value that is needed as an argument.',
  ],
  [
    'src/portal/client.ts',
    '../secrets/secret',
    'portal/ speaks the portal interface and knows no run, store or configuration. Take what is needed as an argument of plain values.',
  ],
  [
    'src/store/s3/s3-store.ts',
    '../../config/config',
    'store/ keeps files and knows neither portals nor portolan.yaml. Its own settings are in store/store.ts, which config/ fills; take the rest as an argument.',
  ],
  [
    'src/config/config.ts',
    '../domain/snapshot/snapshots',
    'config/ compiles portolan.yaml and knows no run. Move a rule about runs to domain/, and let whoever loads the configuration call it.',
  ],
  [
    'src/domain/snapshot/snapshots.ts',
    '../../cli/terminal/output',
    'domain/ holds rules without Temporal and without a terminal. Return a value or throw a PortolanError, and let activities/ or cli/ do the rest.',
  ],
  [
    'src/activities/activities.ts',
    '../temporal/worker',
    'activities/ know neither who calls them nor how a worker runs. Take what is needed as input, or from ActivityDeps.',
  ],
  [
    'src/workflows/sync.ts',
    '../temporal/connection',
    'workflows/ decide the order of things. Call an activity, by its type, for whatever is done.',
  ],
  [
    'src/temporal/worker.ts',
    '../cli/program',
    'temporal/ connects and runs what it is given. Pass activities and interceptors as arguments, from worker.ts.',
  ],
  [
    'src/worker.ts',
    './cli/program',
    'worker.ts puts a worker together and knows no command. Take what is needed as an argument.',
  ],
  [
    'src/service/run/read-run.ts',
    '../../cli/terminal/output',
    'service/ is what one can ask of Portolan and tell it, whoever asks: it knows neither a terminal nor HTTP. Return a value, and let cli/ show it.',
  ],
  [
    'src/service/portal-queue/read-portal-queues.ts',
    '../run/run-view',
    'service/portal-queue/ imports no other context of service/ than itself. Move what two of them share to service/run/.',
  ],
  [
    'src/serve/server.ts',
    '../cli/terminal/output',
    'serve/ answers HTTP and decides nothing: take what is asked for from service/, as the command line does.',
  ],
  [
    'src/cli/program.ts',
    '../activities/activities',
    'cli/ asks workflows by their name and activities not at all. Move what both use to domain/, and its types to model/.',
  ],
  [
    'src/cli/terminal/output.ts',
    '../run/run-display',
    'cli/terminal/ knows no run. Take what is needed as an argument, or move the function to the context that it is about.',
  ],
  [
    'src/cli/queue/commands/list.ts',
    '../../run/run-display',
    'cli/queue/ imports terminal of cli/ and no other context. Move what two of them share to cli/run/, or to domain/ where it needs no terminal.',
  ],
  [
    'src/cli/snapshot/commands/list.ts',
    '../../transfer/commands/diff',
    'cli/snapshot/ imports terminal, queue, run of cli/ and no other context. Move what two of them share to cli/run/, or to domain/ where it needs no terminal.',
  ],
  [
    'src/service/run/run-view.ts',
    './read-run',
    'A view is filled by one file and drawn by another, and imports neither. Move the type that is needed into a view, or down into model/.',
  ],
  [
    'src/cli/run/follow-run.ts',
    './commands/restart',
    'A command is called by command-tree.ts alone. Move what is shared with it into a file beside commands/.',
  ],
  [
    'src/cli/transfer/commands/sync.ts',
    '../../../simulator/simulator',
    'Only cli/local/ starts a worker or a simulated portal in its own process. Move what needs one there.',
  ],
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

describe('an import that climbs', () => {
  it.each(climbing.map((each, index) => [...each, ofClimbing[index]] as const))(
    'is refused in %s, also of a type, with what to do instead',
    (_file, from, instead, messages) => {
      expect(saidBy('import-x/no-restricted-paths', messages)).toEqual([
        `Unexpected path "${from}" imported in restricted zone. ${instead}`,
      ]);
    },
  );
});

describe('a circle of imports', () => {
  it('is refused, also of types alone, with the way that it takes', () => {
    expect(saidBy('portolan/no-circle', circle)).toEqual([
      'A circle of imports: store/s3/s3-connection.ts -> store/open-store.ts -> store/s3/s3-connection.ts. ' +
        'Move what both ends need into a file that imports neither, or hand it over as an argument.',
    ]);
  });

  it('is none where the arrows do not come back', () => {
    expect(straight).toEqual([]);
  });
});

describe('workflow code', () => {
  it('takes types from other rooms', () => {
    expect(ofTypes).toEqual([]);
  });

  it('takes nothing but types of a model that loads zod', () => {
    expect(saidBy('@typescript-eslint/no-restricted-imports', ofZod)).toEqual([
      "'../model/run/run' import is restricted from being used by a pattern. Workflow code takes types only from here.",
    ]);
  });
});
