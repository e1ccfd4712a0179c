import type { RunView } from '../../contract/runs';
import type { BegunRun, startOperations } from '../../contract/starts';
import type { Context, Handlers } from '../context';
import { seekGroupRun } from '../run/find-run';
import { prepareBackup, prepareDrill } from './backup';
import { begin, type PreparedRun, type Starting } from './prepared-run';
import { preparePromotion, prepareRelease, prepareStageRollback } from './promotion';
import { prepareRestart } from './restart';
import { prepareRestore, prepareRollback } from './restore';
import { prepareRetry } from './retry';
import { prepareSync } from './sync';

type Acting = Context & Starting;

/** What a start names, and what it does besides beginning a run. */
interface Asked {
  readonly reason?: string;
  readonly route?: string;
  readonly pipeline?: string;
  readonly yes?: boolean;
  readonly scheduledBy?: string;
  readonly bisect?: boolean;
}

/** Prepares a run, asks whether it may be started, and starts it. */
export const starting =
  <Input extends Asked>(prepare: (context: Acting, input: Input) => PreparedRun | Promise<PreparedRun>) =>
  async (context: Acting, input: Input): Promise<BegunRun> => {
    const { config, may, attended, begins } = context;
    const { route, pipeline, yes, scheduledBy, bisect } = input;
    if (route !== undefined) may.changeNamed('routes', route);
    if (pipeline !== undefined) may.changeNamed('pipelines', pipeline);
    // `yes` approves the plan, so it needs the same right.
    if (yes) may.have('approve');
    // These end a run that is parked before another one begins.
    if (scheduledBy !== undefined || bisect) may.have('operate');
    const prepared = await prepare(context, input);
    const { kind, start } = prepared;
    may.changeRun({ kind, route: start.route });
    may.writeInto(config, kind, start.route);
    return await begin(context, prepared, { attended, begins });
  };

/** Starts a run in place of another, after checking the rights for that one: preparing it can end that run. */
const startingFor = <Input extends Asked & { readonly run: string }>(
  prepare: (context: Acting, run: RunView, input: Input) => Promise<PreparedRun>,
) =>
  starting<Input>(async (context, input) => {
    const run = await seekGroupRun(context, input.run);
    context.may.changeRun(run.record);
    return await prepare(context, run, input);
  });

export const startHandlers: Handlers<typeof startOperations> = {
  startSync: starting(prepareSync),
  startBackup: starting(prepareBackup),
  startDrill: starting(prepareDrill),
  startRestore: starting(prepareRestore),
  createRelease: starting(prepareRelease),
  startPromotion: starting(preparePromotion),
  rollBackStage: starting(async (context, input) => {
    // It may end a promotion that is parked there.
    context.may.have('operate');
    return await prepareStageRollback(context, input);
  }),
  retryRun: startingFor(prepareRetry),
  restartRun: startingFor(prepareRestart),
  lookAtRestart: async (context, input) => {
    const run = await seekGroupRun(context, input.run);
    return { takeover: (await prepareRestart(context, run, input, true)).takeover };
  },
  rollBackRun: startingFor(prepareRollback),
};
