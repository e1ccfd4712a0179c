import path from 'node:path';
import ms from 'ms';
import { z } from 'zod';
import { CHECKS_MAX } from '../../model/release/promotion';
import type { ReferenceMap } from '../../model/release/reference-map';
import { withoutTrailingSlashes } from '../../model/identity';
import { openUrlProblem } from '../url-problem';
import { portalId } from '../../model/portal-id';
import { command as programAndArguments, duration, howMany, name } from './plain-values';

const howToWriteCommands =
  'no shell splits it; write one program without arguments, or a list, [PROGRAM, ARGUMENT]';

const command = z.union(
  [
    z
      .string()
      .regex(/^\S+$/)
      .transform((program): readonly [string, ...string[]] => [program]),
    programAndArguments,
  ],
  { error: () => howToWriteCommands },
);

const url = z.string().superRefine((text, context) => {
  const problem = openUrlProblem(text, {
    mayHoldQuery: true,
    unencrypted: 'can be tampered with on the way; use https',
  });
  if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
});

const TRIES_MAX = 20;

/** A check of a stage; the cross-checks require exactly one of `command` and `url`. Commands start in the folder of the file. */
const check = z
  .strictObject({
    name: name.optional().meta({
      unset: 'program, or host and path',
      description: 'name in the record',
    }),
    command: command.optional().meta({
      form: 'text or texts',
      description: 'program that must exit with status 0',
    }),
    url: url.optional().meta({ form: 'URL', description: 'URL that must return HTTP status 200' }),
    within: duration
      .refine((given) => given >= ms('1s') && given <= ms('12h'), 'write a duration from 1s to 12h')
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
  })
  .transform(({ name: given, command: program, url: address, within, tries }) => {
    const common = { name: given ?? checkName({ command: program, url: address }) ?? '', tries };
    if (program) return { ...common, command: program, withinMs: within ?? ms('5m') };
    return address === undefined ? z.NEVER : { ...common, url: address, withinMs: within ?? ms('30s') };
  });

/** Default name of a check. */
export function checkName(check: {
  readonly command?: string | readonly (string | undefined)[];
  readonly url?: string;
}): string | undefined {
  const [program] = typeof check.command === 'string' ? [check.command] : (check.command ?? []);
  if (program !== undefined) return path.basename(program);
  if (check.url === undefined) return undefined;
  const { host, pathname } = new URL(check.url);
  return `${host}${pathname}`;
}

/** The cross-checks hold its rows against each other. */
const mapped = (what: 'URL' | 'item ID') =>
  z
    .record(
      z.string(),
      z.string().meta({
        form: what,
        description:
          what === 'URL'
            ? 'replaces the URL NAME, also at the start of longer ones, in imported data; NAMEs cannot contain each other'
            : 'replaces the item ID NAME, likewise',
      }),
    )
    .default({});

/** Undefined without rows. */
const map = z
  .strictObject({ urls: mapped('URL'), items: mapped('item ID') })
  .transform(({ urls, items }): ReferenceMap | undefined =>
    Object.keys(urls).length + Object.keys(items).length === 0
      ? undefined
      : {
          urls: mapTexts(urls, withoutTrailingSlashes),
          items: mapTexts(items, (id) => id.toLowerCase()),
        },
  );

const mapTexts = (rows: Record<string, string>, write: (text: string) => string): Record<string, string> =>
  Object.fromEntries(Object.entries(rows).map(([from, to]) => [write(from), write(to)]));

const user = z.string().min(1).max(128);

const owners = z.strictObject({
  default: user.optional().meta({
    form: 'user name',
    unset: 'user of the same name',
    description: 'owner of other new items',
  }),
  map: z
    .record(
      user,
      user.meta({
        form: 'user name',
        description: 'owner of new items that NAME owns in the first stage',
      }),
    )
    .default({}),
});

const stage = z
  .strictObject({
    portal: z
      .string()
      .min(1)
      .meta({ form: 'portal', description: 'portal, used by no other stage of the pipeline' }),
    groups: z.record(
      name,
      portalId('group id').describe('existing group, one for each group of the pipeline'),
    ),
    after: name.optional().meta({
      form: 'stage',
      unset: 'previous stage',
      description: 'stage that releases come from; the first stage makes them',
    }),
    checks: z
      .array(check)
      .max(CHECKS_MAX, `a stage has at most ${CHECKS_MAX} checks`)
      .default([])
      .meta({ effect: 'at once' }),
    map: map.prefault({}),
    owners: owners.optional(),
    soak: duration
      .default(0)
      .meta({ unset: '`0d`' })
      .describe('minimum time since verification in the previous stage'),
    onFailure: z
      .enum(['park', 'rollback'])
      .default('park')
      .describe('on failure after importing: wait for a decision, or restore the stage'),
    approval: z.enum(['none', 'ask', 'required']).default('ask').describe('as for routes'),
    data: z.enum(['keep', 'replace']).default('keep').describe('data of existing hosted layers'),
    settings: z.boolean().default(false).describe('apply the portal settings of releases'),
    categories: z.boolean().default(false).describe('apply the content category schema of releases'),
  })
  .transform(({ soak, ...rest }) => ({ ...rest, soakMs: soak }));

/** A pipeline of portolan.yaml. */
export const pipeline = z
  .strictObject({
    groups: z.array(name).min(1, 'names no group').meta({
      form: 'names',
      description: 'names for the groups of [a release](../guide/promotions.md), dependencies first',
    }),
    settings: z.boolean().default(false).describe('releases include portal settings'),
    categories: z.boolean().default(false).describe('releases include the content category schema'),
    stages: z.record(name, stage),
  })
  .transform(({ stages, ...rest }) => {
    const names = Object.keys(stages);
    return {
      ...rest,
      stages: Object.entries(stages).map(([each, given], index) => ({
        ...given,
        name: each,
        after: given.after ?? names[index - 1],
      })),
    };
  });
