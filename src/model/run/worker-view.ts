import type { Signed } from './signature';

/** Name of the workflow on the wire with which a worker is asked for its view. */
export const workerViewWorkflow = 'workerView';

/** What asks a worker for its view. */
export type AskWorker = Signed;

/** What a worker, or a starter, can do by its own configuration. Travels through history: holds no secret. */
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

/** How a key of `temporal.encryption` is called, and how many there are at most: an identity has room for these. */
export const KEY_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,39}$/;
export const KEYS_MAX = 8;

/** What is told of a key of `temporal.encryption`. */
export interface KeyMark {
  readonly id: string;
  /** Another one for another key of that id: eight hexadecimal digits. */
  readonly fingerprint: string;
  /** It encrypts what is written. */
  readonly writes: boolean;
}

/** The part of a view in a worker's identity, readable without asking the worker. */
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
  /** Keys that it decrypts payloads with. */
  readonly keys: readonly KeyMark[];
}

/**
 * The identity of a worker, short, since most events of a history name it:
 * `4711@gis-app01 portolan/1.0.0/ab12cd34ef56/9f8e7d6c5b4a/0/mibxq3k1`, and where there are keys of payloads
 * `/2026-11:0f1e2d3c!,2026-05:4b5a6978`, the one that encrypts with a `!` behind.
 */
export const identityOf = ({ name, version, config, store, lacks, at, keys }: WorkerMark): string =>
  [`${name} portolan/${version}/${config}/${store}/${lacks}/${at.toString(36)}`, ...inIdentity(keys)].join(
    '/',
  );

const inIdentity = (keys: readonly KeyMark[]): string[] =>
  keys.length === 0
    ? []
    : [keys.map(({ id, fingerprint, writes }) => `${id}:${fingerprint}${writes ? '!' : ''}`).join(',')];

const shape =
  /^(?<name>\S{1,300}) portolan\/(?<version>[\w.+-]{1,40})\/(?<config>[0-9a-f]{12})\/(?<store>[0-9a-f]{12})\/(?<lacks>\d{1,4})\/(?<at>[0-9a-z]{1,10})(?:\/(?<keys>[\w.:!,-]{1,500}))?$/;

const keyShape = /^(?<id>[\w.-]{1,40}):(?<fingerprint>[0-9a-f]{8})(?<writes>!?)$/;

const keysIn = (text: string): KeyMark[] =>
  text.split(',').flatMap((each) => {
    const { id, fingerprint, writes } = keyShape.exec(each)?.groups ?? {};
    return id && fingerprint ? [{ id, fingerprint, writes: writes === '!' }] : [];
  });

/** The mark in an identity; undefined in that of a worker which tells nothing of itself. */
export function markIn(identity: string): WorkerMark | undefined {
  const { name, version, config, store, lacks, at, keys = '' } = shape.exec(identity)?.groups ?? {};
  if (!name || !version || !config || !store) return undefined;
  return {
    name,
    version,
    config,
    store,
    lacks: Number(lacks),
    at: parseInt(at ?? '', 36),
    keys: keysIn(keys),
  };
}

/** `pid@host` of an identity. */
export const nameIn = (identity: string): string => identity.split(' ', 1)[0] ?? identity;
