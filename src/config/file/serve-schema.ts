import { z } from 'zod';
import { isLoopback } from '../portal-url';
import { hostAndPort, name } from './plain-values';

/** What somebody who asks the server may do. */
export const rights = ['view', 'start', 'operate', 'approve'] as const;
export type Right = (typeof rights)[number];

const key = z.strictObject({
  sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/, 'is not a sha256: 64 digits of 0-9 and a-f')
    .meta({
      form: 'sha256',
      description: 'of the key; `portolan serve key NAME` makes one, and prints both',
    }),
  rights: z.array(z.enum(rights, 'write view, start, operate or approve')).min(1).default(['view']).meta({
    form: 'list of view, start, operate, approve',
    description:
      'what it may do: look; start runs; answer parked runs, cancel, pause and release; approve and reject plans. Whoever may do anything may look',
  }),
  routes: z
    .array(name)
    .optional()
    .meta({ unset: 'all', description: 'routes with which it may do more than look' }),
  pipelines: z
    .array(name)
    .optional()
    .meta({ unset: 'all', description: 'pipelines with which it may do more than look' }),
});

/** `serve` of portolan.yaml. Whether somebody can ask it anything is for `serveProblems` to see to. */
export const serve = z.strictObject({
  address: hostAndPort
    .default('127.0.0.1:8350')
    .meta({ form: 'HOST:PORT', description: 'where `serve` answers' }),
  url: z
    .url({ protocol: /^https?$/, error: 'is not an http or https address' })
    .optional()
    .meta({
      form: 'URL',
      unset: 'by its address',
      description: 'under which others reach it, behind a proxy: its host is answered too',
    }),
  insecure: z
    .boolean()
    .default(false)
    .describe('answers other machines by plain http, as behind a proxy that has the certificate'),
  open: z
    .boolean()
    .default(false)
    .describe('answers whoever asks, without a key; at an address of this machine only'),
  keys: z.record(name, key).default({}).meta({ description: 'who may ask, by a key of their own' }),
});
export type ServeFile = z.infer<typeof serve>;

const sketch = z.object({ serve });

/** What is wrong between the parts of it: who could ask that should not. */
export function serveProblems(given: unknown): string[] {
  const read = sketch.safeParse(given);
  if (!read.success) return [];
  const { address, open, insecure } = read.data.serve;
  const host = address.replace(/:\d+$/, '');
  if (isLoopback(host)) return [];
  return [
    ...(open ? [`serve.open: answers everybody, and ${address} is no address of this machine alone`] : []),
    ...(insecure
      ? []
      : [
          `serve.address: ${address} is reached by other machines, and would take keys by plain http; write insecure: true where a proxy with a certificate stands before it`,
        ]),
  ];
}
