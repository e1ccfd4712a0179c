import { transportItems } from '../../../src/simulator/seed/transport';
import type { Simulator } from '../../../src/simulator/simulator';
import { signIn } from '../../simulator/harness';
import { BackupRehearsal } from '../../support/backup-rehearsal';
import type { RehearsalOptions } from '../../support/rehearsal';
import { portrait } from './portrait';

const { app, pdf, story } = transportItems;

/** Two portals at which an administrator signs in, who may give items to others. */
export const openForOwners = async (options: RehearsalOptions = {}): Promise<BackupRehearsal> =>
  await BackupRehearsal.open({ user: { username: 'admin', password: 'admin-pw' }, ...options });

/** A snapshot, with how things stand, of what people have arranged on the source. */
export async function arranged(at: BackupRehearsal): Promise<string> {
  const { source } = at.rehearsal;
  const { items, folders } = source.world;
  folders.put('f1', { id: 'f1', username: 'owner', title: 'Apps', created: 1 });
  folders.put('f2', { id: 'f2', username: 'other', title: 'Papers', created: 1 });
  items.change(app, { ownerFolder: 'f1', access: 'public', protected: true });
  items.change(story, { ownerFolder: 'f1', access: 'org' });
  items.change(pdf, { owner: 'other', ownerFolder: 'f2' });
  const admin = await signIn(source, 'admin');
  const path = `/content/users/owner/items/${app}/update`;
  await admin.upload(path, Buffer.from('a picture'), {}, { field: 'thumbnail', name: 'app.png' });
  const { record } = await at.backup({ placements: true });
  return record.snapshot?.id ?? '';
}

/** All that a portal holds; its jobs and what it was asked are left out. */
export const wholeState = async (simulator: Simulator): Promise<Record<string, unknown>> => {
  const { users, groups, folders, items, services, resources } = simulator.world;
  const tables = { users, groups, folders, items, services, resources };
  return {
    files: await portrait(simulator),
    ...Object.fromEntries(Object.entries(tables).map(([name, table]) => [name, [...table.values()]])),
  };
};

/** The first answer to each of these calls never comes. */
export function loseAnswers({ faults }: Simulator, ...operations: string[]): void {
  for (const operation of operations)
    faults.add({ match: { operation }, nth: 1, when: 'after', do: 'reset' });
}

export const requestsOf = ({ rehearsal }: BackupRehearsal, operation: string) =>
  rehearsal.target.requests().filter((each) => each.operation === operation);
