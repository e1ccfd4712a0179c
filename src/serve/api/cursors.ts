import { z } from 'zod';
import { Refusal } from '../problem';

const PAGE = 50;
const PAGE_MAX = 500;

/** Of a list that can be long. */
export const limit = z.coerce.number().int().min(1).max(PAGE_MAX).default(PAGE);

/** Where the next page begins: what the page before has said. */
export const cursor = z
  .string()
  .regex(/^\d{1,16}$/, 'is no cursor of this server')
  .transform(Number)
  .optional()
  .describe('`next` of the page before');

export const noCursor = (): Refusal =>
  new Refusal(400, 'USAGE', 'cursor: is no cursor of this list', 'Begin without one.');
