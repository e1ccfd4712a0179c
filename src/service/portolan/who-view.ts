import { z } from 'zod';
import { rights } from '../../model/rights';
import { identities } from '../../model/run/signature';

/** Identity and rights of the caller. */
export const who = z.object({
  who: z.string().describe('as in records: key name, `user@portal` or `user@host`'),
  identity: z.enum(identities).describe('source of `who`'),
  rights: z.array(z.enum(rights)),
  routes: z.array(z.string()).optional().describe('routes for rights beyond `view`; absent: all'),
  pipelines: z.array(z.string()).optional().describe('pipelines for rights beyond `view`; absent: all'),
  expiresAt: z.string().optional().describe('when the sign-in expires'),
});
export type Who = z.infer<typeof who>;
