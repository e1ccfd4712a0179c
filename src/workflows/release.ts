import { claimId, commitRelease, giveBack } from './release/manifest';
import { backUpGroups } from './release/groups';
import { readPortal } from './release/portal';
import { ReleaseRun } from './release/release-run';
import { defineRun } from './run/define-run';
import type { Kind } from './run/phase';

const kind: Kind<ReleaseRun> = {
  name: 'release',
  sides: ['source'],
  notifies: true,
  settle: giveBack,
  verdict: () => 'succeeded',
};

/**
 * Creates a release of a pipeline: a snapshot of each group of its first stage, and its portal settings. It is visible
 * only once it is complete.
 */
export const release = defineRun(kind, ReleaseRun, () => [
  claimId, // its future ID
  readPortal, // current settings and categories
  backUpGroups, // one child run each; unchanged groups are not exported again
  commitRelease, // the release exists once its manifest is written
]);
