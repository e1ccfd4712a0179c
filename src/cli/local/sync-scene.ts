import { transportGroupId, transportTargetGroupId } from '../../simulator/seed/transport';
import { builtInUsers } from '../../simulator/seed/users';
import type { Scene } from './demo-world';

/** Two portals with a group each: the target runs a later release, as an upgrade leaves them. */
export const syncScene: Scene = {
  portals: {
    staging: { version: '11.2', seed: 'transport' },
    production: { version: '11.4', seed: 'transport-target' },
  },
  account: builtInUsers.owner,
  prepare: () =>
    Promise.resolve({
      rest: {
        routes: {
          transport: {
            source: { portal: 'staging', group: transportGroupId },
            target: { portal: 'production', group: transportTargetGroupId },
            overwrite: true,
          },
        },
      },
    }),
};
