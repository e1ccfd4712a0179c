import path from 'node:path';
import { Command } from '@commander-js/extra-typings';
import { resolveRoute } from '../../../config/resolve-route';
import { shortRunId } from '../../../model/run/run-id';
import type { DemoWorld } from '../demo-world';
import { followRun } from '../../run/follow-run';
import { webPageOf } from '../../run/read-run';
import { perform } from '../../terminal/globals';
import { untilInterrupted } from '../../terminal/interrupt';
import type { Output } from '../../terminal/output';
import { labelled, portalsOf } from '../../terminal/words';
import { runHeader } from '../../run/render/run-header';
import { startRun } from '../../run/start-run';
import { requireAbleWorkers } from '../../run/able-workers';
import { withSources } from '../../run/run-sources';

/** `portolan demo`: one real sync between two simulated portals, on this machine and nowhere else. */
export const demoCommand = () =>
  new Command('demo')
    .summary('two simulated portals, one real sync')
    .description(
      'Starts Temporal, two simulated portals and a worker, and carries one group from portal to portal. Takes about a minute, uses no network, and leaves nothing running.',
    )
    .option('--keep', 'leave everything running until Ctrl-C, to look around')
    .action((options, command) =>
      perform(command, async (output) => {
        const started = Date.now();
        const { startDemoWorld } = await import('../demo-world.js');
        const keep = options.keep === true;
        const world = await startDemoWorld(keep, (step) =>
          output.note(output.side.colors.dim(`starting ${step}`)),
        );
        try {
          const { exit, ...ran } = await syncOnce(world, output);
          const interrupted = keep ? untilInterrupted() : undefined;
          output.note(`\n${placesToLook(world, ran, keep, output)}`);
          output.note(output.side.colors.dim(`the demo took ${Math.round((Date.now() - started) / 1000)} s`));
          await interrupted;
          return exit;
        } finally {
          await world.stop();
        }
      }),
    );

/** A run, and its execution in Temporal where that was seen. */
interface Ran {
  readonly runId: string;
  readonly execution?: string;
}

function syncOnce({ config }: DemoWorld, output: Output): Promise<Ran & { readonly exit: number }> {
  return withSources(config, async (sources) => {
    const route = resolveRoute(config, { route: 'transport' });
    const workers = await requireAbleWorkers(sources, portalsOf(route));
    const started = await startRun('sync', config, sources.temporal, { route, yes: true });
    output.note(
      `\n${runHeader({ route, config: config.path, workers, ...started, goesOn: false }, output.side)}`,
    );
    const { runId } = started;
    const { exit, record } = await followRun(sources, runId, output, { leaveWhenWaiting: true });
    return { exit, runId, execution: record?.temporal.runId };
  });
}

/** Where to look next: while it runs, the Web UI and the portals; afterwards, the record in the store. */
function placesToLook(
  { config, folder, server, portals }: DemoWorld,
  { runId, execution }: Ran,
  keep: boolean,
  output: Output,
): string {
  const set = `export PORTOLAN_CONFIG=${config.path}`;
  const run = shortRunId(runId);
  const rows: [string, string][] = keep
    ? [
        ['ui', webPageOf(server.uiUrl ?? '', server.namespace, runId, execution)],
        ['portals', portals.map(({ url }) => url).join('  ')],
        ['log', path.join(folder, 'worker.log')],
        ['shell', `${set}; portolan run show ${run}; portolan diff transport`],
        ['', 'Ctrl-C ends all of it'],
      ]
    : [
        ['record', `portolan run show ${run} --config ${config.path}`],
        ['log', path.join(folder, 'worker.log')],
        ['ui', 'npm run demo -- --keep   leaves portals, Temporal and its Web UI running'],
      ];
  return ['WHERE TO LOOK', ...labelled(rows, output.side)].join('\n');
}
