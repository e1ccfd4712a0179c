import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import path from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import pino from 'pino';
import { openSnapshots } from '../../domain/snapshot/snapshots';
import { exitStatus } from '../../model/errors/error-codes';
import { PortolanError } from '../../model/errors/errors';
import { shortRunId } from '../../model/run/run-id';
import { bad, type Block, good, strong } from '../../model/text/sheet';
import { countOf } from '../../model/text/words';
import { hashOfKey, KEY_BYTES } from '../../serve/access';
import { startServer } from '../../serve/server';
import { findRun } from '../../service/run/find-run';
import { readRun } from '../../service/run/read-run';
import type { WriteContext } from '../../service/run/run-sources';
import { editLayer } from '../../simulator/edit-layer';
import { differencesOf, portraitOf } from '../../simulator/portrait';
import type { Output } from '../terminal/output';
import { type DemoWorld, filled, plant } from './demo-world';
import scene from './scenes/promotion.json';

const POLL_MS = 200;
const approver = 'lena';
const approverKey = randomBytes(KEY_BYTES).toString('base64url');

/** What the names in the scene's configuration stand for. The check is an example of the sources. */
export const promotionNames = {
  node: process.execPath,
  check: path.join(__dirname, '..', '..', '..', 'examples', 'checks', 'services-answer.mjs'),
  key: hashOfKey(approverKey),
};

/** Text, a command to type, and what has to be done or to hold after it. */
interface Step {
  readonly title?: string;
  readonly text?: string;
  readonly type?: string;
  /** The expected exit status. @default 0 */
  readonly exit?: number;
  /** Shows only the final output. @default false */
  readonly brief?: boolean;
  readonly then?: string;
}

/** The last run of the story, and its exit status. */
interface Told {
  readonly runId: string;
  readonly exit: number;
}

/**
 * Promotes one release from dev to production, and a second one that fails there and is rolled back. Throws INTERNAL
 * if a step does not end as the story says, and CANCELLED once it is stopped.
 */
export async function tellPromotionStory(
  sources: WriteContext,
  { portals }: DemoWorld,
  output: Output,
  stopped: AbortSignal,
): Promise<Told> {
  const { config, store } = sources;
  let running: ChildProcess | undefined;
  stopped.addEventListener('abort', () => running?.kill('SIGINT'));
  let run = { runId: '', plan: '' };

  const world = (name: string) => {
    const portal = portals.get(name);
    if (!portal) throw new PortolanError('INTERNAL', `The demo has no portal ${name}.`);
    return portal.world;
  };
  const portrait = () => portraitOf(world('production'));
  const record = async () => (await readRun(sources, run.runId)).record;
  const require = (what: string, isThere: boolean): void => {
    if (stopped.aborted) throw new PortolanError('CANCELLED', 'The demo was stopped.');
    if (!isThere) throw new PortolanError('INTERNAL', `The demo could not show ${what}.`);
  };
  /** After an empty line. */
  const say = (block: Block): void => {
    output.note('');
    output.note([block]);
  };

  /** Runs a command in a process of its own. Its stdout stays data if this one prints a table. */
  const type = async (line: string, { exit = exitStatus.done, brief = false }: Step): Promise<void> => {
    say({ lines: [strong(`$ portolan ${line}`)] });
    const words = (line.match(/'[^']*'|\S+/g) ?? []).map((word) => word.replaceAll("'", ''));
    const [, starter = ''] = process.argv;
    const data = output.format === 'table' ? 'inherit' : process.stderr;
    running = spawn(process.execPath, [...process.execArgv, starter, ...words], {
      env: { ...process.env, PORTOLAN_CONFIG: config.path },
      stdio: ['ignore', data, brief ? 'pipe' : 'inherit'],
    });
    const [[status], hidden] = await Promise.all([
      once(running, 'close') as Promise<[number | null]>,
      running.stderr ? textOf(running.stderr) : '',
    ]);
    if (status !== exit && hidden !== '') output.note(hidden);
    require(`"portolan ${line}" with exit status ${exit}, not ${status}`, status === exit);
  };

  let before = await portrait();
  const actions: Readonly<Record<string, () => Promise<void>>> = {
    'production is unchanged': async () =>
      require('a refusal that changes nothing', differencesOf(before, await portrait()).length === 0),

    'production has changed': async () =>
      require('a release on production', differencesOf(before, await portrait()).length > 0),

    'the plan is waiting': async () => {
      run = { runId: await findRun(sources, 'latest'), plan: '' };
      for (;;) {
        const { status, plan, finishedAt, error } = await record();
        run = { ...run, plan: plan?.hash ?? '' };
        if (status === 'waiting' && plan) return;
        require(`a plan (${error?.message ?? status})`, finishedAt === undefined && status !== 'parked');
        await sleep(POLL_MS);
      }
    },

    // The policy of production names its approvers, and requires a verified identity.
    'the approver approves': async () => {
      say({
        lines: [
          'Lena, the approver for production, reviews the plan and approves it with her API key, over HTTP.',
        ],
      });
      const server = await startServer(config, pino({ level: 'silent' }));
      try {
        const { ok, status } = await fetch(`${server.url}/api/v1/runs/${run.runId}/approve`, {
          method: 'POST',
          headers: { authorization: `Bearer ${approverKey}`, 'content-type': 'application/json' },
          body: JSON.stringify({ plan: run.plan }),
        });
        require(`an approval (HTTP ${status})`, ok);
      } finally {
        await server.close();
      }
      output.note(`${approver} approved plan ${run.plan}`);
    },

    'dev has the second release': async () => {
      before = await portrait();
      await plant(portals, scene.secondRelease);
      const dev = world('dev');
      const items = scene.secondRelease.dev.flatMap((seed): { id: string }[] => seed.items);
      for (const { id } of items) dev.items.change(id, { modified: dev.now() });
      await editLayer(dev, 'server/Hosted/RoadNetwork/FeatureServer', 0, {
        updates: [{ attributes: { OBJECTID: 1, STATUS: 'closed for the winter' } }],
        rollback: true,
      });
    },
  };

  const steps: readonly Step[] = scene.story;
  for (const step of steps) {
    if (step.text !== undefined)
      say({
        title: step.title === undefined ? undefined : { text: step.title, mark: 'active' },
        lines: step.text.split('\n'),
      });
    const names = { run: shortRunId(run.runId), plan: run.plan };
    if (step.type !== undefined) await type(filled(step.type, names), step);
    if (step.then !== undefined) await actions[step.then]?.();
  }

  const { error, checks = [] } = await record();
  const history = await openSnapshots(config, store).releases.promotions.entries('transport', 'production');
  const [first] = history;
  const last = history.at(-1);
  require('a check that failed', error?.code === 'CHECK_FAILED');
  require('a rollback', last?.runId === run.runId && last.kind === 'rolled-back');
  require('a rollback of all of it', last?.status === 'verified');
  const failed = checks.filter(({ status }) => status === 'failed');
  const differences = differencesOf(before, await portrait());
  const compared = before.size;
  output.note('');
  output.show({ runId: run.runId, failed, history, compared, differences }, () => {
    const facts = countOf(compared, 'fact');
    const lines = (texts: readonly string[]) => texts.map((line) => ['', bad(line)] as const);
    const now =
      differences.length === 0
        ? good(
            `unchanged: ${facts} about items, data, rows, owners, folders, sharing and settings compared, no difference`,
          )
        : bad(`changed: ${facts} compared, these differ`);
    return [
      {
        title: strong('WHAT HAPPENED ON PRODUCTION'),
        facts: [
          ['refused', `${first?.release}, before its soak of 10 s on staging`],
          ['promoted', `${first?.release}: started by ${first?.who}, approved by ${first?.approvedBy}`],
          ['reverted', `${last?.release}, automatically, because a check failed:`],
          ...lines(failed.flatMap(({ output: said }) => (said.stderr ?? '').split('\n').filter(Boolean))),
          ['now', now],
          ...lines(differences),
        ],
      },
    ];
  });
  return { runId: run.runId, exit: differences.length === 0 ? exitStatus.done : exitStatus.failed };
}
