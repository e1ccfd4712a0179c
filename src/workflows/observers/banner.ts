import { CancellationScope, CancelledFailure } from '@temporalio/workflow';
import type { RouteBanner } from '../../model/transfer/route';
import { bestEffort, type ActivitiesOn, writing } from '../run/activity-options';
import type { Run } from '../run/run';

/** The banner shown on the target during an import, if the route has one. */
export const banner = {
  importing: show,
  // People are notified soon even if the target is down; the end of the run tries again.
  halted: (run: Run) => takeDown(run, bestEffort),
  imported: (run: Run) => takeDown(run, writing),
};

/**
 * Shows the banner. The previous one is recorded before the change. If it cannot be shown, the run warns and imports.
 *
 * @throws CancelledFailure if the run was cancelled meanwhile
 */
async function show(run: Run): Promise<void> {
  const { banner } = run.route.options ?? {};
  if (!banner || run.state.banner?.status === 'shown') return;
  const target = run.need('target');
  const ours = asShown(banner);
  await run.attempt(`the banner was not shown on ${target.name}`, () =>
    CancellationScope.nonCancellable(async () => {
      const calls = bestEffort('banner', target.name);
      const before = await calls.readBannerBefore({ target });
      run.show({ banner: { ours, before, status: 'planned' } });
      await run.save();
      await calls.showBanner({ runId: run.input.runId, target, ours, before });
      run.show({ banner: { ours, before, status: 'shown' } });
    }),
  );
  // Last chance to cancel: an import that has started is not cancelled.
  if (CancellationScope.current().consideredCancelled)
    throw new CancelledFailure('cancelled while the banner was shown');
}

/** Restores the previous banner, unless someone changed it meanwhile. */
async function takeDown(run: Run, calls: ActivitiesOn): Promise<void> {
  const { banner } = run.state;
  if (!banner || banner.status === 'back' || banner.status === 'theirs') return;
  const target = run.need('target');
  const { ours, before } = banner;
  const { runId } = run.input;
  await run.attempt(`the banner on ${target.name} could not be restored`, () =>
    CancellationScope.nonCancellable(async () => {
      const activities = calls('previous banner', target.name);
      const status = await activities.putBannerBack({ runId, target, ours, before });
      if (status === 'theirs' && banner.status === 'shown')
        run.warn(`the banner on ${target.name} was changed during the import; Portolan leaves it unchanged`);
      run.show({ banner: { ours, before, status } });
    }),
  );
}

const asShown = ({ text, bgColor, fontColor }: RouteBanner) => ({ text, bgColor, fontColor, enabled: true });
