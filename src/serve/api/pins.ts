import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { pinned, pinRequest, unpinned } from '../../service/release/release-view';
import type { SnapshotPin } from '../../model/snapshot/snapshot';
import type { Caller } from '../../service/may';
import { problem } from '../problem';

/** What can be pinned: a snapshot or a release. */
interface Pinnable {
  readonly what: 'snapshot' | 'release';
  /** The path parameter that names one. */
  readonly text: z.ZodString;
  /** Throws if the caller may not change it. */
  readonly pin: (
    text: string,
    pin: Pick<SnapshotPin, 'who' | 'reason'>,
    caller: Caller,
  ) => Promise<z.input<typeof pinned>>;
  readonly unpin: (text: string, caller: Caller) => Promise<z.input<typeof unpinned>>;
}

/** `portolan snapshot pin|unpin`, `release pin|unpin`. */
export const pinsApi =
  ({ what, text, pin, unpin }: Pinnable): FastifyPluginAsyncZod =>
  async (api) => {
    const tags = [`${what}s`];
    const params = z.object({ [what]: text });
    const named = what === 'snapshot' ? 'Snapshot' : 'Release';
    const textIn = (given: unknown): string => params.parse(given)[what] ?? '';

    api.post(
      `/${what}s/:${what}/pin`,
      {
        config: { right: 'operate' },
        schema: {
          operationId: `pin${named}`,
          tags,
          summary: `Keep a ${what} from being forgotten until it is unpinned`,
          params,
          body: pinRequest,
          response: { 200: pinned, default: problem },
        },
      },
      ({ caller, params: given, body: { reason } }) =>
        pin(textIn(given), { who: caller.who, reason }, caller),
    );

    api.post(
      `/${what}s/:${what}/unpin`,
      {
        config: { right: 'operate' },
        schema: {
          operationId: `unpin${named}`,
          tags,
          summary: `Unpin a ${what} so that it can be forgotten`,
          params,
          body: z.strictObject({}).optional(),
          response: { 200: unpinned, default: problem },
        },
      },
      ({ caller, params: given }) => unpin(textIn(given), caller),
    );
  };
