import { problemText } from '../../config/problems';
import { type Category, categorySchema } from '../../model/portal-change/category-schema';
import { parseCategories } from '../../domain/portal-change/category-file';
import { PortolanError } from '../../model/errors/errors';
import { documentName, readDocument } from '../terminal/documents';
import { savedChange } from './saved-change';
import type { ReadContext } from '../../service/run/run-sources';

/** The category trees of a file. Throws USAGE with every problem. */
export function categoriesOf(file: string): readonly Category[] {
  const { trees, problems } = parseCategories(readDocument(file));
  if (problems.length === 0) return trees;
  throw new PortolanError('USAGE', problemText(documentName(file), problems), {
    hint: 'Nothing was sent. Fix the listed places.',
  });
}

/**
 * The category trees a change of this portal replaced. Throws RUN_NOT_FOUND, and USAGE for a run that saved none or
 * changed another portal.
 */
export async function savedCategories(
  sources: ReadContext,
  portal: string,
  text: string,
): Promise<readonly Category[]> {
  const { runId, saved: key } = await savedChange(sources, 'category-schema', portal, text);
  const saved = key && (await sources.store.readJson(key, categorySchema));
  if (!saved)
    throw new PortolanError('USAGE', `${portal} had no category schema before ${runId}.`, {
      hint: `Delete the current one: portolan category-schema delete ${portal}`,
    });
  return saved.categorySchema;
}
