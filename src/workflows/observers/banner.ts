import { CancellationScope, CancelledFailure, log } from '@temporalio/workflow';
import type { RouteBanner } from '../../model/transfer/route';
import { bestEffort, type CallsTo, writing } from '../run/activity-options';
import { errorRecordOf } from '../run/failure';
import { known } from '../run/facts';
import type { Observer } from './observer';
import type { Run } from '../run/run';

/** The banner that a route shows on its target for as long as a run imports. */
export const banner: Observer = {
  importing: show,
  // A person is notified soon, also where the target is away; the end of the run tries again.
  halted: (run) => takeDown(run, bestEffort),
  imported: (run) => takeDown(run, writing),
};

/**
 * Shows it, if the route has one. What was there before is in the run's record before anything is changed. A banner
 * that cannot be shown is a warning, and the import goes on.
 *
 * @throws CancelledFailure where the run was cancelled meanwhile
 */
async function show(run: Run): Promise<void> {
  const { banner } = run.route.options ?? {};
  if (!banner || run.state.banner?.status === 'shown') return;
  const target = known(run.facts, 'target');
  const ours = asShown(banner);
  try {
    await CancellationScope.nonCancellable(async () => {
      const calls = bestEffort('banner', target.name);
      const before = await calls.readBannerBefore({ target });
      run.show({ banner: { ours, before, status: 'planned' } });
      await run.save();
      await calls.showBanner({ runId: run.input.runId, target, ours, before });
      run.show({ banner: { ours, before, status: 'shown' } });
    });
  } catch (error) {
    log.warn('the banner could not be shown', { error });
    const { message } = errorRecordOf(error, run.route);
    run.warn(`the banner was not shown on ${target.name}: ${message}`);
  }
  // The import behind it is not given up any more, once it is begun.
  if (CancellationScope.current().consideredCancelled)
    throw new CancelledFailure('cancelled while the banner was shown');
}

/** Puts back what was there before, unless somebody has changed the banner meanwhile. */
async function takeDown(run: Run, calls: CallsTo): Promise<void> {
  const { banner } = run.state;
  if (!banner || banner.status === 'back' || banner.status === 'theirs') return;
  const target = known(run.facts, 'target');
  const { ours, before } = banner;
  try {
    const status = await CancellationScope.nonCancellable(() =>
      calls('previous banner', target.name).putBannerBack({
        runId: run.input.runId,
        target,
        ours,
        before,
      }),
    );
    if (status === 'theirs' && banner.status === 'shown')
      run.warn(`the banner on ${target.name} was changed during the import; Portolan leaves it unchanged`);
    run.show({ banner: { ours, before, status } });
  } catch (error) {
    log.warn('the banner could not be removed', { error });
    const { message } = errorRecordOf(error, run.route);
    run.warn(`the banner on ${target.name} could not be restored: ${message}`);
  }
}

const asShown = ({ text, bgColor, fontColor }: RouteBanner) => ({ text, bgColor, fontColor, enabled: true });
