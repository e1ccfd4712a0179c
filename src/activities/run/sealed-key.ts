import type { JobHandle } from '../../model/transfer/job';
import type { StartedJob } from '../../portal/http/transfer-answer';
import { openNote, sealedNote, sealNote } from '../../store/encrypted/sealed-note';
import type { ActivityDeps } from '../deps';
import type { Control } from '../../domain/control/control';
import { PortolanError } from '../../model/errors/errors';

const JOB_KEY = 'job key';

const keyOfRun = (control: Control, runId: string): Buffer => control.derive('job keys', runId);

/** A job key for history, sealed with a key derived from the control key and the run. */
export function sealKey(control: Control, runId: string, key: string): string {
  const note = sealNote(keyOfRun(control, runId), JOB_KEY, key);
  return Buffer.from(JSON.stringify(note)).toString('base64url');
}

/** A portal job for history. */
export async function sealJob(
  { openControl }: Pick<ActivityDeps, 'openControl'>,
  runId: string,
  { jobId, key }: StartedJob,
): Promise<JobHandle> {
  const sealedKey = key ? sealKey(await openControl(), runId, key) : undefined;
  return { kind: 'job', jobId, sealedKey };
}

/** Throws SECRET_CHANGED if the control key is no longer the one that sealed it. */
export function unsealKey(control: Control, runId: string, sealed: string): string {
  try {
    const note = sealedNote.parse(JSON.parse(Buffer.from(sealed, 'base64url').toString()));
    return openNote(keyOfRun(control, runId), JOB_KEY, note, JOB_KEY);
  } catch {
    throw new PortolanError(
      'SECRET_CHANGED',
      'the key of the job cannot be read with the current control key',
    );
  }
}
