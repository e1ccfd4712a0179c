import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';

const dist = path.join(__dirname, '..', '..', 'dist');

/** What is loaded of OpenTelemetry once these files of ours are. */
function loadedBy(files: readonly string[], after = ''): string[] {
  const script = `
    for (const file of ${JSON.stringify(files)}) require(file);
    const loaded = () => Object.keys(require.cache).filter((name) => /[\\\\/]@opentelemetry[\\\\/]/.test(name));
    (async () => { ${after} })().finally(() => { console.log(JSON.stringify(loaded())); process.exit(); });`;
  const { stdout, stderr } = spawnSync(process.execPath, ['-e', script], {
    encoding: 'utf8',
    env: { PATH: process.env['PATH'] },
    cwd: path.join(__dirname, '..', '..'),
  });
  try {
    return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as string[];
  } catch (thrown) {
    throw new Error(stderr, { cause: thrown });
  }
}

describe('the tracing library', () => {
  it('is not loaded by commands and workers without a receiver', () => {
    const files = ['cli/terminal/globals', 'worker', 'client/remote', 'service/local'];
    const start = `await require(${JSON.stringify(path.join(dist, 'tracing/tracing'))}).startTracing(console.error)`;
    expect(
      loadedBy(
        files.map((file) => path.join(dist, file)),
        start,
      ),
    ).toEqual([]);
  });

  it('is found by this test when it is loaded', () => {
    expect(loadedBy([path.join(dist, 'tracing/otel-tracing')]).length).toBeGreaterThan(10);
  });
});
