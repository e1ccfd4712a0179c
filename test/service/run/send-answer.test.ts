import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { ServiceError, WorkflowNotFoundError } from '@temporalio/client';
import { status as grpc } from '@grpc/grpc-js';
import { msToTs } from '@temporalio/common/lib/time';
import { exitStatus } from '../../../src/model/errors/error-codes';
import { PortolanError } from '../../../src/model/errors/errors';
import type { AnswerOutcome } from '../../../src/model/run/signature';
import { type Answering, sendAnswer } from '../../../src/service/run/send-answer';

const NOW = Date.now();
const failed = (code: grpc, details: string) =>
  new ServiceError('Failed', {
    cause: Object.assign(new Error(details), { code, details, metadata: {} }),
  });

/** A Temporal server, as far as an answer needs one. Each function may throw. */
interface Server {
  signal?: () => void;
  /** @default a worker polls */
  pollers?: object[];
  attempt?: number;
  build?: string;
  status?: 'RUNNING' | 'COMPLETED';
  query?: () => AnswerOutcome | undefined;
}

const worker = { identity: '7@elsewhere', lastAccessTime: msToTs(NOW) };

function sent({ signal, pollers = [worker], attempt = 1, build, status, query }: Server) {
  const events = [{ workflowTaskFailedEventAttributes: { failure: { message: 'no such phase' } } }];
  const history = { getWorkflowExecutionHistoryReverse: async () => ({ history: { events } }) };
  const pinned = build && { behavior: 1, deploymentVersion: { deploymentName: 'portolan', buildId: build } };
  const handle = {
    signal: () => Promise.resolve().then(signal),
    query: () => Promise.resolve().then(query),
    describe: () =>
      Promise.resolve({
        taskQueue: 'portolan',
        workflowId: 'sync-1',
        runId: '1',
        status: { name: status ?? 'RUNNING' },
        raw: { pendingWorkflowTask: { attempt }, workflowExecutionInfo: { versioningInfo: pinned } },
      }),
  };
  const options = { loadedDataConverter: { payloadCodecs: [] } };
  const client = { workflow: { getHandle: () => handle }, workflowService: history, options };
  const workflowService = { describeTaskQueue: async () => ({ pollers }) };
  const connection = { withDeadline: (_: number, work: () => unknown) => work(), workflowService };
  const at = {
    config: { temporal: { address: 'temporal.example:7233', namespace: 'default' } },
    temporal: { client, connection, namespace: 'default' },
  };
  const over = new PortolanError('USAGE', 'sync-1 has ended.');
  const to = { workflowId: 'sync-1', name: 'approve', hint: 'See: portolan run show 1', over };
  const proof = { identity: 'claimed', nonce: 'n', mac: '' } as const;
  return sendAnswer(at as unknown as Answering, to, { proof });
}

const throwing = (error: unknown) => () => {
  throw error;
};

describe('a decision', () => {
  afterEach(() => void jest.restoreAllMocks());

  it.each([
    ['cannot be reached', failed(grpc.UNAVAILABLE, 'no connection'), /^Not delivered: .* no connection$/],
    ['does not confirm it', failed(grpc.DEADLINE_EXCEEDED, 'too late'), /^Not delivered: .* too late$/],
    ['takes no more of them', failed(grpc.INVALID_ARGUMENT, 'too many'), /^Not delivered: .* too many$/],
    ['denies access', failed(grpc.PERMISSION_DENIED, 'no right'), /^Not delivered: .* no right$/],
  ])('is not delivered if Temporal %s [P18]', async (_, thrown, words) => {
    const error = await sent({ signal: throwing(thrown) }).catch(PortolanError.from);
    expect(error).toMatchObject({ plainMessage: expect.stringMatching(words) });
    expect((error as PortolanError).meaning.exit).toBe(exitStatus.noTemporal);
  });

  it('is refused by a run that has ended', async () => {
    const gone = throwing(new WorkflowNotFoundError('gone', 'sync-1', undefined));
    await expect(sent({ signal: gone })).rejects.toThrow('sync-1 has ended.');
    await expect(sent({ status: 'COMPLETED' })).rejects.toThrow('sync-1 has ended.');
    const checking = (): AnswerOutcome => ({ status: 'checking' });
    await expect(sent({ status: 'COMPLETED', query: checking })).rejects.toThrow('sync-1 has ended.');
  });

  it('has the outcome that its run recorded, also after the end', async () => {
    const accepted = (): AnswerOutcome => ({ status: 'accepted', answer: 'resumes with import' });
    for (const status of ['RUNNING', 'COMPLETED'] as const)
      expect(await sent({ query: accepted, status })).toEqual({ taken: true, answer: 'resumes with import' });
    const outcomes = [undefined, { status: 'checking' } as const, accepted()];
    expect(await sent({ query: () => outcomes.shift() })).toMatchObject({ taken: true });
    const refused = { status: 'refused', code: 'POLICY_REFUSED', message: 'not you', hint: '' } as const;
    await expect(sent({ query: () => refused })).rejects.toMatchObject({
      code: 'POLICY_REFUSED',
      plainMessage: 'The run refused it: not you',
      hint: 'See: portolan run show 1',
    });
  });

  it.each([
    ['no worker runs', { pollers: [] }, 'no worker is running'],
    ['none has its version', { build: 'v1' }, 'the run is pinned to version v1, which no worker runs'],
    ['its steps fail', { attempt: 3 }, 'workflow task failing (attempt 3): no such phase. Check'],
    ['Temporal goes away', { query: throwing(failed(grpc.UNAVAILABLE, 'reset')) }, 'the connection to'],
    ['none responds', { query: throwing(failed(grpc.DEADLINE_EXCEEDED, '')) }, 'no worker responded in time'],
    ['none has checked it', {}, 'no worker could check its signature yet'],
  ])('is saved if %s, and says so', async (_, server, why) => {
    let now = NOW;
    jest.spyOn(Date, 'now').mockImplementation(() => (now += 2_000));
    const { taken, answer, unanswered } = await sent(server);
    expect([taken, answer]).toEqual([false, undefined]);
    expect(unanswered).toContain(`saved, but not yet received: ${why}`);
    expect(unanswered).toMatch(/\. See: portolan run show 1$/);
  });

  it('is received if its check takes longer', async () => {
    let now = NOW;
    jest.spyOn(Date, 'now').mockImplementation(() => (now += 2_000));
    expect(await sent({ query: () => ({ status: 'checking' }) })).toMatchObject({
      taken: true,
      unanswered: expect.stringMatching(/^received; /),
    });
  });
});
