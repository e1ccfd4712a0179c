import { shortRunId } from '../../../model/run/run-id';
import { timeWords } from '../../../model/text/words';
import type { SnapshotView } from '../../../contract/snapshots';
import { addressOfRoute } from '../addresses';
import { Action, Choice, Field, Reason, Select } from '../parts/action';
import { Part } from '../parts/table';

/** Starts a sync of a route. */
export const SyncForm = ({ routes }: { readonly routes: readonly string[] }) =>
  routes.length === 0 ? null : (
    <Part id="start" title="Start a sync">
      <Action
        {...{
          to: '/syncs',
          button: 'Start sync',
          command: 'portolan sync ROUTE',
          right: 'start',
          starts: true,
        }}
      >
        <Select name="route" label="Route" options={routes.map((name) => [name, name])} />
        <Choice name="planOnly" label="Stop after the plan" />
        <Reason />
      </Action>
    </Part>
  );

/** Backs up the source of a route. */
export const BackupForm = ({ route }: { readonly route: string }) => (
  <Part id="backup" title="Back up now">
    <Action
      {...{
        button: 'Back up',
        right: 'start',
        with: { kind: 'backup', route: { name: route } },
        starts: true,
      }}
      to={`${addressOfRoute(route)}/create`}
      command={`portolan backup create ${route}`}
    >
      <Choice name="full" label="Export unchanged items too" />
      <Reason />
    </Action>
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
        {...{
          button: 'Plan restore',
          right: 'start',
          with: { kind: 'restore', route: { name: route } },
          starts: true,
        }}
        to={`${addressOfRoute(route)}/restore`}
        command={`portolan restore ${shortRunId(some[0]?.id ?? 'SNAPSHOT')} --to ${home?.portal ?? 'PORTAL'} --into ${home?.group ?? 'GROUP'}`}
      >
        <Select
          name="snapshot"
          label="Snapshot"
          options={some.map(({ id, takenAt, items }) => [id, `${timeWords(takenAt)}, ${items} items`])}
        />
        <Select
          name="to"
          label="Portal"
          options={portals.map((name) => [name, name])}
          chosen={home?.portal}
        />
        <Field name="into" label="Group ID" value={home?.group} isNeeded />
        <Choice name="overwrite" label="Overwrite existing items" />
        <Reason />
      </Action>
    </Part>
  );
};
