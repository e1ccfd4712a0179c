import type { Delivery } from '../../contract/delivery';
import type { FastifyRequest } from 'fastify';

/** The message shown after a form has done its work. */
const deeds = {
  approve: 'Approved.',
  reject: 'Rejected. The run ends without importing.',
  resume: 'Resumed.',
  cancel: 'Cancel requested. The run cleans up, then ends.',
  received: 'Decision received. Its checks are still running.',
  later: 'Decision saved. No worker has received it yet.',
  started: 'Started.',
  again: 'Already started: this form was already submitted.',
  pause: 'Paused. The schedule starts no runs until you resume it. A run in progress continues.',
  'resume-schedule': 'Resumed. The schedule starts runs when they are due.',
  'trigger-later': 'Run requested. It starts when the current one ends.',
  release: 'Slot freed.',
  block: 'Blocked. The release goes to no further stage until you unblock it.',
  unblock: 'Unblocked. The release can be promoted.',
} as const;
export type Deed = keyof typeof deeds;

/** The message for a decision: `deed` once it is accepted. */
export const sentDeed = ({ taken, answer }: Delivery, deed: Deed): Deed =>
  answer !== undefined ? deed : taken ? 'received' : 'later';

/** Binds a message to its page and its visitor, so that a link from elsewhere cannot make a page claim anything. */
const marking = ({ admission: { forms } }: FastifyRequest, path: string, deed: string): string =>
  JSON.stringify([forms, path, deed]);

/** The message's name and signature, for the URL. */
export const markDeed = (request: FastifyRequest, path: string, deed: Deed): string =>
  `${deed}.${request.server.seals?.formToken(marking(request, path, deed)) ?? ''}`;

/** The text of the message named in a URL, if its signature is valid for this visitor. */
function readDeed(request: FastifyRequest, did: string): string | undefined {
  const [deed = '', mark] = did.split('.');
  const path = new URL(request.url, 'http://here').pathname;
  const isGenuine = request.server.seals?.isFormToken(marking(request, path, deed), mark);
  return isGenuine && Object.hasOwn(deeds, deed) ? deeds[deed as Deed] : undefined;
}

interface DoneProps {
  readonly request: FastifyRequest;
  /** From the URL. */
  readonly did?: string;
}

/** The result of a form, above the page it leads to. */
export const Done = ({ request, did }: DoneProps) => {
  const text = did === undefined ? undefined : readDeed(request, did);
  return text === undefined ? null : (
    <p class="banner good" role="status" id="done">
      {text}
    </p>
  );
};
