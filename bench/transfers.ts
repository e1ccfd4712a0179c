import { execFile } from 'node:child_process';
import { mkdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Portal } from '../src/portal/client';
import { exportGroup } from '../src/portal/resources/group-export';
import { readItemStatus } from '../src/portal/resources/items/add-item';
import { deleteItem } from '../src/portal/resources/items/items';
import { readJob } from '../src/portal/resources/jobs';
import { readSelf } from '../src/portal/resources/portals';
import { packageItemIn } from '../src/portal/http/transfer-answer';
import { releaseOf } from '../src/portal/http/versions';
import { bigGroupId } from '../src/simulator/seed/seeds';
import { builtInUsers } from '../src/simulator/seed/users';
import { Child } from './child';
import { type CurlAccess, curlDownload, curlParts, curlUpload, cutIntoParts } from './curl';
import { GROWN_HEAP, type PortalProcess } from './portal-process';
import { forgetPeak, peakBytes, residentBytes } from './process-memory';
import type { Transfer, TransferProcess } from './transfer-process';

/** Times of one direction, round by round. */
export interface Contest {
  /** @format milliseconds */
  readonly ours: number[];
  /** @format milliseconds */
  readonly curl: number[];
}

export interface Transfers {
  readonly down: Contest;
  readonly up: Contest & { readonly curlInParts: number[] };
  /** Ours, down and up at once. @format milliseconds */
  readonly both: number[];
  /** The same over limited lines, and what curl takes there in one direction. @format milliseconds */
  readonly limited: { readonly both: number[]; readonly curlDown: number[]; readonly curlUp: number[] };
  /** The most that our process grew over its idle in any round; undefined where the system does not tell. @format bytes */
  readonly grown: { down?: number; up?: number; both?: number };
}

const { username, password } = builtInUsers.owner;

/**
 * A package of `bytes` bytes and a little, down and up, by us and by curl in turns, so that whatever else
 * the machine does meets both. The portal, our transfers and curl are processes of their own.
 */
export async function runTransfers(
  folder: string,
  { bytes, rounds, onRound }: { bytes: number; rounds: number; onRound: (round: number) => void },
): Promise<Transfers> {
  const simulator = new Child<PortalProcess>('portal-process', GROWN_HEAP);
  const other = new Child<PortalProcess>('portal-process', GROWN_HEAP);
  const worker = new Child<TransferProcess>('transfer-process');
  try {
    const { url } = await simulator.call('start', {
      name: 'simulated',
      version: '11.4',
      state: path.join(folder, 'portal'),
      seed: 'big',
      seedBytes: bytes,
      maxItemBytes: bytes,
      jobPolls: 0,
      commitLagMs: 0,
      recycleBin: 'off',
    });
    const { url: targetUrl } = await other.call('start', {
      name: 'target',
      version: '11.4',
      state: path.join(folder, 'target'),
      seed: 'empty',
      maxItemBytes: bytes,
      jobPolls: 0,
      commitLagMs: 0,
      recycleBin: 'off',
    });
    const secret = () => Promise.resolve(password);
    const auth = { type: 'password', username, secret } as const;
    const portal = new Portal({ name: 'simulated', url, auth });
    const target = new Portal({ name: 'target', url: targetUrl, auth });
    const farPortal = new Portal({ name: 'far', url: await simulator.call('line', url), auth });
    const farTarget = await other.call('line', targetUrl);
    try {
      const store = path.join(folder, 'store');
      const transfer: Transfer = { store, key: 'package.epk', portal: { url, username, password } };
      const parts = path.join(folder, 'parts');
      await mkdir(parts);
      return await takeTurns({
        portal,
        target,
        farPortal,
        farTarget,
        worker,
        transfer,
        parts,
        rounds,
        onRound,
      });
    } finally {
      await Promise.all([portal.close(), target.close(), farPortal.close()]);
    }
  } finally {
    await worker.end();
    await Promise.all([simulator.end(), other.end()]);
  }
}

async function takeTurns({
  portal,
  target,
  farPortal,
  farTarget,
  worker,
  transfer,
  parts: partsFolder,
  rounds,
  onRound,
}: {
  portal: Portal;
  /** The other end, where both lines are at work. */
  target: Portal;
  /** The portal over its limited line. */
  farPortal: Portal;
  /** Address of the other end over its limited line. */
  farTarget: string;
  worker: Child<TransferProcess>;
  transfer: Transfer;
  /** Folder for curl's parts. */
  parts: string;
  rounds: number;
  onRound: (round: number) => void;
}): Promise<Transfers> {
  const itemId = await exportOf(portal);
  const access = await accessTo(portal);
  const farAccess = await accessTo(farPortal);
  const file = path.join(transfer.store, transfer.key);
  const remove = (id: string, on = portal) =>
    deleteItem(on, { owner: username, itemId: id, permanent: true });
  const far = { ...transfer, portal: { ...transfer.portal, url: farPortal.url } };
  await worker.call('warmUp', transfer);
  await worker.call('warmUp', far);
  const idle = await residentBytes(worker.pid);
  const result: Transfers = {
    down: { ours: [], curl: [] },
    up: { ours: [], curl: [], curlInParts: [] },
    both: [],
    limited: { both: [], curlDown: [], curlUp: [] },
    grown: {},
  };
  const { down, up, both, limited, grown } = result;
  const growthOver = async <T>(way: keyof Transfers['grown'], act: () => Promise<T>): Promise<T> => {
    await forgetPeak(worker.pid);
    const done = await act();
    const peak = await peakBytes(worker.pid);
    if (peak !== undefined && idle !== undefined) grown[way] = Math.max(grown[way] ?? 0, peak - idle);
    return done;
  };
  const sent = async (times: number[], send: Promise<{ ms: number; itemId: string }>): Promise<void> => {
    const { ms, itemId: made } = await send;
    times.push(ms);
    await remove(made);
  };
  for (let round = 1; round <= rounds; round++) {
    onRound(round);
    const hashes = new Set<string>();
    await inTurn(round, [
      async () => {
        const { ms, sha256 } = await growthOver('down', () =>
          worker.call('download', { ...transfer, itemId }),
        );
        down.ours.push(ms);
        hashes.add(sha256);
      },
      async () => {
        const { ms, sha256 } = await curlDownload(access, itemId);
        down.curl.push(ms);
        hashes.add(sha256);
      },
    ]);
    await allWritten();
    const to = { url: target.url, username, password };
    const carried = await growthOver('both', () =>
      worker.call('both', { ...transfer, key: 'both.epk', itemId, target: to }),
    );
    both.push(carried.ms);
    hashes.add(carried.sha256);
    await remove(carried.itemId, target);
    if (hashes.size !== 1) throw new Error('We and curl have got different files.');
    await inTurn(round, [
      async () => {
        const over = await worker.call('both', {
          ...far,
          key: 'far.epk',
          itemId,
          target: { url: farTarget, username, password },
        });
        limited.both.push(over.ms);
        await remove(over.itemId, target);
      },
      async () => void limited.curlDown.push((await curlDownload(farAccess, itemId)).ms),
      () => sent(limited.curlUp, curlUpload(farAccess, username, file)),
    ]);
    const parts = await cutIntoParts(file, (await stat(file)).size, partsFolder);
    await inTurn(round, [
      () =>
        sent(
          up.ours,
          growthOver('up', () => worker.call('upload', transfer)),
        ),
      () => sent(up.curl, curlUpload(access, username, file)),
      () => sent(up.curlInParts, curlParts(access, username, parts).then(joined)),
    ]);
    for (const each of [file, ...parts]) await rm(each);
  }
  return result;

  /** What the portal still does is not to cost whoever comes next. */
  async function joined<T extends { itemId: string }>(upload: T): Promise<T> {
    const item = { username, itemId: upload.itemId };
    while ((await readItemStatus(portal, item)).phase !== 'completed') await sleep(50);
    return upload;
  }
}

async function accessTo(portal: Portal): Promise<CurlAccess> {
  const { value: token } = await portal.signedIn();
  return { url: portal.url, token, referer: portal.url };
}

/** Whoever goes first finds another disk cache than the others, so the first place changes from round to round. */
async function inTurn(round: number, all: readonly (() => Promise<void>)[]): Promise<void> {
  const first = round % all.length;
  for (const act of [...all.slice(first), ...all.slice(0, first)]) {
    await allWritten();
    await act();
  }
}

/** What one of them left for the disk to write is not to be the next one's cost. */
const allWritten = (): Promise<unknown> => promisify(execFile)('sync');

/** Has the portal make a package of its big group. @returns the package's item id */
async function exportOf(portal: Portal): Promise<string> {
  const self = await readSelf(portal);
  const started = await exportGroup(portal, bigGroupId, { async: true, version: releaseOf(self) });
  if (started.kind !== 'job') throw new Error(`the export was answered with ${started.kind}`);
  for (;;) {
    const job = await readJob(portal, self.id, started.jobId, { key: started.key });
    if (job.phase === 'failed') throw new Error(`the export failed: ${job.messages.join(' ')}`);
    const itemId = job.phase === 'succeeded' ? packageItemIn(job) : undefined;
    if (itemId) return itemId;
    await sleep(100);
  }
}
