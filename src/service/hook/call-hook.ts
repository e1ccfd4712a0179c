import { hashOfText } from '../../domain/snapshot/hashing';
import { z } from 'zod';
import type { HookConfig } from '../../config/config';
import { callNote } from '../../contract/hooks';
import { startOperations } from '../../contract/starts';
import type { HookField } from '../../config/file/notify-schema';
import { PortolanError } from '../../model/errors/errors';
import { requestedRunId, type StartedRun } from '../run/start-run';
import { keys } from '../../store/keys';
import type { WriteContext } from '../run/run-sources';
import { begin } from '../start/prepared-run';
import { preparePromotion } from '../start/promotion';
import { prepareSync } from '../start/sync';

/** A message whose signature was checked. */
export interface HookCall {
  /** A resent message keeps its ID, and so starts one run. */
  readonly id: string;
  /** JSON, or empty. */
  readonly body: string;
}

/**
 * Starts the run of a hook, once for each ID, in the name of the hook. Throws `USAGE` if the body sets more than the
 * hook allows, or the ID was used with another body, and as starting a sync or promotion does.
 */
export async function callHook(
  sources: WriteContext,
  hook: HookConfig,
  { id, body }: HookCall,
): Promise<StartedRun> {
  const { name, starts } = hook;
  const said = readBody(hook, body);
  const requestId = `hook/${name}/${id}`;
  if ('portal' in starts) throw new PortolanError('INTERNAL', `${name} is called by a portal`);
  const [kind, about] = 'route' in starts ? ['sync', starts.route] : ['promotion', starts.pipeline];
  const runId = requestedRunId(kind, about, requestId);
  const sha256 = hashOfText(body);
  const before = await sources.store.readJson(keys.call(runId), callNote);
  if (before) {
    if (before.sha256 === sha256) return { runId, isNew: false };
    throw new PortolanError('USAGE', `This ID has already started ${runId} with another body.`, {
      hint: 'Give each message its own ID; a message that is resent must not change.',
    });
  }
  const starting = { ...sources, requestId };
  const prepared =
    'route' in starts
      ? prepareSync(starting, { route: starts.route, yes: false, reason: said.reason })
      : await preparePromotion(starting, {
          ...said,
          pipeline: starts.pipeline,
          stage: starts.stage,
          yes: false,
        });
  const { isNew } = await begin(sources, prepared);
  const note = { at: new Date().toISOString(), runId, sha256 };
  await sources.store.writeJson(keys.call(runId), note);
  await sources.store.writeJson(keys.lastCall(name), note);
  return { runId, isNew };
}

const { release, reason } = startOperations.startPromotion.input.shape;
const fields = { release, reason } as const satisfies Record<HookField, z.ZodType>;

interface HookBody {
  readonly release?: string;
  readonly reason?: string;
}

/** Throws `USAGE` if it is not JSON, or sets what the hook does not allow. */
function readBody({ allow }: HookConfig, body: string): HookBody {
  const usage = (words: string) =>
    new PortolanError('USAGE', words, {
      hint: `Send JSON${allow.length > 0 ? ` with ${allow.join(', ')}` : ', {}'}, or nothing.`,
    });
  let given: unknown;
  try {
    given = body === '' ? {} : JSON.parse(body);
  } catch {
    throw usage('The body is not JSON.');
  }
  const refused = Object.fromEntries(
    Object.keys(fields)
      .filter((field) => !(allow as readonly string[]).includes(field))
      .map((field) => [field, z.never('this hook does not take it').optional()]),
  );
  const read = z.strictObject({ ...fields, ...refused }).safeParse(given);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  const place = issue?.path.join('.') ?? '';
  throw usage(`The body${place === '' ? '' : `, ${place}`}: ${issue?.message ?? 'is invalid'}`.slice(0, 300));
}
