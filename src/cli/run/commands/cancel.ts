import { Command } from '@commander-js/extra-typings';
import { seekGroupRun, seekRun } from '../../../service/run/find-run';
import { cancelWords } from '../render/cancel';
import type { RunSources } from '../../../service/run/run-sources';
import type { RunView } from '../../../service/run/run-view';
import { workersOf } from '../../../temporal/session';
import { cancelRun, over } from '../../../service/run/answers';
import { answering } from '../answer-run';

/** A change of a portal is over in seconds: the one that was started last is hardly meant. */
const seekToCancel = (sources: RunSources, text: string): Promise<RunView> =>
  (text === 'latest' ? seekGroupRun : seekRun)(sources, text);

/** `portolan run cancel`: asks a run to end, which cleans up behind itself. */
export const runCancelCommand = () =>
  new Command('cancel')
    .description(
      'Asks a run to end; it removes its packages first. A job that runs on a portal cannot be stopped: the run waits for its end, or with --now says what it leaves running.',
    )
    .argument('<run>', 'id, an end of it, or latest')
    .option('--now', 'do not wait for a job that runs on a portal; its package stays there')
    .option('--reason <text>', 'kept in the record')
    .action((text, { now = false, reason }, command) =>
      answering(
        command,
        text,
        async ({ sources, runId, view }) => {
          const { config, temporal } = sources;
          if (!view.open) throw over(runId);
          await cancelRun(sources, runId, { reason, now });
          const workers = await workersOf(temporal, config.temporal.taskQueue);
          const taken = workers.length > 0;
          return { shown: { cancelled: true, now, taken }, words: cancelWords(view.record, { now, taken }) };
        },
        seekToCancel,
      ),
    );
