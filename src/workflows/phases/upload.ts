import { polling, transferring, writing } from '../run/calls';
import { have } from '../run/context';
import { errorRecordOf } from '../run/failure';
import { bytesText } from '../../model/text/bytes-text';
import type { Phase, PhaseEnd } from '../run/run';
import { itemLeftOnTarget } from './reuse';

const READABLE_WITHIN_MS = 60 * 60_000;

/** Puts the package onto the target as an item of ours. */
export const upload: Phase = {
  name: 'upload',
  async run(run): Promise<PhaseEnd> {
    const target = have(run.context, 'target');
    const left = await itemLeftOnTarget(run);
    if (left !== undefined) {
      run.context.targetPackage = left;
      return { status: 'skipped', detail: `reused: package ${shortItem(left)} (removed at the end)` };
    }
    const { key, sizeBytes } = have(run.context, 'package');
    const again = run.context.parks > 0 || undefined;
    const input = { runId: run.input.runId, portal: target, key, again };
    const to = transferring(`package to ${target.name}`, run.transferQueue);

    run.context.wrote.target = true;
    run.context.isOnTarget = true;
    const { itemId, inParts } = await to.addPackage(input).catch((thrown: unknown) => {
      // Refused outright: there is still nothing of this run on the target.
      if (!again && errorRecordOf(thrown, run.route).kind === 'permanent') run.context.isOnTarget = false;
      throw thrown;
    });
    run.context.targetPackage = itemId;
    run.holds('target', itemId);
    let parts = '';
    if (inParts) {
      const sent = await to.uploadParts({ ...input, itemId });
      await writing('parts become one file').commitPackage({ ...input, itemId });
      parts = `${sent.parts} parts  `;
    }
    await polling('package becomes readable', READABLE_WITHIN_MS).awaitPackage({
      ...input,
      itemId,
      since: Date.now(),
    });
    return {
      detail: `${bytesText(sizeBytes)}  ${parts}package ${shortItem(itemId)} (removed at the end)`,
    };
  },
};

const shortItem = (itemId: string): string => `${itemId.slice(0, 4)}..${itemId.slice(-2)}`;
