import { reading } from '../run/activity-options';
import { phase, type PhaseEnd } from '../run/phase';
import type { ReleaseRun } from './release-run';
import { countOf } from '../../model/text/words';

/** Reads all portal settings of the release at one moment. */
export const readPortal = phase({
  name: 'portal',
  async run({ input }: ReleaseRun): Promise<PhaseEnd> {
    const { runId, route } = input;
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
