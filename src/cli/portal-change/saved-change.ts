import { type RunRecord, runRecord } from '../../model/run/run';
import { PortolanError } from '../../model/errors/errors';
import { shortRunId } from '../../model/run/run-id';
import { keys } from '../../store/keys';
import { findRun } from '../../service/run/find-run';
import { readNote, type ReadContext } from '../../service/run/run-sources';

const wordsFor = { settings: 'settings', 'category-schema': 'a category schema' } as const;

/**
 * The change that `--saved` names. Throws RUN_NOT_FOUND, NOTE_ALTERED, and USAGE for a run of another kind or
 * portal.
 */
export async function savedChange(
  sources: ReadContext,
  kind: keyof typeof wordsFor,
  portal: string,
  text: string,
): Promise<RunRecord> {
  const runId = await findRun(sources, text);
  const { value: record, why } = await readNote(sources.store, keys.record(runId), runRecord);
  if (why !== undefined) throw why;
  if (record?.kind !== kind)
    throw new PortolanError('USAGE', `${runId} did not change ${wordsFor[kind]}.`, {
      hint: 'List all runs: portolan run list',
    });
  const changed = record.route.name;
  if (changed !== portal)
    throw new PortolanError('USAGE', `${runId} changed ${changed}, not ${portal}.`, {
      hint: `Restore it there: portolan ${kind} apply ${changed} --saved ${shortRunId(runId)}`,
    });
  return record;
}
