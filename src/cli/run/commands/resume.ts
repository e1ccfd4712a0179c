import { Command, type CommandUnknownOpts } from '@commander-js/extra-typings';
import { changeKeys, parseRouteChange } from '../../../config/route-change';
import type { Resume } from '../../../model/run/run-input';
import { repeated } from '../../terminal/arguments';
import { requireParked, resumeRun } from '../../../service/run/answers';
import { answerWords, answering } from '../answer-run';

/** `portolan run resume`: goes on with a parked run, with a correction where one is given. */
export const runResumeCommand = () =>
  new Command('resume')
    .description(
      `Goes on with a parked run. Both portals are looked at first: where they refuse, that is said, and the run stays parked as it was. What can be corrected: ${changeKeys.join(', ')}. An empty value takes a folder or its owner away.`,
    )
    .argument('<run>', 'id, an end of it, or latest')
    .option('--set <key=value>', 'corrects the route for this run; can be repeated', repeated)
    .option('--reason <text>', 'kept in the record')
    .action((text, { set = [], reason }, command) =>
      // What was mistyped is said before anybody is asked.
      resume(command, text, { set: parseRouteChange(set), reason }),
    );

const resume = (
  command: CommandUnknownOpts,
  text: string,
  { set, reason }: Pick<Resume, 'set' | 'reason'>,
): Promise<void> =>
  answering(command, text, async (run, output) => {
    const parked = requireParked(run.view);
    output.note('Both portals are looked at before anything changes.');
    const delivery = await resumeRun(run.sources, run.runId, parked, { reason, set });
    return {
      shown: { resumed: true, set, ...delivery },
      words: await answerWords(run, delivery, (answer) => `resumed: the run ${answer}`),
    };
  });
