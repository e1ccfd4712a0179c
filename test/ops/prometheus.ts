import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { stringify } from 'yaml';
import { freePorts } from '../../src/temporal/dev-server/address';
import { until } from '../support/until';
import { files } from './observed';

/** A program of Prometheus that scripts/test-ops.mjs has found. Throws an error that says what to type where it has not. */
export function programOfPrometheus(name: 'prometheus' | 'promtool'): string {
  const folder = process.env['PORTOLAN_TEST_PROMETHEUS'];
  if (folder === undefined) throw new Error('no Prometheus was looked for; type: npm run test:ops');
  return path.join(folder, name);
}

/** One value of an answer, with its labels. */
export interface Sample {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: number;
}

/** A real Prometheus that asks one server, with our alarms. */
export class Prometheus {
  private constructor(
    private readonly child: ChildProcess,
    private readonly folder: string,
    private readonly url: string,
  ) {}

  /** @param server of which `/metrics` is asked every two seconds */
  static async start(server: string): Promise<Prometheus> {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'portolan-prometheus-'));
    const [port = 0] = await freePorts(1);
    const config = path.join(folder, 'prometheus.yml');
    const targets = [new URL(server).host];
    await writeFile(
      config,
      stringify({
        global: { scrape_interval: '2s', scrape_timeout: '2s', evaluation_interval: '1s' },
        rule_files: [files.rules],
        scrape_configs: [{ job_name: 'portolan', static_configs: [{ targets }] }],
      }),
    );
    const child = spawn(
      programOfPrometheus('prometheus'),
      [
        `--config.file=${config}`,
        `--storage.tsdb.path=${path.join(folder, 'data')}`,
        `--web.listen-address=127.0.0.1:${port}`,
      ],
      { stdio: 'ignore' },
    );
    const prometheus = new Prometheus(child, folder, `http://127.0.0.1:${port}`);
    await until('Prometheus', async () => (await fetch(`${prometheus.url}/-/ready`)).ok);
    return prometheus;
  }

  /** What a question is answered now. Throws Prometheus' own words where it is none. */
  async ask(expr: string): Promise<Sample[]> {
    const { result } = await this.get<{ result: { metric: Sample['metric']; value: [number, string] }[] }>(
      `query?${new URLSearchParams({ query: expr }).toString()}`,
    );
    return result.map(({ metric, value: [, value] }) => ({ metric, value: Number(value) }));
  }

  /** What became of each alarm when it was looked at last. */
  async rules(): Promise<readonly Rule[]> {
    const { groups } = await this.get<{ groups: { rules: Rule[] }[] }>('rules');
    return groups.flatMap(({ rules }) => rules);
  }

  async stop(): Promise<void> {
    const ended = once(this.child, 'exit');
    if (this.child.kill()) await ended;
    await rm(this.folder, { recursive: true, force: true });
  }

  private async get<T>(what: string): Promise<T> {
    const answer = await fetch(`${this.url}/api/v1/${what}`);
    const { status, data, error } = (await answer.json()) as { status: string; data: T; error?: string };
    if (status !== 'success') throw new Error(`${what}: ${error ?? answer.status}`);
    return data;
  }
}

interface Rule {
  readonly name: string;
  /** `ok` where it could be answered; `unknown` before it was asked. */
  readonly health: string;
  readonly state: string;
  readonly lastError?: string;
}
