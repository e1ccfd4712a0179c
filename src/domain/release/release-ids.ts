import { z } from 'zod';
import { isAltered } from '../../store/authentic/authentic-store';
import { keys } from '../../store/keys';
import type { Store } from '../../store/store';

const claim = z.object({ runId: z.string(), at: z.iso.datetime() });

interface Claimant {
  readonly runId: string;
  readonly pipeline: string;
  /** @format milliseconds since the epoch */
  readonly now: number;
}

/**
 * Ids of releases: the pipeline, the day in UTC, and which of that day. A run claims one when it begins, and settles
 * for it when it has all that the release holds. Of several that claim one at the same moment, at most one keeps it: each
 * looks again once its own claim is there, and whoever sees another one gives way. Of two that have claimed one id all the
 * same, the one whose own id comes first has it; the other takes the next.
 */
export const releaseIds = (store: Store) => {
  const isMade = async (id: string, runId: string): Promise<boolean> => {
    try {
      const manifest = await store.readJson(keys.releaseManifest(id), ofRun);
      return manifest !== undefined && manifest.runId !== runId;
    } catch (thrown) {
      if (!isAltered(thrown)) throw thrown;
      return true;
    }
  };
  const claimants = async (id: string): Promise<string[]> =>
    (await store.names(keys.releaseClaims(id))).map((name) => name.replace(/\.json$/, ''));
  /** Claims before the manifest, since whoever takes its claim away has made the release before. */
  const others = async (id: string, runId: string): Promise<readonly string[] | 'made'> => {
    const claims = (await claimants(id)).filter((other) => other !== runId);
    return (await isMade(id, runId)) ? 'made' : claims;
  };

  return {
    /** @returns the first id of the day that nobody has, claimed for the run */
    async claim({ runId, pipeline, now }: Claimant): Promise<string> {
      for (let number = 1; ; number += 1) {
        const id = releaseId(pipeline, now, number);
        if ((await others(id, runId)).length > 0) continue;
        const key = keys.releaseClaim(id, runId);
        await store.writeJson(key, { runId, at: new Date(now).toISOString() });
        const seen = await others(id, runId);
        if (seen.length === 0) return id;
        await store.remove(key);
        // The others that come later in order pass on to the next number, or keep this one.
        if (seen !== 'made' && seen.every((other) => other > runId)) number -= 1;
      }
    },

    /** @returns the claimed id where the run has it, else the next one that nobody has */
    async settle({ claimed, ...claimant }: Claimant & { readonly claimed: string }): Promise<string> {
      const seen = await others(claimed, claimant.runId);
      const isTaken = seen === 'made' || seen.some((other) => other < claimant.runId);
      if (!isTaken) return claimed;
      await store.remove(keys.releaseClaim(claimed, claimant.runId));
      return await this.claim(claimant);
    },

    /** A run that makes no release gives its id back. */
    async giveBack(id: string, runId: string): Promise<void> {
      const key = keys.releaseClaim(id, runId);
      if (await store.readJson(key, claim)) await store.remove(key);
    },
  };
};

/** As much of a manifest as tells whose it is; whether it is authentic is the reader's to see. */
const ofRun = z.object({ runId: z.string() });

const releaseId = (pipeline: string, now: number, number: number): string =>
  `${pipeline}-${new Date(now).toISOString().slice(0, 10).replaceAll('-', '.')}-${number}`;
