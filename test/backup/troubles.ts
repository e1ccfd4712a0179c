import type { RunStatus } from '../../src/model/run/phase';
import type { FaultRule } from '../../src/simulator/faults';
import { transportItems } from '../../src/simulator/seed/transport';
import type { Simulator } from '../../src/simulator/simulator';
import type { ItemRecord } from '../../src/simulator/state/records';
import { isOfGroup } from './edits';

/** What goes wrong in a night. The last one takes minutes, in which the run looks for what it may have begun. */
export const troubles = [
  'the portal refuses everything',
  'the export is refused',
  'the export job fails',
  'the group is empty',
  'the group has shrunk',
  'an item fails',
  'the portal is away now and then',
  'the download is cut',
  'the answer to the export is lost',
  'the export never arrives',
] as const;
export type Trouble = (typeof troubles)[number];

/** Lets it begin. @returns what ends it */
export function begin(trouble: Trouble | undefined, { faults, settings, world }: Simulator): () => void {
  const { failExport, withoutPackage } = settings;
  const plays = (...rules: FaultRule[]): (() => void) => {
    for (const rule of rules) faults.add(rule);
    return () => faults.clear();
  };
  const refuses = (match: { operation?: string; path?: string }, code: number): (() => void) =>
    plays({ match, do: { error: { code, message: 'Not tonight.' } } });
  const leaves = (items: readonly ItemRecord[]): (() => void) => {
    for (const item of items) world.items.put(item.id, { ...item, groups: [] });
    return () => items.forEach((item) => world.items.put(item.id, item));
  };
  const group = world.items.filter(isOfGroup);
  switch (trouble) {
    case undefined:
      return () => undefined;
    case 'the portal refuses everything':
      // But for signing in: of a refusal there portals are asked no more for a while, and nights are days apart.
      return refuses({ path: '^(?!.*generateToken)' }, 403);
    case 'the export is refused':
      return refuses({ operation: 'group.export' }, 400);
    case 'the export job fails':
      settings.withoutPackage = 'all';
      return () => void (settings.withoutPackage = withoutPackage);
    case 'an item fails':
      settings.failExport = [transportItems.pdf];
      return () => void (settings.failExport = failExport);
    case 'the group is empty':
      return leaves(group);
    case 'the group has shrunk':
      return leaves(group.slice(0, Math.floor(group.length / 2) + 1));
    case 'the portal is away now and then':
      return plays(
        ...['group.read', 'group.content', 'layer.read', 'job', 'item.data', 'item.delete'].map(
          (operation): FaultRule => ({ match: { operation }, nth: 1, do: { status: 503 } }),
        ),
      );
    case 'the download is cut':
      return plays({ match: { operation: 'item.data' }, nth: [1, 2], do: { cut: 100_000 } });
    case 'the answer to the export is lost':
      return plays({ match: { operation: 'group.export' }, nth: 1, when: 'after', do: 'reset' });
    case 'the export never arrives':
      return plays({ match: { operation: 'group.export' }, do: 'reset' });
  }
}

/** How a night has to end, and how often an export is posted in it. */
interface Ending {
  readonly status: RunStatus;
  readonly exports: number;
  /** Of the error. */
  readonly code?: string;
}

const unchanged: Ending = { status: 'nothing-to-do', exports: 0 };

/**
 * What a night comes to.
 * @param isChanged something was edited since the last good snapshot
 * @param builds what was not edited is not exported again
 */
export function comesTo(trouble: Trouble | undefined, isChanged: boolean, builds = false): Ending {
  switch (trouble) {
    case 'the portal refuses everything':
      return { status: 'failed', exports: 0 };
    case 'the group is empty':
      return unchanged;
    case 'the group has shrunk':
      return { status: 'partial', exports: 1 };
    case 'the export is refused':
    case 'the export job fails':
      return isChanged ? { status: 'failed', exports: 1 } : unchanged;
    case 'the export never arrives':
      // Nobody is asked: the next night begins anew.
      return isChanged ? { status: 'failed', exports: 2, code: 'EXPORT_UNDECIDED' } : unchanged;
    case 'an item fails':
      // The item that fails is none that is edited.
      return isChanged ? { status: builds ? 'succeeded' : 'partial', exports: 1 } : unchanged;
    case 'the portal is away now and then':
    case 'the download is cut':
    case 'the answer to the export is lost':
    case undefined:
      return isChanged ? { status: 'succeeded', exports: 1 } : unchanged;
  }
}
