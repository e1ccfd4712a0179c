import { z } from 'zod';

/** An ID that a portal has given. */
export const portalId = (what: string) =>
  z
    .string(`write the ${what} in quotes`)
    .regex(/^[A-Za-z0-9_-]+$/, `is not a ${what}: letters, digits and hyphens only`)
    .meta({ form: what.replace(/ id$/, ' ID') });
