import { z } from 'zod';

const howToWriteSecrets =
  'a secret itself does not belong in this file; write { env: NAME }, { file: PATH } or { command: [PROGRAM, ARGUMENT] }';

/** The three ways to say where a secret is. */
export const secretReferences = [
  z.strictObject({ env: z.string().min(1) }),
  z.strictObject({ file: z.string().min(1) }),
  z.strictObject({ command: z.array(z.string()).min(1) }),
] as const;

/** A secret as portolan.yaml names it. */
export const secret = z
  .union(secretReferences, {
    error: (issue) => (issue.input === undefined ? 'is missing' : howToWriteSecrets),
  })
  .meta({ form: 'secret' });
