import { rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Portal } from '../src/portal/client';
import { exportGroup } from '../src/portal/resources/group-export';
import { deleteItem } from '../src/portal/resources/items/items';
import { readJob } from '../src/portal/resources/jobs';
import { readSelf } from '../src/portal/resources/portals';
import { packageItemIn } from '../src/portal/http/transfer-answer';
import { releaseOf } from '../src/portal/http/versions';
import { bigGroupId } from '../src/simulator/seed/seeds';
import { builtInUsers } from '../src/simulator/seed/users';
import { Child } from './child';
import { type CurlAccess, curlDownload, curlUpload } from './curl';
import type { PortalProcess } from './portal-process';
import { forgetPeak, peakBytes, residentBytes } from './process-memory';
import type { Transfer, TransferProcess } from './transfer-process';

/** Times of one direction, round by round. */
export class Contest {
  /** @format milliseconds */
  readonly ours: number[] = [];
  /** @format milliseconds */
  readonly curl: number[] = [];
  /** The most that our process grew over its idle in any round; undefined where the system does not tell. @format bytes */
  grown: number | undefined;

  grew(bytes: number | undefined): void {
    if (bytes !== undefined) this.grown = Math.max(this.grown ?? 0, bytes);
  }
}

const { username, password } = builtInUsers.owner;

/**
 * A package of `bytes` bytes and a little, down and up, by us and by curl in turns, so that whatever else
 * the machine does meets both. The portal, our transfers and curl are processes of their own.
 */
export async function runTransfers(
  folder: string,
  { bytes, rounds, onRound }: { bytes: number; rounds: number; onRound: (round: number) => void },
): Promise<{ down: Contest; up: Contest }> {
  const simulator = new Child<PortalProcess>('portal-process');
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
      recycleBin: false,
    });
    const secret = () => Promise.resolve(password);
    const portal = new Portal({ name: 'simulated', url, auth: { type: 'password', username, secret } });
    try {
      const store = path.join(folder, 'store');
      const transfer: Transfer = { store, key: 'package.epk', portal: { url, username, password } };
      return await takeTurns({ portal, worker, transfer, rounds, onRound });
    } finally {
      await portal.close();
    }
  } finally {
    await worker.end();
    await simulator.end();
  }
}

async function takeTurns({
  portal,
  worker,
  transfer,
  rounds,
  onRound,
}: {
  portal: Portal;
  worker: Child<TransferProcess>;
  transfer: Transfer;
  rounds: number;
  onRound: (round: number) => void;
}): Promise<{ down: Contest; up: Contest }> {
  const itemId = await exportOf(portal);
  const { value: token } = await portal.signedIn();
  const access: CurlAccess = { url: portal.url, token, referer: portal.url };
  const file = path.join(transfer.store, transfer.key);
  const remove = (id: string) => deleteItem(portal, { owner: username, itemId: id, permanent: true });
  await worker.call('warmUp', transfer);
  const idle = await residentBytes(worker.pid);
  const growthOver = async <T>(contest: Contest, act: () => Promise<T>): Promise<T> => {
    await forgetPeak(worker.pid);
    const result = await act();
    const peak = await peakBytes(worker.pid);
    contest.grew(peak === undefined || idle === undefined ? undefined : peak - idle);
    return result;
  };
  const [down, up] = [new Contest(), new Contest()];
  for (let round = 1; round <= rounds; round++) {
    onRound(round);
    const hashes: string[] = [];
    await inTurn(round, [
      async () => {
        const { ms, sha256 } = await growthOver(down, () => worker.call('download', { ...transfer, itemId }));
        down.ours.push(ms);
        hashes.push(sha256);
      },
      async () => {
        const { ms, sha256 } = await curlDownload(access, itemId);
        down.curl.push(ms);
        hashes.push(sha256);
      },
    ]);
    if (hashes[0] !== hashes[1]) throw new Error('We and curl have got different files.');
    await inTurn(round, [
      async () => {
        const sent = await growthOver(up, () => worker.call('upload', transfer));
        up.ours.push(sent.ms);
        await remove(sent.itemId);
      },
      async () => {
        const sent = await curlUpload(access, username, file);
        up.curl.push(sent.ms);
        await remove(sent.itemId);
      },
    ]);
    await rm(file);
  }
  return { down, up };
}

/** Whoever goes first finds another disk cache than the second, so they change places from round to round. */
async function inTurn(round: number, pair: readonly (() => Promise<void>)[]): Promise<void> {
  for (const act of round % 2 === 1 ? pair : [...pair].reverse()) await act();
}

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
