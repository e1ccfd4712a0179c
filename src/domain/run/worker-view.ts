import { secretOf } from '../../config/portal-pool';
import { hostname } from 'node:os';
import type { Config } from '../../config/config';
import { configMark, programVersion } from '../../config/config-mark';
import { isOneAddress } from '../../model/identity';
import { PortolanError } from '../../model/errors/errors';
import {
  identityOf,
  type KeyMark,
  type PortalView,
  type WorkerMark,
  type WorkerView,
} from '../../model/run/worker-view';
import { storeId, type Store } from '../../store/store';

/** What this configuration can do. Reads every portal's secret, and reveals none. @param name of the worker */
export async function viewOf(config: Config, store: Store, name: string): Promise<WorkerView> {
  const portals = [...config.portals.values()];
  const lacking = await Promise.all(portals.map(({ auth }) => whyUnreadable(() => secretOf(auth).read())));
  return {
    name,
    version: programVersion(),
    config: { path: config.path, mark: configMark(config) },
    store: { id: await storeId(store), where: store.where },
    routes: [...config.routes.keys()],
    portals: portals.map((portal, index) => ({
      name: portal.name,
      url: portal.url,
      ...(lacking[index] !== undefined && { lacks: lacking[index] }),
    })),
  };
}

/** Name of the worker of this process. */
export const workerName = (): string => `${process.pid}@${hostname()}`;

/** The identity by which Temporal lists a worker: what it can do, or only its name if that is unknown. */
export function workerIdentity(view: WorkerView | undefined, keys: readonly KeyMark[]): string {
  if (view === undefined) return workerName();
  const { name, version, config, store, portals } = view;
  return identityOf({
    name,
    version,
    keys,
    at: Date.now(),
    config: config.mark,
    store: store.id,
    lacks: portals.filter(({ lacks }) => lacks !== undefined).length,
  });
}

/** Throws CONFIG_MISMATCH, with both sides, if records would be written to another store than they are read from. */
export function requireSameStore(own: WorkerView['store'], worker: Pick<WorkerMark, 'name' | 'store'>): void {
  if (worker.store === own.id) return;
  throw new PortolanError(
    'CONFIG_MISMATCH',
    `Worker ${worker.name} uses store ${worker.store}, but this configuration uses ${own.id}, ${own.where}.`,
    {
      hint: 'Set the same `store` in both portolan.yaml files, then check with: portolan doctor. An ended worker is listed for a minute.',
    },
  );
}

/** Throws CONFIG_MISMATCH if one side encrypts with a key that the other lacks, or has with other content. */
export function requireSharedKeys(own: readonly KeyMark[], worker: Pick<WorkerMark, 'name' | 'keys'>): void {
  const here = { who: 'this command', keys: own };
  const there = { who: `worker ${worker.name}`, keys: worker.keys };
  for (const [writer, reader] of [
    [here, there],
    [there, here],
  ] as const) {
    const key = writer.keys.find(({ writes }) => writes);
    if (key === undefined) continue;
    const namesake = reader.keys.find(({ id }) => id === key.id);
    if (namesake?.fingerprint === key.fingerprint) continue;
    const lacks = namesake
      ? `has a different key with that ID (${namesake.fingerprint})`
      : 'does not have it';
    throw new PortolanError(
      'CONFIG_MISMATCH',
      `${writer.who} encrypts Temporal data with key "${key.id}" (${key.fingerprint}), but ${reader.who} ${lacks}.`,
      {
        hint: 'Set this key in temporal.encryption.keys of both portolan.yaml files, then check with: portolan doctor. An ended worker is listed for a minute.',
      },
    );
  }
}

/**
 * Throws CONFIG_MISMATCH if the worker has another portal under a used name, and SECRET_UNREADABLE if it cannot sign
 * in there.
 */
export function requireCompatible(
  portals: readonly Pick<PortalView, 'name' | 'url'>[],
  worker: WorkerView,
): void {
  for (const { name, url } of portals) {
    const there = worker.portals.find((portal) => portal.name === name);
    if (!there || !isOneAddress(there.url, url)) {
      throw new PortolanError(
        'CONFIG_MISMATCH',
        `Portal ${name} is ${url} here, but ${there?.url ?? 'unknown'} on worker ${worker.name} (${worker.config.path}).`,
        { portal: name },
      );
    }
    if (there.lacks === undefined) continue;
    const saw = `Worker ${worker.name} cannot sign in to ${name}: ${there.lacks}`;
    throw new PortolanError('SECRET_UNREADABLE', saw, { portal: name });
  }
}

/** In words for people; undefined where it can be read. */
async function whyUnreadable(read: () => Promise<string>): Promise<string | undefined> {
  try {
    await read();
    return undefined;
  } catch (thrown) {
    return PortolanError.from(thrown).plainMessage;
  }
}
