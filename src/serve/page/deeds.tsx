import type { FastifyRequest } from 'fastify';

/** What a form did. */
const deeds = {
  approve: 'Approved.',
  reject: 'Rejected: the run ends, and the target stays as it is.',
  resume: 'Resumed.',
  cancel: 'The run was asked to end. It cleans up first.',
  later: 'Your decision is saved. It takes effect once a worker is running.',
  started: 'Started.',
  again: 'This form had already started this run.',
  pause: 'Paused. The schedule starts nothing until it is resumed. A run in progress continues.',
  'let-go-on': 'The schedule starts runs again when they are due.',
  'trigger-later': 'Triggered. The run starts once the current one has ended.',
  release: 'The slot was freed.',
} as const;
export type Deed = keyof typeof deeds;

/** Binds a deed to a page and to the visitor who did it: a link from elsewhere cannot make a page claim anything. */
const marking = ({ admission: { forms } }: FastifyRequest, path: string, deed: string): string =>
  JSON.stringify([forms, path, deed]);

/** A deed as an address carries it. */
export const markDeed = (request: FastifyRequest, path: string, deed: Deed): string =>
  `${deed}.${request.server.seals?.formToken(marking(request, path, deed)) ?? ''}`;

/** The text of the deed that the address of a page carries, if the visitor did it. */
function readDeed(request: FastifyRequest, did: string): string | undefined {
  const [deed = '', mark] = did.split('.');
  const path = new URL(request.url, 'http://here').pathname;
  const isOurs = request.server.seals?.isFormToken(marking(request, path, deed), mark);
  return isOurs && Object.hasOwn(deeds, deed) ? deeds[deed as Deed] : undefined;
}

interface DoneProps {
  readonly request: FastifyRequest;
  /** What the address says was done. */
  readonly did?: string;
}

/** What came of a form, above the page to which it led. */
export const Done = ({ request, did }: DoneProps) => {
  const text = did === undefined ? undefined : readDeed(request, did);
  return text === undefined ? null : (
    <p class="banner good" role="status" id="done">
      {text}
    </p>
  );
};
