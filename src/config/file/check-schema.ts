import { z } from 'zod';
import { CHECKS_MAX } from '../../model/release/check-result';
import { duration, howMany, name } from './plain-values';

const howToWriteCommands =
  'no shell splits it; write one program without arguments, or a list, [PROGRAM, ARGUMENT]';

const SECOND = 1_000;
const WITHIN_MAX = 12 * 3_600 * SECOND;
const TRIES_MAX = 20;

/** `checkProblems` requires exactly one of `command` and `url`. */
export const check = z.strictObject({
  name: name.optional().meta({
    unset: 'program, or host and path',
    description: 'name in the record',
  }),
  command: z
    .union(
      [
        z.string().regex(/^\S+$/, howToWriteCommands),
        z.array(z.string().min(1, howToWriteCommands)).min(1, howToWriteCommands),
      ],
      { error: () => howToWriteCommands },
    )
    .optional()
    .meta({
      form: 'text or texts',
      description: 'program that must exit with status 0',
    }),
  url: z.string().optional().meta({
    form: 'URL',
    description: 'URL to request',
  }),
  status: z
    .int('write a status of HTTP such as 200')
    .min(100, 'write a status of HTTP such as 200')
    .max(599, 'write a status of HTTP such as 200')
    .optional()
    .meta({
      form: 'integer',
      unset: '200',
      description: 'expected HTTP status',
    }),
  insecure: z
    .boolean()
    .optional()
    .meta({ unset: 'false', description: 'allow plain http to other machines' }),
  within: duration
    .refine((ms) => ms >= SECOND && ms <= WITHIN_MAX, 'write a duration from 1s to 12h')
    .optional()
    .meta({
      form: 'duration',
      unset: '5m for a command, 30s for a URL',
      description: 'time limit of each attempt',
    }),
  tries: howMany.max(TRIES_MAX, `write a whole number of at most ${TRIES_MAX}`).default(1).meta({
    form: 'integer',
    description: 'attempts, with pauses of 5 s to 1 min',
  }),
});
export type CheckFile = z.infer<typeof check>;

/** The checks of a stage, read by the worker that carries out a promotion. */
export const checks = z
  .array(check)
  .max(CHECKS_MAX, `a stage has at most ${CHECKS_MAX} checks`)
  .default([])
  .meta({ effect: 'at once' });
