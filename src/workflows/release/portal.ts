import { reading } from '../run/activity-options';
import { phase, type PhaseEnd } from '../run/phase';
import type { ReleaseRun } from './release-run';
import { countOf } from '../../model/text/words';

/** Reads all portal settings of the release at one moment. */
export const readPortal = phase({
  name: 'portal',
  async run({ input, state }: ReleaseRun): Promise<PhaseEnd> {
    const { runId, route } = input;
    // Already read by the execution this one continues.
    if ((state.children ?? []).length > 0) return { detail: 'as read' };
    const held = await reading(`settings of ${route.source.portal}`, route.source.portal).readPortalState({
      runId,
    });
    const parts = [
      ...(held.settings === undefined ? [] : [countOf(held.settings, 'setting')]),
      ...(held.categories === undefined ? [] : [countOf(held.categories, 'category', 'categories')]),
    ];
    return parts.length === 0
      ? { status: 'skipped', detail: 'nothing included' }
      : { detail: parts.join(', ') };
  },
});
