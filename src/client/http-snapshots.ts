import { z } from 'zod';
import { PortolanError } from '../model/errors/errors';
import type { PortolanSnapshots } from '../service/portolan/snapshots';
import { pinned, unpinned } from '../service/release/release-view';
import { forgettingSeen } from '../service/snapshot/forget-view';
import { snapshotComparison } from '../service/snapshot/snapshot-diff-view';
import { snapshotDetail, snapshotsPage } from '../service/snapshot/snapshot-view';
import { verifiedSnapshot } from '../service/snapshot/verify-snapshots';
import { type Api, API, part } from './api';
import { errorOfProblem } from './problem';

const cutShort = (url: string): PortolanError =>
  new PortolanError('SERVER_UNREACHABLE', `${url} stopped before it had read every snapshot.`, {
    hint: 'Repeat the command. If it takes hours, verify one snapshot at a time.',
  });

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
  async *verify(request) {
    const path = `${API}/snapshots/verify`;
    for await (const { event, data } of api.line.events(path, undefined, request)) {
      if (event === 'verified') yield api.line.claim(path, verifiedSnapshot, data);
      if (event === 'problem') throw errorOfProblem(api.line.server, data) ?? cutShort(api.line.server.url);
      if (event === 'over') return;
    }
    throw cutShort(api.line.server.url);
  },
  pin: (text, reason) => api.post(`/snapshots/${part(text)}/pin`, pinned, { reason }),
  unpin: (text) => api.post(`/snapshots/${part(text)}/unpin`, unpinned, {}),
  forget: (request, how) => api.post('/snapshots/forget', forgettingSeen, { ...request, ...how }),
});
