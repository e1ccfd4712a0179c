import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect as connectPlain } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { connect } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { portolan } from '../support/child';
import { Authority, type Certificate } from '../support/authority';
import { Deployment } from './deployment';
import { databases, ROLE } from './postgresql';

jest.setTimeout(10 * 60_000);

/** Words that stand in what a run says, and that nobody but Portolan is to read. */
const canaries = { reason: 'planted-reason-7d1e', title: 'planted-title-7d1e' };

/** What a server says first to whoever shows this; rejects where it lets nobody in. */
function firstWords(port: number, { trusted, own }: { trusted: string; own?: Certificate }): Promise<string> {
  return new Promise((resolve, reject) => {
    const line = connect({
      host: 'localhost',
      port,
      servername: 'localhost',
      ALPNProtocols: ['h2'],
      ca: readFileSync(trusted),
      ...(own && { cert: readFileSync(own.cert), key: readFileSync(own.key) }),
    });
    // A server that speaks HTTP/2 says its settings at once, but only behind the handshake.
    line.once('data', (data: Buffer) => {
      line.destroy();
      resolve(data.length > 0 ? 'answers' : '');
    });
    line.once('error', reject);
    line.once('close', () => reject(new Error('the line was closed')));
  });
}

describe('a deployment of several parts', () => {
  let at: Deployment;
  let folder: string;
  let strangers: Authority;

  beforeAll(async () => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'portolan-closed-'));
    const key = path.join(folder, 'key');
    writeFileSync(key, 'ab'.repeat(32), { mode: 0o600 });
    strangers = Authority.make(path.join(folder, 'strangers'));
    at = await Deployment.open({ groups: 2, encryption: { keys: [{ id: 'first', key: { file: key } }] } });
  });
  afterAll(async () => {
    await at?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it("refuses clients of Temporal's services without a certificate of its authority [P27]", async () => {
    const { authority, client, askedAt } = at.cluster;
    const trusted = authority.certificate;
    expect(askedAt).toHaveLength(3);
    for (const port of askedAt) {
      expect(await firstWords(port, { trusted, own: client })).toBe('answers');
      await expect(firstWords(port, { trusted })).rejects.toThrow(/certificate required|closed/);
      await expect(firstWords(port, { trusted, own: strangers.issue('portolan') })).rejects.toThrow(
        /unknown ca|bad certificate|closed/,
      );
      // Nor does it answer in clear.
      const heard = await new Promise<number>((resolve) => {
        let bytes = 0;
        const line = connectPlain({ host: '127.0.0.1', port });
        line.on('data', (data) => (bytes += data.includes('PRI') ? data.length : 0));
        line.on('error', () => undefined);
        line.on('close', () => resolve(bytes));
        line.write('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
      });
      expect(heard).toBe(0);
    }
  });

  it("lets only Temporal's role into PostgreSQL, by certificate, and not as superuser [P27]", () => {
    const { authority, client, postgresql } = at.cluster;
    const { certificate } = authority;
    const own = authority.issue('temporal-again');
    expect(() => postgresql.enter(ROLE, certificate)).toThrow(/certificate/);
    for (const other of [client, own, strangers.issue(ROLE)])
      expect(() => postgresql.enter(ROLE, certificate, other)).toThrow(
        /certificate authentication failed|unknown ca/,
      );
    expect(postgresql.enter(ROLE, certificate, authority.issue(ROLE))).toBe(ROLE);
    expect(() => postgresql.enter('postgres', certificate, authority.issue('postgres'))).toThrow(
      /no pg_hba.conf/,
    );
    const rights = 'rolsuper, rolcreaterole, rolcreatedb, rolreplication, rolbypassrls';
    expect(postgresql.sql(`SELECT ${rights} FROM pg_roles WHERE rolname = '${ROLE}'`)).toBe('f|f|f|f|f');
    const owned = `SELECT datname FROM pg_database JOIN pg_roles r ON r.oid = datdba WHERE rolname = '${ROLE}' ORDER BY 1`;
    expect(postgresql.sql(owned).split('\n')).toEqual(Object.values(databases));
  });

  it('has nothing in PostgreSQL that a run says, with temporal.encryption [P23]', async () => {
    const [group] = at.groups;
    const { items } = at.site.source.world;
    const planted = items.get(group?.itemIds[0] ?? '');
    if (!group || !planted) throw new Error('the first group has no item');
    items.put(planted.id, { ...planted, title: canaries.title });
    const typed = ['sync', group.route, '--reason', canaries.reason, '--yes', '--config', 'portolan.yaml'];
    const ended = await portolan([...typed, '-o', 'json'], { cwd: at.site.folder });
    expect(ended).toMatchObject({ status: 0 });
    const { stdout } = ended;
    expect(stdout).toContain(canaries.reason);
    const { runId } = JSON.parse(stdout) as { runId: string };
    // Names stay in clear: so it is seen that all was looked through.
    expect(at.cluster.postgresql.holds([...Object.values(canaries), runId])).toEqual([runId]);
  });

  it('answers nobody without a key, except for health checks [P25]', async () => {
    for (const which of at.servers.keys()) {
      expect((await at.ask('/api/v1/runs', which)).status).toBe(200);
      expect((await at.askWithoutKey('/api/v1/runs', which)).status).toBe(401);
      expect((await at.askWithoutKey('/healthz', which)).status).toBe(200);
    }
  });
});
