import { z } from 'zod';
import { CHECKS_MAX } from '../../model/release/check-result';
import { duration, howMany, name } from './plain-values';

const howToWriteCommands =
  'is not run by a shell: write one program without arguments, or a list, [PROGRAM, ARGUMENT]';

const SECOND = 1_000;
const WITHIN_MAX = 12 * 3_600 * SECOND;
const TRIES_MAX = 20;

/** Exactly one of `command` and `url`, which `checkProblems` sees to. */
export const check = z.strictObject({
  name: name.optional().meta({
    unset: 'the program, or host and path of the URL',
    description: 'what it is called in a record',
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
      form: 'program, or list of words',
      description: 'program, with arguments, that has to end with exit status 0',
    }),
  url: z.string().optional().meta({
    form: 'URL',
    description: 'an address that has to answer; https, or http to this machine only',
  }),
  status: z
    .int('write a status of HTTP such as 200')
    .min(100, 'write a status of HTTP such as 200')
    .max(599, 'write a status of HTTP such as 200')
    .optional()
    .meta({
      form: 'whole number',
      unset: '200',
      description: 'of a URL: the HTTP status that it has to answer with',
    }),
  insecure: z
    .boolean()
    .optional()
    .meta({ unset: 'false', description: 'of a URL: allows plain http to another machine' }),
  within: duration
    .refine((ms) => ms >= SECOND && ms <= WITHIN_MAX, 'write a duration from 1s to 12h')
    .optional()
    .meta({
      form: 'duration',
      unset: '5m of a command, 30s of a URL',
      description: 'a try that takes longer is ended, and has failed',
    }),
  tries: howMany.max(TRIES_MAX, `write a whole number of at most ${TRIES_MAX}`).default(1).meta({
    form: 'whole number',
    description: 'how often it may fail; the pauses between grow from 5 s to a minute',
  }),
});
export type CheckFile = z.infer<typeof check>;

/** The checks of a stage, as whoever carries out a promotion has them. */
export const checks = z
  .array(check)
  .max(CHECKS_MAX, `a stage has at most ${CHECKS_MAX} checks`)
  .default([])
  .meta({ effect: 'at once' });
