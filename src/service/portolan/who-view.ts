import { z } from 'zod';
import { rights } from '../../config/file/serve-schema';
import { identities } from '../../model/run/signature';

/** Who asks, and what they may do. */
export const who = z.object({
  who: z.string().describe('as records have it: the name of a key, `user@portal`, or `user@host`'),
  identity: z.enum(identities).describe('how it is known'),
  rights: z.array(z.enum(rights)),
  routes: z.array(z.string()).optional().describe('with which more may be done than looking; absent: all'),
  pipelines: z.array(z.string()).optional().describe('the same of pipelines'),
  expiresAt: z.string().optional().describe('until when somebody is signed in'),
});
export type Who = z.infer<typeof who>;
