import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { stopTracing } from '../../../src/tracing/tracing';
import { openPipeline } from '../../cli/promotion/a-pipeline';
import { Site } from '../../support/site';
import { above, SpanReceiver, traceTo } from '../../support/span-receiver';
import { until } from '../../support/until';
import { typedIn } from '../../support/typed-in';

let receiver: SpanReceiver;
let site: Site | undefined;
const { run, recordOf } = typedIn(() => site!.folder);

beforeAll(async () => {
  receiver = await SpanReceiver.open();
});
afterEach(async () => {
  await site?.close();
  await stopTracing();
});
afterAll(() => receiver.close());

const say = (words: string) => {
  throw new Error(words);
};

describe('trace', () => {
  it('has the run once, even if its worker is replaced', async () => {
    await traceTo(receiver, say);
    site = await Site.open({ listed: true });
    const { target } = site;
    target.faults.add({ match: { operation: 'group.import' }, do: 'hold' });
    const handle = await site.start();
    await until('an import that waits', () => target.faults.holding > 0);
    await site.stopWorker();
    await site.startWorker();
    target.faults.clear();
    const { record, runId } = await site.ended(handle);
    expect(record.status).toBe('succeeded');
    // Another worker replays the whole history.
    await site.stopWorker();
    await site.startWorker();
    await site.state(handle);
    const spans = await receiver.traceOf(runId);
    const ofRun = receiver.spans.filter(({ attributes }) => attributes['portolan.run'] === runId);
    expect(new Set(ofRun.map(({ traceId }) => traceId)).size).toBe(1);
    expect(receiver.ofRun(runId)).toHaveLength(1);
    for (const each of spans) expect(above(spans, each).at(-1)).toBe('RunWorkflow:sync');
  });

  it('has the runs of groups below their promotion', async () => {
    await traceTo(receiver, say);
    site = await openPipeline({});
    expect(await run('release', 'create', 'transport')).toMatchObject({ status: 0 });
    const { runId } = await recordOf('promote', 'transport', '--to', 'staging', '--yes');
    const spans = await receiver.traceOf(runId);
    const groups = spans.filter(({ name }) => name === 'RunWorkflow:restore');
    expect(groups.length).toBeGreaterThanOrEqual(2);
    for (const each of groups)
      expect(above(spans, each)).toEqual(['RunWorkflow:restore', 'RunWorkflow:promotion']);
    const ports = spans.filter(({ kind }) => kind === 'client');
    expect(ports.some((each) => above(spans, each).includes('RunWorkflow:restore'))).toBe(true);
  });
});
