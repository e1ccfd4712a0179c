import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { JobHandle } from '../../model/transfer/job';
import type { StartedJob } from '../../portal/http/transfer-answer';
import type { ActivityDeps } from '../deps';
import type { Control } from '../../domain/control/control';
import { PortolanError } from '../../model/errors/errors';

/** A job key for history: AES-256-GCM with a key derived from the control key and the run. */
type SealedKey = string;

const FORMAT = 'v2';
const IV_BYTES = 12;
const TAG_BYTES = 16;

const derive = (control: Control, runId: string): Buffer => control.derive('job keys', runId);

export function sealKey(control: Control, runId: string, key: string): SealedKey {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv('aes-256-gcm', derive(control, runId), iv);
  const sealed = Buffer.concat([iv, cipher.update(key, 'utf8'), cipher.final(), cipher.getAuthTag()]);
  return `${FORMAT}.${sealed.toString('base64url')}`;
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
export function unsealKey(control: Control, runId: string, sealed: SealedKey): string {
  const bytes = Buffer.from(sealed.slice(FORMAT.length + 1), 'base64url');
  try {
    const open = createDecipheriv('aes-256-gcm', derive(control, runId), bytes.subarray(0, IV_BYTES));
    open.setAuthTag(bytes.subarray(-TAG_BYTES));
    return open.update(bytes.subarray(IV_BYTES, -TAG_BYTES), undefined, 'utf8') + open.final('utf8');
  } catch {
    throw new PortolanError(
      'SECRET_CHANGED',
      'the key of the job cannot be read with the current control key',
    );
  }
}
