import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { workflowBundlePath } from '../../support/temporal';
import { Rehearsal } from '../../support/rehearsal';

let rehearsal: Rehearsal;
afterEach(() => rehearsal.close());

/** The workflows as they were before there were gates and parked runs: what `patched` keeps for runs under way. */
function bundleBefore(): string {
  const code = readFileSync(workflowBundlePath(), 'utf8');
  const patch = /\(0,\s*[\w$]+\.patched\)\('operators'\)/;
  expect(patch.test(code)).toBe(true);
  const file = path.join(rehearsal.folder, 'bundle-before.js');
  writeFileSync(file, code.replace(patch, 'false'));
  return file;
}

const markers = async (handle: Awaited<ReturnType<Rehearsal['start']>>): Promise<string[]> =>
  ((await handle.fetchHistory()).events ?? []).flatMap(
    ({ markerRecordedEventAttributes: marker }) => marker?.markerName ?? [],
  );

describe('a run that is under way while a new version is deployed', () => {
  it('goes on to its end without what came later, and one that begins then has it', async () => {
    rehearsal = await Rehearsal.open({ worker: false });
    await rehearsal.startWorker(bundleBefore());
    const route = rehearsal.route({ overwrite: true }, { approval: 'required' });
    const old = await rehearsal.start(route);
    const { plan } = await rehearsal.waiting(old);
    await rehearsal.stopWorker();
    await rehearsal.startWorker();
    await old.executeUpdate('approve', { args: [{ hash: plan?.hash, who: 'a@b' }] });
    expect((await rehearsal.over(old)).record).toMatchObject({ status: 'succeeded' });
    expect(await markers(old)).not.toContain('core_patch');
    const young = await rehearsal.sync();
    expect(young.record.error).toBeUndefined();
    expect(await markers(young.handle)).toContain('core_patch');
  });
});
