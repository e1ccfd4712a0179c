import { z } from 'zod';

/** One line of what changes inside an item, as text for people; a value that is not set is absent. */
export const fieldChange = z.object({
  path: z.string().describe('place in the content, such as `data.operationalLayers[id=roads].visibility`'),
  label: z.string().describe('the same in the words of its builder, such as `layer "Roads" visibility`'),
  before: z.string().optional(),
  after: z.string().optional(),
});
export type FieldChange = z.infer<typeof fieldChange>;

/** How the content of an item differs between two states of it. */
export const change = z.object({
  kind: z.enum(['changed', 'same', 'unknown']).describe('`unknown` is written like `changed`'),
  fields: z.array(fieldChange),
  more: z.number().optional().describe('fields beyond the first 100'),
  why: z.string().optional().describe('why it is `unknown`'),
  sha256: z.string().describe('of everything that differs, whether shown or not'),
});
export type Change = z.infer<typeof change>;
