import { PortalPool } from '../../config/portal-pool';
import { problemText } from '../../config/problems';
import { readPortalFacts } from '../../domain/transfer/portal-facts';
import type { Found, PortalDocument } from '../../domain/portal-change/portal-document';
import type { Exported } from '../../domain/portal-change/settings-file';
import type { HostMap } from '../../domain/portal-change/settings-promotion';
import { PortolanError } from '../../model/errors/errors';
import type { DocumentKind } from '../../model/portal-change/change';
import { runRecord } from '../../model/run/run';
import { shortRunId } from '../../model/run/run-id';
import type { Portal } from '../../portal/client';
import { keys } from '../../store/keys';
import type { Context } from '../context';
import { findRun } from '../run/find-run';
import { type ReadContext, readNote } from '../run/run-sources';

/** A document of a portal in a file. */
export interface DocumentFile<T> {
  readonly wanted: T;
  /** The portal it was exported from, if the file says so. */
  readonly exported?: Exported;
  readonly warnings: readonly string[];
}

/** How one kind of document of a portal is written in files and shown to people. */
export interface DocumentForm<T> {
  /** The kind of the run that changes it, and the command. */
  readonly kind: DocumentKind;
  readonly document: PortalDocument<T>;
  /** What it is once it is deleted. @default it cannot be */
  readonly none?: T;
  /** `4 categories in 1 tree`. @default not said */
  readonly summary?: (value: T) => string;
  /** The document of a file's content, with everything that is wrong with it. */
  parse(content: unknown): DocumentFile<T> & { readonly problems: readonly string[] };
  /** The content of a file, its first lines, and what is left out. */
  write(found: Found<T>): {
    readonly content: Record<string, unknown>;
    readonly comment: readonly string[];
    readonly warnings: readonly string[];
  };
  /** What people may regret. Throws NOT_SUPPORTED for what the portal does not have. */
  concerns(found: Found<T>, wanted: T, portal: Portal): readonly string[] | Promise<readonly string[]>;
  /** What another portal takes over. @default it cannot be copied */
  copied?(value: T, addresses: readonly string[], hosts: HostMap): DocumentFile<T>;
  /** Of the differences from a file, the paths that an upgrade dropped. @default none */
  upgradeLosses?(
    found: Found<T>,
    file: DocumentFile<T>,
  ): { readonly dropped: readonly string[]; readonly notes: readonly string[] };
  /** Throws `USAGE` if this cannot be applied here, although the file is right by itself. */
  requireApplicable(found: Found<T>, wanted: T): void;
}

/** Reads a document of a portal. Throws PORTAL_NOT_FOUND. */
export async function withDocument<T, R>(
  { config, signal }: Pick<Context, 'config' | 'signal'>,
  name: string,
  document: PortalDocument<T>,
  work: (found: Found<T>, portal: Portal) => R | Promise<R>,
): Promise<R> {
  const portals = new PortalPool(config, signal);
  try {
    const portal = portals.open(name);
    return await work(await document.read(portal), portal);
  } finally {
    await portals.close();
  }
}

/** The document of a file's content. Throws `USAGE` with all its problems. */
export function parsedFile<T>({ kind, parse }: DocumentForm<T>, content: unknown): DocumentFile<T> {
  const { problems, ...read } = parse(content);
  if (problems.length === 0) return read;
  const list = kind === 'settings' ? '; docs/reference/settings.md lists every setting' : '';
  throw new PortolanError('USAGE', problemText('The file', problems), {
    hint: `Nothing was sent. Fix the listed places${list}.`,
  });
}

/** The document that another portal has, as this one takes it over. */
export const copiedFrom = <T>(
  { document, copied }: Required<Pick<DocumentForm<T>, 'document' | 'copied'>>,
  context: Pick<Context, 'config' | 'signal'>,
  from: string,
  hosts: HostMap,
): Promise<DocumentFile<T>> =>
  withDocument(context, from, document, async ({ value }, portal) =>
    copied(value, (await readPortalFacts(portal)).addresses, hosts),
  );

/**
 * The document that a change of this portal replaced. Throws RUN_NOT_FOUND, NOTE_ALTERED, and `USAGE` for a run that
 * saved none or changed something else.
 */
export async function readReplaced<T>(
  { kind, document }: DocumentForm<T>,
  sources: ReadContext,
  portal: string,
  text: string,
): Promise<T> {
  const runId = await findRun(sources, text);
  const refused = (why: string, hint: string): PortolanError =>
    new PortolanError('USAGE', `${runId} ${why}.`, { hint });
  const { value: record, why } = await readNote(sources.store, keys.record(runId), runRecord);
  if (why) throw why;
  if (record?.kind !== kind)
    throw refused(`did not change the ${document.title}`, 'List all runs: portolan run list');
  const { name } = record.route;
  const run = shortRunId(runId);
  if (name !== portal)
    throw refused(
      `changed ${name}, not ${portal}`,
      `Restore it there: portolan ${kind} apply ${name} --saved ${run}`,
    );
  const saved = record.saved && (await sources.store.readJson(record.saved, document.schema));
  if (!saved) {
    const look = `See what it did: portolan run show ${run}`;
    throw refused(
      `replaced no ${document.title}, so it saved none`,
      kind === 'settings' ? look : `${look}\nTo delete the schema: portolan category-schema delete ${portal}`,
    );
  }
  return saved;
}
