import { z } from 'zod';
import {
  chatFormats,
  type NotifyEvent,
  notifyEvents,
  pingEvents,
  troubleEvents,
  type WebhookFormat,
} from '../../model/run/notification';
import { command, name, secretUrl, signingSecrets } from './plain-values';

/** The cross-checks require exactly one of `command` and `webhook`. */
export const notify = z
  .strictObject({
    name: name.optional().meta({
      form: 'name',
      unset: 'its position, such as notify.0',
      description: 'name in `hook list`; identifies pending messages',
    }),
    on: z
      .array(z.enum(notifyEvents))
      .min(1, 'write at least one event, or leave it out for all problem events')
      .optional()
      .meta({
        unset: 'all but started, succeeded, promoted and rolled-back; for `healthchecks`, what it needs',
        description: '[events to send](../guide/notifications.md)',
      }),
    routes: z.array(z.string().min(1)).min(1, 'write at least one route, or leave it out').optional().meta({
      form: 'names',
      unset: 'all',
      description: 'send only events of these routes, pipelines and rules (`protect/PORTAL/RULE`)',
    }),
    command: command.optional().meta({ form: 'texts', description: 'program and arguments to run' }),
    webhook: secretUrl.optional().describe('URL to post to'),
    format: z.enum(chatFormats).optional().meta({
      unset: 'JSON',
      description: '[form of the post](../guide/notifications.md)',
    }),
    secret: signingSecrets.optional().meta({
      unset: 'not signed',
      description: 'signs posts ([Standard Webhooks](../guide/notifications.md)); list two to rotate',
    }),
    insecure: z.boolean().default(false).describe('allow plain http to other machines'),
  })
  .transform(({ command: program, webhook, secret = [], insecure, format = 'json', on, ...rest }) => {
    const initial = format === 'healthchecks' ? pingEvents : troubleEvents;
    const told = { ...rest, on: on ?? ([...initial] satisfies NotifyEvent[]) };
    if (program) return { ...told, command: program };
    return webhook ? { ...told, webhook, secret, insecure, format: format as WebhookFormat } : z.NEVER;
  });

/** Fields a caller of a hook can set. */
const hookFields = ['release', 'reason'] as const;
export type HookField = (typeof hookFields)[number];

type HookStart =
  | { readonly route: string }
  | { readonly pipeline: string; readonly stage: string }
  /** Called by this portal: what is backed up when its group changes. */
  | { readonly portal: string; readonly routes: readonly string[] };

/** A hook. The cross-checks require that it starts exactly one thing, and that the thing exists. */
export const hook = z
  .strictObject({
    secret: signingSecrets.meta({
      description:
        'checks the signature of calls ([Standard Webhooks](../guide/notifications.md)); list two to rotate',
    }),
    route: z.string().min(1).optional().meta({
      form: 'route',
      description: 'route to sync; its approval rules apply',
    }),
    pipeline: z.string().min(1).optional().meta({
      form: 'pipeline',
      description: 'pipeline to promote in, instead of a route',
    }),
    stage: z.string().min(1).optional().meta({ form: 'stage', description: 'for a pipeline: target stage' }),
    portal: z.string().min(1).optional().meta({
      form: 'portal',
      description: 'instead of a route: portal whose [webhook](../guide/notifications.md) calls this hook',
    }),
    routes: z.array(z.string().min(1)).min(1, 'write at least one route or rule').optional().meta({
      form: 'names',
      description:
        'for a portal: routes and rules (`protect/PORTAL/RULE`) to back up when their group changes',
    }),
    allow: z
      .array(z.enum(hookFields, 'write release or reason'))
      .default([])
      .meta({ unset: 'none', description: 'fields the caller can set in the body' }),
  })
  .transform(({ route, pipeline = '', stage = '', portal: caller, routes = [], ...rest }) => {
    const named: HookStart = route === undefined ? { pipeline, stage } : { route };
    const starts: HookStart = caller === undefined ? named : { portal: caller, routes };
    return { ...rest, starts };
  });
