import { existsSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import type { PhaseName } from '../../src/model/run/phase';
import { inPhases, type Moment, source, target, write } from '../chaos/moments';

type At = Moment['at'];

const at = (phase: PhaseName, when: string, where: At): Moment => ({ phase, when, at: where });

/** A file of that name comes under a folder of the store that did not have it. */
const comes =
  (folder: string, name: RegExp, bytes = 0) =>
  (store: string) => {
    const before = new Set(filesUnder(path.join(store, folder)));
    return () =>
      filesUnder(path.join(store, folder)).some(
        (file) =>
          !before.has(file) &&
          name.test(file) &&
          (statSync(file, { throwIfNoEntry: false })?.size ?? -1) >= bytes,
      );
  };

/** A file of that name goes from where it was. */
const goes = (folder: string, name: RegExp) => (store: string) => {
  const there = filesUnder(path.join(store, folder)).filter((file) => name.test(file));
  return () => there.some((file) => !existsSync(file));
};

function filesUnder(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
      const file = path.join(folder, entry.name);
      return entry.isDirectory() ? filesUnder(file) : [file];
    });
  } catch {
    // Somebody else removes folders meanwhile.
    return [];
  }
}

/** The group's package comes into the store, and becomes a snapshot. @param bytes of the package, at least */
export const ofBackup = (bytes: number): Moment[] => [
  inPhases.guard,
  ...write('the export', source, 'group.export'),
  inPhases['wait-export'],
  inPhases.download,
  at('download', 'half of the package is in the store', {
    store: comes('snapshots', /\.part$/, Math.floor(bytes / 2)),
  }),
  { when: 'the package is in the store', at: { store: comes('snapshots', /\.epk$/) } },
  { when: 'the rows are written', at: { store: comes('snapshots', /rows\.json$/) } },
  { when: 'the manifest is about to be there', at: { store: comes('snapshots', /manifest\.json\..*tmp$/) } },
  { when: 'the manifest is there', at: { store: comes('snapshots', /manifest\.json$/) } },
  inPhases.cleanup,
];

/** The same of one that builds on another. */
export const ofBuilding: Moment[] = [
  { when: 'packages are claimed', at: { store: comes('snapshots', /claim\.json$/) } },
  ...ofBackup(0),
];

/** Snapshots go. */
export const ofRetention: Moment[] = [
  { when: 'it notes what goes', at: { store: comes('snapshots', /forgotten\.json$/) } },
  { when: 'a manifest is gone', at: { store: goes('snapshots', /manifest\.json$/) } },
  { when: 'a package is gone', at: { store: goes('snapshots', /\.epk$/) } },
];

/** Of a schedule, which parks nowhere before it is on a target. */
export const ofSchedule: Moment[] = [...write('the export', source, 'group.export'), inPhases.download];

const removal = at('cleanup', 'it removes its package', target('item.delete', 'asked'));
const guard = at('guard', 'it looks at the portal', target('group.read', 'asked'));

const importing: Moment[] = [
  ...write('the import', target, 'import'),
  inPhases['wait-import'],
  { ...inPhases.verify, phase: undefined },
];

/** The snapshot comes to a portal, and its items are overwritten. */
export const ofRestore: Moment[] = [
  guard,
  at('upload', 'it uploads the package', target('item.addPart', 'half', { nth: 2 })),
  inPhases.preview,
  inPhases.approve,
  inPhases.safeguard,
  at('safeguard', 'the safeguard is exported', target('group.export', 'asked')),
  at('safeguard', 'the safeguard is about to be there', {
    store: comes('snapshots', /safeguard-\d+\/rows\.json$/),
  }),
  ...importing,
  removal,
];

/** A package of one piece comes to a portal, and what it overwrote is there again. */
export const ofRollback: Moment[] = [
  guard,
  at('upload', 'it uploads the package', target('item.add', 'half')),
  inPhases.preview,
  inPhases.approve,
  inPhases.safeguard,
  ...importing,
  { when: 'it looks for what the run had created', at: target('item.delete', 'asked') },
  { when: 'it has removed what the run had created', at: target('item.delete', 'done') },
  { when: 'it removes its package', at: target('item.delete', 'asked', { nth: 2 }) },
];

/** The portal reads the package. */
export const ofDrill: Moment[] = [
  guard,
  at('upload', 'it uploads the package', target('item.add', 'half')),
  inPhases.preview,
  { when: 'the proof is about to be there', at: { store: comes('snapshots', /proofs.*tmp$/) } },
  { when: 'the proof is there', at: { store: comes('snapshots', /proofs\/.*json$/) } },
  removal,
];

/** The portal imports it, and all of it goes again. */
export const ofDrillWithImport: Moment[] = [
  at('approve', 'it looks which folders are there', target('user.content', 'asked')),
  ...importing,
  { when: 'the proof is about to be there', at: { store: comes('snapshots', /proofs.*tmp$/) } },
  at('cleanup', 'it takes the first item away', target('item.delete', 'asked')),
  at('cleanup', 'it has taken the first item away', target('item.delete', 'done')),
  at('cleanup', 'it takes the second item away', target('item.delete', 'asked', { nth: 2 })),
  at('cleanup', 'it removes its package', target('item.delete', 'asked', { nth: 3 })),
  at('cleanup', 'it takes the folder away', target('folder.delete', 'asked')),
  at('cleanup', 'it has taken the folder away', target('folder.delete', 'done')),
];
