import path from 'node:path';
import { Command } from '@commander-js/extra-typings';
import { resolveRoute } from '../../../config/resolve-route';
import { exitStatus } from '../../../model/errors/error-codes';
import { shortRunId } from '../../../model/run/run-id';
import type { DemoWorld } from '../demo-world';
import { followRun } from '../../run/follow-run';
import { readRun } from '../../../service/run/read-run';
import { webPageOf } from '../../terminal/known-page';
import { perform } from '../../terminal/globals';
import { untilInterrupted } from '../../terminal/interrupt';
import type { Output } from '../../terminal/output';
import { portalsOf } from '../../../model/text/words';
import { labelled } from '../../terminal/columns';
import { runHeader } from '../../run/render/run-header';
import { startRun } from '../../../service/run/start-run';
import { requireAbleWorkers } from '../../../service/run/compatible-workers';
import { portolanWith } from '../../../service/local';
import { withSources } from '../../../service/run/run-sources';
import { PromotionStory } from '../promotion-story';
import { pipeline, promotionScene } from '../promotion-scene';
import { promotionStory } from '../render/promotion-story';
import { syncScene } from '../sync-scene';

/** `portolan demo`: a sync or promotions between simulated portals on this machine. */
export const demoCommand = () =>
  new Command('demo')
    .description(
      'Run a sync or promotion between simulated portals.\n\nStarts Temporal, the portals and a worker, and stops them at the end. Takes about a minute.',
    )
    .option('--promotion', 'Promote two releases from dev to production; the second is rolled back')
    .option('--keep', 'Keep everything running until Ctrl-C')
    .action((options, command) =>
      perform(command, async (output) => {
        const started = Date.now();
        const { startDemoWorld } = await import('../demo-world.js');
        const keep = options.keep === true;
        const [scene, play] = options.promotion
          ? ([promotionScene, playPromotion] as const)
          : ([syncScene, syncOnce] as const);
        const world = await startDemoWorld(scene, keep, (step) =>
          output.note(output.side.colors.dim(`starting ${step}`)),
        );
        try {
          const played = await play(world, output);
          const interrupted = keep ? untilInterrupted() : undefined;
          output.note(`\n${placesToLook(world, played, keep, output)}`);
          output.note(
            output.side.colors.dim(`The demo took ${Math.round((Date.now() - started) / 1000)} s.`),
          );
          await interrupted;
          return played.exit;
        } finally {
          await world.stop();
        }
      }),
    );

/** Result of a demo. */
interface Played {
  readonly exit: number;
  readonly runId: string;
  /** Its execution in Temporal, if known. */
  readonly execution?: string;
  /** Another command to try. */
  readonly more: string;
  /** Its script in package.json. */
  readonly script: string;
}

function syncOnce({ config }: DemoWorld, output: Output): Promise<Played> {
  return withSources(config, async (sources) => {
    const route = resolveRoute(config, { route: 'transport' });
    const workers = await requireAbleWorkers(sources, portalsOf(route));
    const started = await startRun('sync', sources, { route, yes: true });
    output.note(
      `\n${runHeader({ route, place: { label: 'config', words: config.path }, workers, ...started, goesOn: false }, output.side)}`,
    );
    const { runId } = started;
    const { exit, record } = await followRun(portolanWith(sources), runId, output, {
      leaveWhenWaiting: true,
    });
    return {
      exit,
      runId,
      execution: record?.temporal.runId,
      more: 'portolan diff transport',
      script: 'demo',
    };
  });
}

function playPromotion({ config, portals }: DemoWorld, output: Output): Promise<Played> {
  return withSources(config, async (sources) => {
    const stopped = new AbortController();
    void untilInterrupted().then(() => stopped.abort());
    const story = await new PromotionStory(sources, portals, output, stopped.signal).play();
    output.note('');
    output.show(story, (style) => promotionStory(story, style));
    const { runId, differences } = story;
    const exit = differences.length === 0 ? exitStatus.done : exitStatus.failed;
    const { record } = await readRun(sources, runId);
    const more = `portolan promote status ${pipeline}`;
    return { exit, runId, execution: record.temporal.runId, more, script: 'demo:promotion' };
  });
}

/** With --keep, the Web UI and the portals; otherwise the record in the store. */
function placesToLook(
  { config, folder, server, portals }: DemoWorld,
  { runId, execution, more, script }: Played,
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
        ['shell', `${set}; portolan run show ${run}; ${more}`],
        ['', 'Ctrl-C stops everything'],
      ]
    : [
        ['record', `portolan run show ${run} --config ${config.path}`],
        ['log', path.join(folder, 'worker.log')],
        ['ui', `npm run ${script} -- --keep   keeps the portals, Temporal and its Web UI running`],
      ];
  return ['WHERE TO LOOK', ...labelled(rows, output.side)].join('\n');
}
