import { z } from 'zod';

const PAGE = 50;
const PAGE_MAX = 500;

/** Rows on one page. */
export const limit = z.coerce.number().int().min(1).max(PAGE_MAX).default(PAGE);

/** Where the next page begins. */
export const cursor = z
  .string()
  .regex(/^\d{1,16}$/, 'is not a valid cursor')
  .transform(Number)
  .optional()
  .describe('`next` of the previous page');
