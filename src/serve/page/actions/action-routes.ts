import type { FastifyReply, FastifyRequest } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { addressOfRun } from '../../../config/page-address';
import { contract } from '../../../contract/contract';
import type { Delivery } from '../../../contract/delivery';
import type { How } from '../../../contract/operation';
import { changedCount, changesWords, matchesPlanHash } from '../../../model/transfer/plan-summary';
import { May, type Caller } from '../../../service/may';
import { Refusal, type Problem, problemOf } from '../../problem';
import type { Sources } from '../../sources';
import { addressOfPipeline } from '../addresses';
import { type Deed, sentDeed } from '../flash-message';
import { goTo, type Pages } from '../page-reply';
import { showItem, showPipeline, showRoute, showSchedules } from '../room-pages';
import { showRun, showRuns } from '../run-pages';
import { FIELD_MAX } from './action';
import { actions, type Field, type PageAction } from './table';

type Values = Readonly<Record<string, unknown>>;

const params = z.record(z.string(), z.string().min(1).max(300));

/** The forms of the web UI. Each asks for its operation, and leads to a page that says what came of it. */
export const actionRoutes =
  (sources: Sources, pages: Pages): FastifyPluginAsyncZod =>
  async (app) => {
    app.setErrorHandler(
      showFormError((request, reply, problem) => {
        const { run, route, pipeline, schedule, item, direction } = params.parse(request.params);
        if (run !== undefined) return showRun(pages, request, reply, { run, problem });
        if (route !== undefined) return showRoute(sources, pages, request, reply, { route, problem });
        if (pipeline !== undefined) return showPipeline(pages, request, reply, { pipeline, problem });
        if (item !== undefined) return showItem(sources, pages, request, reply, { item, problem });
        if (schedule !== undefined) return showSchedules(sources, pages, request, reply, { problem });
        // The page of the run that waits for a slot is not known here.
        if (direction !== undefined) throw new TypeError('a portal queue has no page');
        return showRuns(sources, pages, request, reply, {}, problem);
      }),
    );
    for (const action of Object.values<PageAction>(actions)) {
      const { operation, at, always, done } = action;
      app.post(
        at,
        { config: { right: contract[operation].right }, schema: { params, body: formOf(action) } },
        async (request, reply) => {
          const form = request.body as Values;
          if (operation === 'approveRun') await requirePortal(request, form);
          requireFilledIn(action, form);
          const given = { ...form, ...request.params, ...always };
          const input = Object.entries(given).filter(([name]) => name in contract[operation].input.shape);
          const ask = request.portolan[operation] as (input: Values, how: How) => Promise<Answer>;
          const requestId = form['requestId'] as string | undefined;
          const { pipeline } = params.parse(request.params);
          const home = pipeline === undefined ? '/schedules' : addressOfPipeline(pipeline);
          return lead(reply, await ask(Object.fromEntries(input), { requestId }), home, done);
        },
      );
    }
  };

/** What the answers of these operations have in common. */
interface Answer extends Partial<Delivery> {
  readonly runId?: string;
  /** Of a start. */
  readonly isNew?: boolean;
}

/** Leads to the page of the run, or else to the one that had the form. */
function lead(reply: FastifyReply, answer: Answer, home: string, done?: Deed): FastifyReply {
  const { runId, isNew = true } = answer;
  if (runId === undefined) return goTo(reply, home, done ?? 'trigger-later');
  const deed = done === undefined ? (isNew ? 'started' : 'again') : sentDeed(answer as Delivery, done);
  return goTo(reply, addressOfRun(runId), deed);
}

/** A form sends every field, including empty ones; surrounding spaces are dropped. */
const text = z.preprocess(
  (given) => (typeof given === 'string' ? given.trim() || undefined : given),
  z.string().max(FIELD_MAX).optional(),
);

const values = {
  text,
  select: text,
  words: text.transform((given) => given?.split(/\s+/)),
  tick: z
    .literal('yes')
    .optional()
    .transform((given) => given !== undefined || undefined),
} as const satisfies Readonly<Record<Field['kind'], z.ZodType>>;

/** A new ID each time a form is shown: a form sent twice starts only one run. */
const requestId = z
  .string()
  .regex(/^[\w-]{1,100}$/)
  .optional();

const formOf = ({ hidden = [], fields }: PageAction): z.ZodType =>
  z
    .object({
      requestId,
      ...Object.fromEntries(hidden.map((name) => [name, z.string().min(1).max(300)])),
      ...Object.fromEntries(Object.entries(fields).map(([name, { kind }]) => [name, values[kind]])),
    })
    .prefault({});

function requireFilledIn({ operation, fields }: PageAction, form: Values): void {
  for (const [name, { label, isNeeded }] of Object.entries(fields)) {
    const isAsked = name in contract[operation].input.shape;
    if (isNeeded && isAsked && form[name] === undefined)
      throw new Refusal(400, 'USAGE', `${label} is required.`, 'Fill it in and send the form again.');
  }
}

/** Requires the portal's name before items are overwritten or removed, so that nobody approves for the wrong portal by mistake. */
async function requirePortal(request: FastifyRequest, { plan: seen, portal }: Values): Promise<void> {
  const { run } = params.parse(request.params);
  const { record } = await request.portolan.viewRun({ run: String(run), ofGroup: true });
  // A caller without the right is told so first.
  new May(request.caller).changeRun(record);
  const { plan, route } = record;
  const { target } = route;
  if (!plan || !matchesPlanHash(plan, String(seen)))
    throw new Refusal(
      400,
      'USAGE',
      `The plan of this run is ${plan?.hash ?? 'not made yet'}, not ${String(seen)}.`,
      'Nothing was approved. Look at its plan below, and decide again.',
    );
  if (!target || changedCount(plan) === 0 || portal === target.portal) return;
  const typed = portal === undefined ? 'You did not type the portal name.' : `You typed "${String(portal)}".`;
  throw new Refusal(
    400,
    'USAGE',
    `The plan will ${changesWords(plan)} on ${target.portal}. ${typed}`,
    `Nothing was approved. To approve, type ${target.portal}.`,
  );
}

type Show = (request: FastifyRequest, reply: FastifyReply, problem: Problem) => Promise<FastifyReply>;

/**
 * Shows an error above the current state of the page that had the form; the form keeps what was typed. An error that
 * has no such page goes to the next error handler.
 * @param show throws if that page cannot be shown
 */
const showFormError =
  (show: Show) =>
  async (thrown: unknown, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const problem = problemOf(thrown);
    // Callers that are not signed in, or over the limit, get no page.
    const { caller } = request as { readonly caller?: Caller };
    if (!caller || problem.status === 429 || problem.title === 'CROSS_SITE') throw thrown;
    // 503 is temporary: the same form may be sent again. Other server errors have nothing to do with the form.
    if (problem.status >= 500 && problem.status !== 503) throw thrown;
    try {
      return await show(request, reply, problem);
    } catch {
      throw thrown;
    }
  };
