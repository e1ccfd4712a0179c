import { z } from 'zod';
import { portalId } from '../model/portal-id';
import { PortolanError } from '../model/errors/errors';
import type { RouteChange } from '../model/run/run';
import { problemLines, problemText } from './problems';
import { duration, size } from './file/plain-values';

/** An empty value clears the setting. */
const clearable = <T extends z.ZodType>(value: T) =>
  z.preprocess((given) => (given === '' ? null : given), value.nullable());

/** Settings that can be corrected in a parked run, by their keys in portolan.yaml, as typed. */
const settings = z
  .strictObject({
    'target.folder': clearable(portalId('folder id')),
    'target.folderOwner': clearable(z.string()),
    overwrite: z.enum(['true', 'false']).transform((given) => given === 'true'),
    data: z.enum(['keep', 'replace']),
    jobDeadline: duration,
    'limits.freeDiskBytes': size,
  })
  .partial();

const change = settings.transform(
  ({
    'target.folder': folderId,
    'target.folderOwner': folderOwner,
    jobDeadline: jobDeadlineMs,
    'limits.freeDiskBytes': freeDiskBytes,
    ...rest
  }): RouteChange => ({ ...rest, folderId, folderOwner, jobDeadlineMs, freeDiskBytes }),
);

/** The keys of `--set KEY=VALUE`. */
export const changeKeys: readonly string[] = Object.keys(settings.shape);

/**
 * The change requested by `--set KEY=VALUE` texts; undefined if there are none. Throws `USAGE` with every problem
 * and the allowed keys.
 */
export function parseRouteChange(texts: readonly string[]): RouteChange | undefined {
  if (texts.length === 0) return undefined;
  const problems: string[] = [];
  const given: Record<string, string> = {};
  for (const text of texts) {
    const [, key, value] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
    if (key === undefined || value === undefined) problems.push(`"${text}": write KEY=VALUE`);
    else if (Object.hasOwn(given, key)) problems.push(`${key}: is set twice`);
    else given[key] = value.trim();
  }
  const parsed = change.safeParse(given);
  if (!parsed.success) problems.push(...problemLines(parsed.error, '--set', () => changeKeys));
  if (parsed.success && problems.length === 0) return parsed.data;
  throw new PortolanError('USAGE', problemText('--set', problems), {
    hint: `Allowed keys: ${changeKeys.join(', ')}.`,
  });
}
