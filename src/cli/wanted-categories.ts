import { problemText } from '../config/problems';
import { type Category, categorySchema } from '../model/category-schema';
import { readCategories } from '../model/category-problems';
import { changeRecord } from '../model/change';
import { PortolanError } from '../model/errors';
import { shortRunId } from '../model/run-id';
import { keys } from '../store/keys';
import { findRow } from './find-run';
import { readDocument } from './read-document';
import type { RunSources } from './read-run';

/** The category trees of a file. Throws USAGE with all that keeps a portal from taking them. */
export function categoriesOf(file: string): readonly Category[] {
  const read = readCategories(readDocument(file), { isOurs: true });
  if (!read.problems) return read.trees;
  throw new PortolanError('USAGE', problemText(file === '-' ? 'the standard input' : file, read.problems), {
    hint: 'Nothing was sent. Correct the named places.',
  });
}

/**
 * The category trees that a change of this portal found before it. Throws RUN_NOT_FOUND, and USAGE for a run that
 * saved none, or that of another portal.
 */
export async function savedCategories(
  sources: RunSources,
  portal: string,
  text: string,
): Promise<readonly Category[]> {
  const { runId } = await findRow(sources, text);
  const record = await sources.store.readJson(keys.record(runId), changeRecord).catch(() => undefined);
  if (record?.kind !== 'category-schema')
    throw new PortolanError('USAGE', `${runId} is no change of a category schema.`, {
      hint: 'List the runs with: portolan run list',
    });
  if (record.portal.portal !== portal)
    throw new PortolanError('USAGE', `${runId} changed ${record.portal.portal}, not ${portal}.`, {
      hint: `Put it back there with: portolan category-schema apply ${record.portal.portal} --saved ${shortRunId(runId)}`,
    });
  const saved = record.saved && (await sources.store.readJson(record.saved, categorySchema));
  if (!saved)
    throw new PortolanError('USAGE', `${portal} had no category schema before ${runId}.`, {
      hint: `Take away what it has now with: portolan category-schema delete ${portal}`,
    });
  const read = readCategories(saved, { isOurs: false });
  if (!read.problems) return read.trees;
  throw new PortolanError('USAGE', problemText(`What ${runId} saved`, read.problems), {
    hint: 'Nothing was sent.',
  });
}
