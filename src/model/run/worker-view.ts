import type { Signed } from './proof';

/** Name of the workflow on the wire with which a worker is asked for its view. */
export const workerViewWorkflow = 'workerView';

/** What asks a worker for its view. */
export type AskWorker = Signed;

/** What a worker, or whoever starts runs, can do by its own configuration. Travels through history: holds no secret. */
export interface WorkerView {
  /** `pid@host` */
  readonly name: string;
  readonly version: string;
  readonly config: {
    readonly path: string;
    /** The same for configurations that say the same: twelve hex digits, which tell nothing of what was hashed. */
    readonly mark: string;
  };
  readonly store: { readonly id: string; readonly where: string };
  readonly routes: readonly string[];
  readonly portals: readonly PortalView[];
}

export interface PortalView {
  readonly name: string;
  readonly url: string;
  /** Why its secret cannot be read there; absent where it can, and where nobody tried. */
  readonly lacks?: string;
}

/** What stands of a view in the identity under which Temporal lists a worker: so that a look at it costs nothing. */
export interface WorkerMark {
  /** `pid@host` */
  readonly name: string;
  readonly version: string;
  readonly config: string;
  readonly store: string;
  /** How many portals lack their secret. */
  readonly lacks: number;
  /** When it began to work by that configuration, milliseconds since 1970: of two of one name, the later counts. */
  readonly at: number;
}

/**
 * The identity of a worker, short, since most events of a history name it:
 * `4711@gis-app01 portolan/1.0.0/ab12cd34ef56/9f8e7d6c5b4a/0/mibxq3k1`.
 */
export const identityOf = ({ name, version, config, store, lacks, at }: WorkerMark): string =>
  `${name} portolan/${version}/${config}/${store}/${lacks}/${at.toString(36)}`;

const shape =
  /^(?<name>\S{1,300}) portolan\/(?<version>[\w.+-]{1,40})\/(?<config>[0-9a-f]{12})\/(?<store>[0-9a-f]{12})\/(?<lacks>\d{1,4})\/(?<at>[0-9a-z]{1,10})$/;

/** The mark in an identity; undefined in that of a worker which tells nothing of itself. */
export function markIn(identity: string): WorkerMark | undefined {
  const { name, version, config, store, lacks, at } = shape.exec(identity)?.groups ?? {};
  if (!name || !version || !config || !store) return undefined;
  return { name, version, config, store, lacks: Number(lacks), at: parseInt(at ?? '', 36) };
}

/** `pid@host` of an identity. */
export const nameIn = (identity: string): string => identity.split(' ', 1)[0] ?? identity;
