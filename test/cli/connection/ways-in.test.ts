import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { stringify } from 'yaml';
import type { Config } from '../../../src/config/config';
import { loadConfig } from '../../../src/config/load-config';
import { runReloadingWorker } from '../../../src/reloading-worker';
import { Sources } from '../../../src/serve/sources';
import { createWorkerLog } from '../../../src/temporal/worker-log';
import { runWorker } from '../../../src/worker';
import { Authority, type Certificate } from '../../support/authority';
import { expectEnd } from '../../support/in-process';
import { Site } from '../../support/site';
import { connectToTestServer, temporalAddress, workflowBundlePath } from '../../support/temporal';
import { TlsFront } from '../../support/tls-front';
import { itLong } from '../../support/long';
import { until } from '../../support/until';
import { startTestWorker } from '../../support/worker';
import { typedIn } from '../../support/typed-in';
import { aFolder } from '../../support/folder';

const KEY = 'key-that-nobody-is-to-see';
const CLOUD = 'gis.a1b2c.tmprl.cloud';

const folder = aFolder();
const at = (name: string) => path.join(folder, name);
const { run, expectRun } = typedIn(() => folder);
const own = Authority.make(at('own'));
const other = Authority.make(at('other'));
const certificates = {
  server: own.issue('server'),
  elsewhere: own.issue('elsewhere', `DNS:${CLOUD}`),
  client: own.issue('client'),
  stranger: other.issue('stranger'),
};
const trust = { TEMPORAL_TLS_SERVER_CA_CERT_PATH: own.certificate };
const shown = ({ cert, key }: Certificate) => ({
  TEMPORAL_TLS_CLIENT_CERT_PATH: cert,
  TEMPORAL_TLS_CLIENT_KEY_PATH: key,
});

type FrontName = 'tls' | 'mutual' | 'keyed' | 'elsewhere';
let fronts: Record<FrontName, TlsFront>;
const { XDG_CONFIG_HOME: configurations } = process.env;

function write(name: string, text: string) {
  writeFileSync(at(name), text);
  return at(name);
}

/** The variables of Temporal's that this process has from now on, and no others. */
function set(variables: Readonly<Record<string, string | undefined>>) {
  for (const name of Object.keys(process.env)) if (name.startsWith('TEMPORAL_')) delete process.env[name];
  Object.assign(process.env, variables);
}

const yaml = (temporal: object = {}) =>
  write(
    'portolan.yaml',
    stringify({
      temporal: { taskQueue: `ways-in-${process.pid}`, ...temporal },
      store: { type: 'local', path: './store' },
      portals: {},
    }),
  );

const profile = (name: string, text: string) => write(`${name}.toml`, text);

beforeAll(async () => {
  const start = (options: Partial<Parameters<typeof TlsFront.start>[1]> = {}) =>
    TlsFront.start(temporalAddress(), { certificate: certificates.server, ...options });
  fronts = {
    tls: await start(),
    mutual: await start({ clients: own.certificate }),
    keyed: await start({ apiKey: KEY, isCloud: true }),
    elsewhere: await start({ certificate: certificates.elsewhere, isCloud: true }),
  };
  // Nobody's own profile counts here.
  process.env['XDG_CONFIG_HOME'] = folder;
});
afterAll(async () => {
  await Promise.all(Object.values(fronts).map((front) => front.close()));
  process.env['XDG_CONFIG_HOME'] = configurations;
});
beforeEach(() => {
  set({});
  for (const front of Object.values(fronts)) front.calls.length = 0;
});

const ways: readonly [string, FrontName, (address: string) => Record<string, string>][] = [
  [
    'a client certificate',
    'mutual',
    (address) => ({ TEMPORAL_ADDRESS: address, ...trust, ...shown(certificates.client) }),
  ],
  [
    'an API key that ends with a line break',
    'keyed',
    (address) => ({ TEMPORAL_ADDRESS: address, ...trust, TEMPORAL_API_KEY: `${KEY}\n` }),
  ],
  [
    'another server name',
    'elsewhere',
    (address) => ({ TEMPORAL_ADDRESS: address, ...trust, TEMPORAL_TLS_SERVER_NAME: CLOUD }),
  ],
  [
    'a named profile with a key',
    'keyed',
    (address) => ({
      TEMPORAL_PROFILE: 'cloud',
      TEMPORAL_CONFIG_FILE: profile(
        'keyed',
        `[profile.default]\naddress = "nowhere.invalid:7233"\n[profile.cloud]\naddress = "${address}"\nnamespace = "default"\napi_key = "${KEY}"\n` +
          `[profile.cloud.tls]\nserver_ca_cert_path = "${own.certificate}"\n[profile.cloud.codec]\nendpoint = "https://codec.example.com"\n` +
          '[profile.cloud.grpc_meta]\nasked_by = "portolan"\n',
      ),
    }),
  ],
  [
    'a profile with a certificate, and a variable',
    'mutual',
    (address) => ({
      TEMPORAL_ADDRESS: address,
      TEMPORAL_NAMESPACE: '',
      TEMPORAL_CONFIG_FILE: profile(
        'mutual',
        `[profile.default]\naddress = "nowhere.invalid:7233"\n[profile.default.tls]\nserver_ca_cert_path = "${own.certificate}"\n` +
          `client_cert_path = "${certificates.client.cert}"\nclient_key_data = """${readFileSync(certificates.client.key, 'utf8')}"""\n`,
      ),
    }),
  ],
];

describe('a Temporal server with TLS', () => {
  it.each(ways)('accepts commands and workers by %s [P15]', async (_way, name, variablesFor) => {
    const front = fronts[name];
    set(variablesFor(front.address));
    yaml();
    const config = loadConfig(at('portolan.yaml'));
    expect(config.temporal).toMatchObject({ address: front.address, namespace: 'default' });
    const worker = await startTestWorker(config, folder);
    const { status, stdout, stderr } = await run('doctor --cluster');
    await worker.stop();
    expect([status, stdout + stderr]).toEqual([0, expect.stringMatching(/ok {2}clock of temporal/)]);
    expect(stdout + stderr + readFileSync(at('logs/worker.log'), 'utf8')).not.toContain(KEY);
    for (const by of ['client', 'core'] as const) {
      const calls = front.seen(by);
      expect(calls.map(({ method }) => method)).toContain('PollWorkflowTaskQueue');
      // Temporal Cloud finds the namespace of a call by this header.
      for (const { method, headers } of calls)
        if (method !== 'GetSystemInfo')
          expect([method, headers['temporal-namespace']]).toEqual([method, 'default']);
    }
    // Whoever compresses is understood behind the front.
    expect(front.seen('core').map(({ headers }) => headers['grpc-encoding'])).toContain('gzip');
  });

  itLong('runs a whole sync while its operator service is closed', async () => {
    const { keyed } = fronts;
    set({ ...trust, TEMPORAL_API_KEY: KEY });
    const site = await Site.open({ temporal: keyed.address });
    try {
      expect((await site.sync()).record).toMatchObject({ status: 'succeeded' });
    } finally {
      await site.close();
    }
    expect(keyed.calls.map(({ method }) => method)).not.toContain('AddSearchAttributes');
  });

  const keyFile = `[profile.default]\napi_key = "${KEY}"\n`;
  const key = { TEMPORAL_API_KEY: KEY };
  const wrong: readonly [string, FrontName, Record<string, string>, number, RegExp][] = [
    ['of an unknown authority', 'tls', key, 11, /not trusted here.*TEMPORAL_TLS_SERVER_CA_CERT_PATH/s],
    [
      'of another authority',
      'tls',
      { ...key, TEMPORAL_TLS_SERVER_CA_CERT_PATH: other.certificate },
      11,
      /authority that is not trusted here/,
    ],
    [
      'of another name',
      'elsewhere',
      { ...key, ...trust },
      11,
      /certificate for a name other than localhost.*TEMPORAL_TLS_SERVER_NAME/s,
    ],
    ['without TLS', 'tls', {}, 11, /needs TLS, but the connection was unencrypted.*TEMPORAL_TLS=true/s],
    ['without a client certificate', 'mutual', trust, 11, /certificate.*TEMPORAL_TLS_CLIENT_CERT_PATH/s],
    [
      'with a client certificate of another authority',
      'mutual',
      { ...trust, ...shown(certificates.stranger) },
      11,
      /the client certificate.*TEMPORAL_TLS_CLIENT_CERT_PATH/s,
    ],
    [
      'with a wrong key',
      'keyed',
      { ...trust, TEMPORAL_API_KEY: `not-${KEY}` },
      11,
      /denies access: Request unauthorized\..*TEMPORAL_API_KEY/s,
    ],
    [
      'with a key that no header can hold',
      'keyed',
      { ...trust, TEMPORAL_API_KEY: `${KEY} ${KEY}` },
      2,
      /TEMPORAL_API_KEY contains spaces/,
    ],
    [
      'with a missing certificate',
      'mutual',
      { ...trust, ...shown({ cert: '/nowhere.pem', key: certificates.client.key }) },
      2,
      /TEMPORAL_TLS_CLIENT_CERT_PATH names \/nowhere\.pem, which cannot be read \(ENOENT\)/,
    ],
    [
      'with a certificate and no key',
      'mutual',
      { ...trust, TEMPORAL_TLS_CLIENT_CERT_PATH: certificates.client.cert },
      2,
      /TEMPORAL_TLS_CLIENT_CERT_PATH is set, but TEMPORAL_TLS_CLIENT_KEY_PATH is not;/,
    ],
    [
      'with the key of another certificate',
      'mutual',
      { ...trust, ...shown({ cert: certificates.client.cert, key: certificates.stranger.key }) },
      2,
      /TEMPORAL_TLS_CLIENT_KEY_PATH does not match the certificate in TEMPORAL_TLS_CLIENT_CERT_PATH/,
    ],
    [
      'with a key for an authority',
      'tls',
      { TEMPORAL_TLS_SERVER_CA_CERT_PATH: certificates.client.key },
      2,
      /TEMPORAL_TLS_SERVER_CA_CERT_PATH holds no PEM certificate/,
    ],
    [
      'by a profile that is not there',
      'keyed',
      { TEMPORAL_CONFIG_FILE: profile('one', keyFile), TEMPORAL_PROFILE: 'cluod' },
      2,
      /TEMPORAL_PROFILE is "cluod", and \S+one\.toml has no \[profile\.cluod\]/,
    ],
    [
      'by a profile file that is no TOML',
      'keyed',
      { TEMPORAL_CONFIG_FILE: profile('two', `${keyFile}api_key "${KEY}"\n`) },
      2,
      /two\.toml is not valid TOML: line 3/,
    ],
    [
      'by a profile file that is not there',
      'keyed',
      { TEMPORAL_CONFIG_FILE: '/nowhere.toml' },
      2,
      /TEMPORAL_CONFIG_FILE names \/nowhere\.toml, which does not exist/,
    ],
    [
      'by a profile file that names a file twice',
      'tls',
      {
        TEMPORAL_CONFIG_FILE: profile('three', '[profile.default.tls]\nclient_cert_data = "x"\n'),
        TEMPORAL_TLS_CLIENT_CERT_PATH: certificates.client.cert,
      },
      2,
      /client_cert_path and client_cert_data/,
    ],
    [
      'by a profile file without a profile',
      'tls',
      { TEMPORAL_CONFIG_FILE: profile('four', '') },
      2,
      /four\.toml has no usable \[profile\.NAME\]/,
    ],
  ];

  it.each(wrong)(
    'is refused with the setting to change: %s [P24]',
    async (_what, name, variables, status, words) => {
      set(variables);
      yaml({ address: fronts[name].address, namespace: 'default' });
      const ended = await expectRun('worker', status, words);
      expect(ended.stdout + ended.stderr).not.toContain(KEY);
      expect(JSON.stringify(fronts[name].calls)).not.toContain(`Bearer ${KEY}"`);
    },
  );

  it('is refused by workers if its certificate has only a common name', async () => {
    const front = await TlsFront.start(temporalAddress(), { certificate: own.issue('localhost', '') });
    try {
      set(trust);
      yaml({ address: front.address });
      await expectRun('worker', 11, /certificate that workers do not accept \(\w+\)/);
    } finally {
      await front.close();
    }
  });

  it('is expected if a key is set: the error of one without TLS says so', async () => {
    set({ TEMPORAL_API_KEY: KEY });
    yaml({ address: temporalAddress() });
    const { stderr } = await expectRun(
      'schedule list',
      11,
      /has no TLS, but the connection used it.*TEMPORAL_API_KEY/s,
    );
    expect(stderr).not.toContain(KEY);
  });

  it('gets no key that is meant for another address [P24]', async () => {
    const { keyed, tls } = fronts;
    set({ TEMPORAL_ADDRESS: keyed.address, ...trust, TEMPORAL_API_KEY: KEY });
    yaml({ address: tls.address });
    const { status } = await run('schedule list');
    expect([status, tls.calls]).toEqual([11, []]);
    yaml({ address: temporalAddress() });
    await expectRun('schedule list', 0);
  });
});

describe('a namespace of Temporal Cloud', () => {
  it('needs search attributes, and the worker names the command that adds them', async () => {
    const { connection } = await connectToTestServer();
    const namespace = `cloud-${process.pid}`;
    try {
      await connection.workflowService.registerNamespace({
        namespace,
        workflowExecutionRetentionPeriod: { seconds: 86_400 as never, nanos: 0 },
      });
    } finally {
      await connection.close();
    }
    set({ ...trust, TEMPORAL_TLS_SERVER_NAME: CLOUD });
    yaml({ address: fronts.elsewhere.address, namespace });
    const { stderr } = await expectEnd(
      until(
        'a namespace that is known to all',
        () => run('worker'),
        ({ stderr }) => !stderr.includes('not found'),
      ),
      12,
      'Request unauthorized.',
    );
    expect(stderr.replace(/\s+/g, ' ')).toContain(
      `tcld namespace search-attributes add --namespace ${namespace} --search-attribute PortolanKind=Keyword --search-attribute PortolanRoute=Keyword --search-attribute PortolanPhase=Keyword --search-attribute PortolanOutcome=Keyword`,
    );
    await expectRun(
      'doctor --cluster',
      12,
      `tcld namespace retention set --namespace ${namespace} --retention-days 30`,
    );
  });
});

/** A worker of the suite's workflow code, whose log nobody reads. */
const quiet = () => ({
  bundlePath: workflowBundlePath(),
  logger: createWorkerLog({ destination: { write: () => undefined } }),
});
const reloading = (config: Config, events: string[]) =>
  runReloadingWorker(config, { ...quiet(), onEvent: (event) => events.push(event) });

describe('a renewed key', () => {
  const keyIn = (key: string) =>
    profile(
      'renewed',
      `[profile.default]\napi_key = "${key}"\n[profile.default.tls]\nserver_ca_cert_path = "${own.certificate}"\n`,
    );

  itLong('is read from the profile by workers and serve without a restart', async () => {
    const { keyed } = fronts;
    set({ TEMPORAL_CONFIG_FILE: keyIn(KEY) });
    yaml({ address: keyed.address });
    const config = loadConfig(at('portolan.yaml'));
    const events: string[] = [];
    const worker = await reloading(config, events);
    const sources = new Sources(config);
    const asked = () => sources.both(({ temporal }) => temporal.client.workflow.count());
    try {
      expect((await asked()).count).toBeGreaterThanOrEqual(0);
      keyed.apiKey = `new-${KEY}`;
      keyed.cut();
      keyIn(`new-${KEY}`);
      await until('another worker', () => events.some((event) => event.endsWith('was reloaded')));
      await until('an answer by the new key', asked);
      expect(keyed.seen('core').map(({ headers }) => headers.authorization)).toContain(`Bearer new-${KEY}`);
    } finally {
      await Promise.all([worker.stop(), sources.close()]);
      keyed.apiKey = KEY;
    }
  });

  it('leaves accepted calls of serve running if a later call is refused', async () => {
    const { keyed } = fronts;
    set({ ...trust, TEMPORAL_API_KEY: KEY });
    yaml({ address: keyed.address });
    const sources = new Sources(loadConfig(at('portolan.yaml')));
    try {
      const counted = await sources.both(async ({ temporal }) => {
        keyed.apiKey = 'another';
        const refused = sources.both((another) => another.temporal.client.workflow.count());
        await expect(refused).rejects.toMatchObject({ code: 'TEMPORAL_UNREACHABLE' });
        keyed.apiKey = KEY;
        return await temporal.client.workflow.count();
      });
      expect(counted.count).toBeGreaterThanOrEqual(0);
    } finally {
      keyed.apiKey = KEY;
      await sources.close();
    }
  });

  itLong('is read from the default profile, as are the files that it names', async () => {
    const { keyed } = fronts;
    const events: string[] = [];
    const takenUp = (times: number) =>
      until(
        `${times} workers more`,
        () => events.filter((event) => event.endsWith('was reloaded')).length === times,
      );
    const { client } = certificates;
    const written = (text: string) => {
      mkdirSync(at('temporalio'), { recursive: true });
      writeFileSync(at('temporalio/temporal.toml'), `[profile.default]\napi_key = "${KEY}"\n${text}`);
    };
    set(trust);
    yaml({ address: keyed.address });
    keyed.apiKey = undefined;
    const worker = await reloading(loadConfig(at('portolan.yaml')), events);
    try {
      keyed.apiKey = KEY;
      written('');
      await takenUp(1);
      expect(keyed.seen('core').map(({ headers }) => headers.authorization)).toContain(`Bearer ${KEY}`);
      copyFileSync(client.cert, at('shown.pem'));
      written(
        `[profile.default.tls]\nclient_cert_path = "${at('shown.pem')}"\nclient_key_path = "${client.key}"\n`,
      );
      await takenUp(2);
      writeFileSync(at('shown.pem'), readFileSync(client.cert));
      await takenUp(3);
    } finally {
      await worker.stop();
      rmSync(at('temporalio'), { recursive: true, force: true });
      keyed.apiKey = KEY;
    }
  });

  const refusals: readonly [string, FrontName, Record<string, string>, (front: TlsFront) => void, RegExp][] =
    [
      [
        'a key',
        'keyed',
        { TEMPORAL_API_KEY: KEY },
        (front) => (front.apiKey = 'another'),
        /denies access: Request unauthorized\./,
      ],
      [
        'a certificate',
        'mutual',
        shown(certificates.client),
        (front) => front.trust(other.certificate),
        /the client certificate/,
      ],
    ];
  it.each(refusals)(
    'that is refused for a while ends the worker with the reason: %s',
    async (_what, name, variables, refuse, words) => {
      const front = fronts[name];
      set({ ...trust, ...variables });
      yaml({ address: front.address });
      const worker = await runWorker(loadConfig(at('portolan.yaml')), { ...quiet(), accessEveryMs: 50 });
      try {
        refuse(front);
        front.cut();
        await expect(worker.stopped).rejects.toMatchObject({
          code: 'TEMPORAL_UNREACHABLE',
          plainMessage: expect.stringMatching(words),
        });
      } finally {
        fronts.keyed.apiKey = KEY;
        fronts.mutual.trust(own.certificate);
        await worker.stop();
      }
    },
  );
});
