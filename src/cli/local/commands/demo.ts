import path from 'node:path';
import { Command } from '@commander-js/extra-typings';
import { resolveRoute } from '../../../config/resolve-route';
import { shortRunId } from '../../../model/run/run-id';
import { faint } from '../../../model/text/sheet';
import { portalsOf } from '../../../model/text/words';
import { portolanWith } from '../../../service/local';
import { requireAbleWorkers } from '../../../service/run/compatible-workers';
import { readRun } from '../../../service/run/read-run';
import { webPageOf } from '../../terminal/web-page';
import { withSources, type WriteContext } from '../../../service/run/run-sources';
import { startRun } from '../../../service/run/start-run';
import { builtInUsers } from '../../../simulator/seed/users';
import { followRun, runHeader } from '../../run/follow-run';
import { perform } from '../../terminal/globals';
import { untilInterrupted } from '../../terminal/interrupt';
import type { Output } from '../../terminal/output';
import promotionScene from '../scenes/promotion.json';
import syncScene from '../scenes/sync.json';
import { examples } from '../../terminal/help';

/** `portolan demo`: a sync or promotions between simulated portals on this machine. */
export const demoCommand = () =>
  new Command('demo')
    .description(
      'Run a sync or promotion between simulated portals.\n\nStarts Temporal, the portals and a worker, and stops them at the end. Takes about a minute.',
    )
    .addHelpText(...examples('', '--promotion --keep'))
    .option('--promotion', 'Promote two releases from dev to production; the second is rolled back')
    .option('--keep', 'Keep everything running until Ctrl-C')
    .action(({ promotion = false, keep = false }, command) =>
      perform(command, async (output) => {
        const started = Date.now();
        const say = (text: string): void => output.note([{ lines: [faint(text)] }]);
        const { startDemoWorld } = await import('../demo-world.js');
        const { promotionNames, tellPromotionStory } = await import('../promotion-story.js');
        const world = await startDemoWorld(promotion ? promotionScene : syncScene, {
          account: promotion ? builtInUsers.admin : builtInUsers.owner,
          names: promotionNames,
          ui: keep,
          onStep: (step) => say(`starting ${step}`),
        });
        const { folder, config, server, portals } = world;
        try {
          const { exit, runId, execution } = await withSources(config, async (sources) => {
            const stopped = new AbortController();
            if (promotion) void untilInterrupted().then(() => stopped.abort());
            const played = promotion
              ? await tellPromotionStory(sources, world, output, stopped.signal)
              : await syncOnce(sources, output);
            return {
              ...played,
              execution: (await readRun(sources, played.runId)).record.temporal.runId,
            };
          });
          const interrupted = keep ? untilInterrupted() : undefined;
          const [script, more] = promotion
            ? ['demo:promotion', 'portolan promote status transport']
            : ['demo', 'portolan diff transport'];
          const show = `portolan run show ${shortRunId(runId)}`;
          const log: [string, string] = ['log', path.join(folder, 'worker.log')];
          const facts: [string, string][] = keep
            ? [
                ['ui', webPageOf(server.uiUrl ?? '', server.namespace, runId, execution)],
                ['portals', [...portals.values()].map(({ url }) => url).join(' ')],
                log,
                ['shell', `export PORTOLAN_CONFIG=${config.path}; ${show}; ${more}`],
                ['', 'Ctrl-C stops everything'],
              ]
            : [
                ['record', `${show} --config ${config.path}`],
                log,
                ['ui', `npm run ${script} -- --keep (keeps the portals, Temporal and its Web UI running)`],
              ];
          output.note('');
          output.note([{ title: 'WHERE TO LOOK', facts }]);
          say(`The demo took ${Math.round((Date.now() - started) / 1000)} s.`);
          await interrupted;
          return exit;
        } finally {
          await world.stop();
        }
      }),
    );

/** Syncs a group, as `portolan sync transport --yes` does. */
async function syncOnce(
  sources: WriteContext,
  output: Output,
): Promise<{ readonly runId: string; readonly exit: number }> {
  const { config } = sources;
  const route = resolveRoute(config, { route: 'transport' });
  const workers = await requireAbleWorkers(sources, portalsOf(route));
  const started = await startRun('sync', sources, { route, yes: true });
  const place = { label: 'config', words: config.path } as const;
  output.note('');
  output.note([runHeader({ route, workers, ...started }, place)]);
  output.note('');
  const { runId } = started;
  const { exit } = await followRun(portolanWith(sources), runId, output, { leaveWhenWaiting: true });
  return { runId, exit };
}
