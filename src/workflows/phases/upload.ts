import { polling, transferring, writing } from '../run/calls';
import { errorRecordOf } from '../run/failure';
import { bytesText } from '../../model/text/bytes-text';
import { phase, type PhaseEnd } from '../run/phase';
import type { TransferRun } from '../transfer/transfer-run';
import { itemLeftOnTarget } from './reuse';

const READABLE_WITHIN_MS = 60 * 60_000;

/** Puts the package onto the target as an item of ours. */
export const upload = phase({
  name: 'upload',
  needs: ['target', 'package'],
  gives: ['targetPackage'],
  resumesWith: ({ state }: TransferRun, code) => (packageLost.has(code) ? phaseThatFetches(state) : 'upload'),
  async run(run: TransferRun, { target, package: stored }, give): Promise<PhaseEnd> {
    const left = await itemLeftOnTarget(run, target, stored);
    if (left !== undefined) {
      give({ targetPackage: left });
      return { status: 'skipped', detail: `reused: package ${shortItem(left)} (removed at the end)` };
    }
    const { key, sizeBytes, sha256 } = stored;
    const { carried } = run.facts;
    const again = run.parks > 0 || (carried && carried.itemId === undefined) || undefined;
    const input = { runId: run.input.runId, portal: target, key, sha256, again };
    const to = transferring(`package to ${target.name}`, run.transferQueue);

    run.traces.reaches(true);
    // One whose parts have come with the download was hashed on the way; after a pause its file is hashed again.
    const isThere = carried?.itemId !== undefined && run.parks === 0;
    const { itemId, inParts } = isThere
      ? { itemId: carried.itemId, inParts: true }
      : await to.addPackage(input).catch((thrown: unknown) => {
          // Refused outright: there is still nothing of this run on the target.
          if (run.parks === 0 && errorRecordOf(thrown, run.route).kind === 'permanent')
            run.traces.reaches(false);
          throw thrown;
        });
    give({ targetPackage: itemId });
    run.traces.holds('target', itemId);
    let parts = '';
    if (inParts) {
      const sent = await to.uploadParts({ ...input, itemId, differing: carried?.differing });
      await writing('parts become one file').commitPackage({ ...input, itemId });
      const early = carried && sent.sent < sent.parts ? `, ${sent.parts - sent.sent} with the download` : '';
      parts = `${sent.parts} parts${early}  `;
    }
    await polling('package becomes readable', READABLE_WITHIN_MS).awaitPackage({
      ...input,
      itemId,
    });
    return {
      detail: `${bytesText(sizeBytes)}  ${parts}package ${shortItem(itemId)} (removed at the end)`,
    };
  },
});

const packageLost: ReadonlySet<string> = new Set(['PACKAGE_MISSING', 'HASH_MISMATCH']);

/** A restore looks at its package with the guards. */
const phaseThatFetches = ({ phases }: TransferRun['state']): string =>
  phases.some(({ name }) => name === 'download') ? 'download' : 'guard';

const shortItem = (itemId: string): string => `${itemId.slice(0, 4)}..${itemId.slice(-2)}`;
