import { CancellationScope, CancelledFailure, log } from '@temporalio/workflow';
import type { RouteBanner } from '../../model/transfer/route';
import { bestEffort, type Summarised, writing } from './calls';
import { have } from './context';
import { errorRecordOf } from './failure';
import type { Run } from './run';

/**
 * Shows the route's banner on the target, if it has one, for as long as the run imports. What was there before is in
 * the run's record before anything is changed. A banner that cannot be shown is a warning, and the import goes on.
 *
 * @throws CancelledFailure where the run was cancelled meanwhile
 */
export async function showBanner(run: Run): Promise<void> {
  const { banner } = run.route.options;
  if (!banner || run.state.banner?.status === 'shown') return;
  const target = have(run.context, 'target');
  const ours = asShown(banner);
  try {
    await CancellationScope.nonCancellable(async () => {
      const calls = bestEffort(`banner on ${target.name}`);
      const before = await calls.readBannerBefore({ target });
      run.state.banner = { ours, before, status: 'planned' };
      await run.save();
      await calls.showBanner({ runId: run.input.runId, target, ours, before });
      run.state.banner = { ours, before, status: 'shown' };
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
export async function takeBannerDown(run: Run, calls: Summarised = writing): Promise<void> {
  const { banner } = run.state;
  if (!banner || banner.status === 'back' || banner.status === 'theirs') return;
  const target = have(run.context, 'target');
  const { ours, before } = banner;
  try {
    const status = await CancellationScope.nonCancellable(() =>
      calls(`banner on ${target.name}, back`).putBannerBack({
        runId: run.input.runId,
        target,
        ours,
        before,
      }),
    );
    if (status === 'theirs' && banner.status === 'shown')
      run.warn(`somebody has changed the banner on ${target.name} while the run imported; it stays so`);
    run.state.banner = { ours, before, status };
  } catch (error) {
    log.warn('the banner could not be taken down', { error });
    const { message } = errorRecordOf(error, run.route);
    run.warn(`the banner on ${target.name} could not be put back: ${message}`);
  }
}

const asShown = ({ text, bgColor, fontColor }: RouteBanner) => ({ text, bgColor, fontColor, enabled: true });
