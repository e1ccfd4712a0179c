import bytes from 'bytes';
import ms, { type StringValue } from 'ms';
import { z } from 'zod';

/** Milliseconds of `6h`, `90s`, `7d`, `0d`; undefined for anything else. */
export function parseDuration(text: string): number | undefined {
  if (!/^\d+(\.\d+)?\s*(ms|s|m|h|d|w)$/i.test(text.trim())) return undefined;
  return ms(text.trim() as StringValue);
}

/** Bytes of `5GB`, `500MB` or `1048576`, in powers of 1024; undefined for anything else. */
export function parseSize(text: string): number | undefined {
  if (!/^\d+(\.\d+)?\s*(b|kb|mb|gb|tb)?$/i.test(text.trim())) return undefined;
  return bytes.parse(text.trim()) ?? undefined;
}

/** A duration as it is written in portolan.yaml. @format milliseconds */
export const duration = z
  .string('write a duration with its unit, such as 90s, 6h or 7d')
  .transform((text, context) => {
    const parsed = parseDuration(text);
    if (parsed !== undefined) return parsed;
    context.addIssue({ code: 'custom', message: 'write a duration with its unit, such as 90s, 6h or 7d' });
    return z.NEVER;
  })
  .meta({ form: 'duration' });

/** A size as it is written in portolan.yaml; a bare number is bytes. @format bytes */
export const size = z
  .union([z.string(), z.number()], 'write a size such as 500MB or 5GB')
  .transform((given, context) => {
    const parsed = parseSize(String(given));
    if (parsed !== undefined) return parsed;
    context.addIssue({ code: 'custom', message: 'write a size such as 500MB or 5GB' });
    return z.NEVER;
  })
  .meta({ form: 'size' });
