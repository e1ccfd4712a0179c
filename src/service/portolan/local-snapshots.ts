import type { ReadContext } from '../run/run-sources';
import { whoTypes } from '../run/who';
import { forgetSnapshots } from '../snapshot/forget-snapshots';
import {
  diffSnapshots,
  pinSnapshot,
  readSnapshot,
  readSnapshots,
  unpinSnapshot,
} from '../snapshot/snapshots';
import { chosenSnapshots, verifySnapshots } from '../snapshot/verify-snapshots';
import type { PortolanSnapshots } from './snapshots';

/** Snapshots of the store of a configuration. */
export const localSnapshots = (sources: ReadContext): PortolanSnapshots => ({
  async list(asked) {
    const { next: _none, ...listed } = await readSnapshots(sources, asked);
    return listed;
  },
  show: (text) => readSnapshot(sources, text),
  diff: (before, after) => diffSnapshots(sources, before, after),
  async *verify(request) {
    yield* verifySnapshots(sources, await chosenSnapshots(sources, request));
  },
  pin: (text, reason) => pinSnapshot(sources, text, { who: whoTypes().who, reason }),
  unpin: (text) => unpinSnapshot(sources, text),
  forget: (request, how) => forgetSnapshots(sources, request, how),
});
