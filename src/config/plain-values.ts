import { z } from 'zod';

/** Names become part of run ids, file names and search attributes. */
export const name = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9_.-]{0,62}$/,
    'a name has letters, digits, hyphens, dots and underscores, at most 63',
  );

export const portalId = (what: string) =>
  z
    .string(`write the ${what} in quotes`)
    .regex(/^[A-Za-z0-9_-]+$/, `is not a ${what}: letters, digits and hyphens only`)
    .meta({ form: what });

/** Of something that there is at least one of. */
export const howMany = z
  .int('write a whole number of at least 1')
  .min(1, 'write a whole number of at least 1')
  .meta({ form: 'whole number' });
