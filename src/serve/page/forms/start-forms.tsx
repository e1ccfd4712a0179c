import { timeWords } from '../../../model/text/words';
import type { SnapshotView } from '../../../contract/snapshots';
import { Action } from '../actions/action';
import { Part } from '../parts/table';
import { mayDo, useVisit } from '../visit';

const syncOf = (name: string) => ({ kind: 'sync', route: { name } }) as const;

/** Starts a sync of a route that the visitor may sync; for others it shows the command. */
export const SyncForm = ({ routes }: { readonly routes: readonly string[] }) => {
  const visit = useVisit();
  const own = routes.filter((name) => mayDo(visit, 'start', syncOf(name)));
  const offered = own.length > 0 ? own : routes;
  const [first] = offered;
  return first === undefined ? null : (
    <Part id="start" title="Start a sync">
      <Action of="sync" with={syncOf(first)} choices={{ route: offered.map((name) => [name, name]) }} />
    </Part>
  );
};

/** Backs up the source of a route. */
export const BackupForm = ({ route }: { readonly route: string }) => (
  <Part id="backup" title="Back up now">
    <Action of="backUp" known={{ route }} with={{ kind: 'backup', route: { name: route } }} />
  </Part>
);

interface RestoreFormProps {
  readonly route: string;
  readonly snapshots: readonly SnapshotView[];
  readonly portals: readonly string[];
  readonly home?: { readonly portal: string; readonly group: string };
}

/** Snapshots offered in the form. Older ones can be restored from the command line. */
const CHOSEN_FROM = 50;

/** Restores a snapshot into a group. Nothing is written before the plan is approved. */
export const RestoreForm = ({ route, snapshots, portals, home }: RestoreFormProps) => {
  const some = snapshots.filter(({ items }) => items > 0).slice(0, CHOSEN_FROM);
  if (some.length === 0) return null;
  return (
    <Part id="restore" title="Restore">
      <p>Creates a plan. Nothing is written until someone approves it.</p>
      <Action
        of="restore"
        known={{ route, to: home?.portal, into: home?.group }}
        with={{ kind: 'restore', route: { name: route } }}
        choices={{
          snapshot: some.map(({ id, takenAt, items }) => [id, `${timeWords(takenAt)}, ${items} items`]),
          to: portals.map((name) => [name, name]),
        }}
      />
    </Part>
  );
};
