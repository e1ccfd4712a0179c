import type { Config } from '../../config/config';
import { PortalPool } from '../../config/portal-pool';
import { problemText } from '../../config/problems';
import { expectedOf, type Found, type PortalDocument } from '../../domain/portal-change/portal-document';
import type { Exported } from '../../domain/portal-change/settings-file';
import { PortolanError } from '../../model/errors/errors';
import type { DocumentChangeInput, DocumentKind } from '../../model/portal-change/change';
import { runRecord } from '../../model/run/run';
import { shortRunId } from '../../model/run/run-id';
import { countOf } from '../../model/text/words';
import type { Portal } from '../../portal/client';
import { findRun } from '../../service/run/find-run';
import { type ReadContext, readNote } from '../../service/run/run-sources';
import { keys } from '../../store/keys';
import type { Store } from '../../store/store';
import { changesTable } from '../../service/run/changes-sheet';
import { documentName, readDocument } from '../terminal/documents';
import type { Output } from '../terminal/output';
import { askYes } from '../terminal/prompts';
import type { Details } from './change-portal';

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
  /** `4 categories in 1 tree`. @default not said */
  readonly summary?: (value: T) => string;
  /** The document of a file's content, with everything that is wrong with it. */
  parse(content: unknown): DocumentFile<T> & { readonly problems: readonly string[] };
  /** The content of a file, its first lines, and what is left out. */
  write(found: Found<T>): {
    readonly content: object;
    readonly comment: readonly string[];
    readonly warnings: readonly string[];
  };
  /** What people may regret. Throws NOT_SUPPORTED for what the portal does not have. */
  concerns(found: Found<T>, wanted: T): readonly string[];
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
  config: Config,
  name: string,
  document: PortalDocument<T>,
  work: (found: Found<T>, portal: Portal) => Promise<R>,
): Promise<R> {
  const portals = new PortalPool(config);
  try {
    const portal = portals.open(name);
    return await work(await document.read(portal), portal);
  } finally {
    await portals.close();
  }
}

/** The document of a YAML or JSON file; `-` is stdin. Throws `USAGE` with all its problems. */
export function readFormFile<T>({ kind, parse }: DocumentForm<T>, file: string): DocumentFile<T> {
  const { problems, ...read } = parse(readDocument(file));
  if (problems.length === 0) return read;
  const list = kind === 'settings' ? '; docs/reference/settings.md lists every setting' : '';
  throw new PortolanError('USAGE', problemText(documentName(file), problems), {
    hint: `Nothing was sent. Fix the listed places${list}.`,
  });
}

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

/**
 * Shows what a change does and asks for confirmation, unless nothing changes. Returns what its run starts with, or
 * undefined if the user declines. Throws if the account or the portal does not allow it, and `USAGE` if there is no
 * terminal.
 * @param yes `--yes`: do not ask
 */
export async function confirmDocument<T>(
  { document, concerns }: DocumentForm<T>,
  found: Found<T>,
  file: DocumentFile<T>,
  { yes, output, store, runId }: { yes?: boolean; output: Output; store: Store; runId: string },
): Promise<Details<DocumentChangeInput> | undefined> {
  const { name, value } = found;
  const { wanted } = file;
  document.require(found, wanted);
  const warnings = [...file.warnings, ...concerns(found, wanted)];
  for (const warning of warnings) output.warn(warning);
  const changes = document.differences(value, wanted);
  if (changes.length > 0) {
    output.before(() => [changesTable(changes)]);
    const isSure =
      yes ??
      (await askYes(`Apply ${countOf(changes.length, 'change')} to ${name}?`, {
        what: `This needs confirmation; ${name} is unchanged.`,
        hint: 'Add --yes, or run the command at a terminal.',
      }));
    if (!isSure) {
      output.note('Nothing was changed.');
      return undefined;
    }
  }
  return await saveWanted(document, store, runId, value, { wanted, warnings });
}

/** Saves the document that a run writes, and returns what the run starts with. */
export async function saveWanted<T>(
  document: PortalDocument<T>,
  store: Store,
  runId: string,
  now: T,
  { wanted, warnings }: DocumentFile<T>,
): Promise<Details<DocumentChangeInput>> {
  await store.writeJson(keys.desired(runId), wanted);
  return { expected: expectedOf(document, now, wanted), warnings };
}
