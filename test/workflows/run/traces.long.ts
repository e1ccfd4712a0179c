import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { stopTracing } from '../../../src/tracing/tracing';
import { openPipeline } from '../../cli/promotion/a-pipeline';
import { type Ended, Portolan } from '../../support/child';
import { inProcess } from '../../support/in-process';
import { recordOf } from '../../support/json';
import { Rehearsal } from '../../support/rehearsal';
import { above, SpanReceiver, traceTo } from '../../support/span-receiver';
import { until } from '../../support/until';

let receiver: SpanReceiver;
let rehearsal: Rehearsal | undefined;
const before = { ...process.env };

beforeAll(async () => {
  receiver = await SpanReceiver.open();
});
afterEach(async () => {
  await rehearsal?.close();
  await stopTracing();
});
afterAll(async () => {
  await receiver.close();
  process.env = before;
});

const say = (words: string): never => {
  throw new Error(words);
};

describe('a trace', () => {
  it('is the same behind a worker that goes in the middle of a run, and has the run once', async () => {
    await traceTo(receiver, say);
    rehearsal = await Rehearsal.open({ listed: true });
    const { target } = rehearsal;
    target.faults.add({ match: { operation: 'group.import' }, do: 'hold' });
    const handle = await rehearsal.start();
    await until('an import that waits', () => target.faults.holding > 0);
    await rehearsal.stopWorker();
    await rehearsal.startWorker();
    target.faults.clear();
    const { record, runId } = await rehearsal.ended(handle);
    expect(record.status).toBe('succeeded');
    // Its whole history is replayed for it, by a worker that has not seen it.
    await rehearsal.stopWorker();
    await rehearsal.startWorker();
    await rehearsal.state(handle);
    const spans = await receiver.traceOf(runId);
    const ofRun = receiver.spans.filter(({ attributes }) => attributes['portolan.run'] === runId);
    expect(new Set(ofRun.map(({ traceId }) => traceId)).size).toBe(1);
    expect(receiver.ofRun(runId)).toHaveLength(1);
    for (const each of spans) expect(above(spans, each).at(-1)).toBe('RunWorkflow:sync');
  });

  it('has the runs of its groups below a promotion', async () => {
    await traceTo(receiver, say);
    rehearsal = await openPipeline({});
    const run = (...args: string[]): Promise<Ended> => inProcess(args, { cwd: rehearsal!.folder });
    expect(await run('release', 'create', 'transport')).toMatchObject({ status: 0 });
    const ended = await run('promote', 'transport', '--to', 'staging', '--yes', '-o', 'json');
    const { runId } = recordOf(ended);
    const spans = await receiver.traceOf(runId);
    const groups = spans.filter(({ name }) => name === 'RunWorkflow:restore');
    expect(groups.length).toBeGreaterThanOrEqual(2);
    for (const each of groups)
      expect(above(spans, each)).toEqual(['RunWorkflow:restore', 'RunWorkflow:promotion']);
    const ports = spans.filter(({ kind }) => kind === 'client');
    expect(ports.some((each) => above(spans, each).includes('RunWorkflow:restore'))).toBe(true);
  });

  it('of which nothing is to be sent is sent to nobody', async () => {
    const already = receiver.bodies.length;
    process.env.OTEL_TRACES_SAMPLER = 'always_off';
    await traceTo(receiver, say);
    delete process.env.OTEL_TRACES_SAMPLER;
    rehearsal = await Rehearsal.open({ listed: true });
    const { record } = await rehearsal.sync();
    expect(record.status).toBe('succeeded');
    await stopTracing();
    expect(receiver.bodies.length).toBe(already);
  });

  it('goes out with the headers of the variables', async () => {
    const already = receiver.bodies.length;
    rehearsal = await Rehearsal.open({ listed: true });
    const { status, stderr } = await new Portolan(['sync', 'transport', '--plan-only', '-o', 'json'], {
      cwd: rehearsal.folder,
      env: {
        OTEL_EXPORTER_OTLP_ENDPOINT: receiver.endpoint,
        OTEL_EXPORTER_OTLP_HEADERS: 'x-key=planted%2Fkey',
      },
    }).ended;
    expect({ status, warned: stderr.includes('traces') }).toEqual({ status: 0, warned: false });
    expect(receiver.headers.at(-1)).toMatchObject({
      'content-type': 'application/x-protobuf',
      'x-key': 'planted/key',
    });
    const sent = receiver.bodies.slice(already).join();
    expect(sent).toContain('StartWorkflow:sync');
    expect(sent).not.toContain('planted');
  });
});
