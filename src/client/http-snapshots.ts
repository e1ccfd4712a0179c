import { z } from 'zod';
import type { PortolanSnapshots } from '../service/portolan/snapshots';
import { pinned, unpinned } from '../service/release/release-view';
import { forgettingSeen } from '../service/snapshot/forget-view';
import { snapshotComparison } from '../service/snapshot/snapshot-diff-view';
import { snapshotDetail, snapshotsPage } from '../service/snapshot/snapshot-view';
import { type Api, part } from './api';

/** Snapshots of the store of a server. */
export const httpSnapshots = (api: Api): PortolanSnapshots => ({
  async list(asked) {
    const pages = await api.pages('/snapshots', snapshotsPage, ({ next }) => next, asked);
    const { routes = [], hidden } = pages[0] ?? {};
    return {
      snapshots: pages.flatMap(({ snapshots }) => snapshots),
      routes,
      ...(hidden !== undefined && { hidden }),
    };
  },
  async show(text) {
    const page = snapshotDetail.extend({ next: z.string().max(16).optional() });
    const pages = await api.pages(`/snapshots/${part(text)}`, page, ({ next }) => next);
    const items = pages.flatMap((each) => each.items);
    const { next: _none, ...detail } = pages[0] as z.infer<typeof page>;
    return { ...detail, items };
  },
  diff: (before, after) => api.get(`/snapshots/${part(before)}/diff`, snapshotComparison, { with: after }),
  pin: (text, reason) => api.post(`/snapshots/${part(text)}/pin`, pinned, { reason }),
  unpin: (text) => api.post(`/snapshots/${part(text)}/unpin`, unpinned, {}),
  forget: (request, how) => api.post('/snapshots/forget', forgettingSeen, { ...request, ...how }),
});
