import { describe, expect, it } from '@jest/globals';
import { aConfig, problemsOf } from '../support/config';
import { aFolder } from '../support/folder';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { inspect } from 'node:util';
import { loadConfig } from '../../src/config/load-config';
import { readDocument } from '../../src/cli/terminal/documents';

const group = '0123456789abcdef0123456789abcdef';
const portals = `
portals:
  staging:
    url: https://staging.example.com/portal/sharing/rest/
    auth: { type: password, username: sync, password: { env: STAGING_PASSWORD } }
  production:
    url: https://production.example.com/portal/sharing/rest
    auth: { type: apiKey, apiKey: { file: ./key } }
    ca: certificates/production.pem
    aliases: [ https://maps.example.com/portal/ ]
`;

const folder = aFolder();
const load = (text: string) => aConfig(text, folder);

/** A configuration of one route, with more in it. */
const withRoute = (more: string) => `${portals}
routes:
  r: { source: { portal: staging, group: g }, target: { portal: production, group: g }, ${more} }
`;

describe('a configuration', () => {
  it('has defaults, and paths below its own folder', () => {
    const config = load(`${portals}
routes:
  transport:
    source: { portal: staging, group: ${group} }
    target: { portal: production, group: ${group}, folder: f1, folderOwner: svc }
`);
    expect(config.temporal).toEqual({
      address: 'localhost:7233',
      namespace: 'default',
      taskQueue: 'portolan',
      state: path.join(folder, 'var/temporal'),
      worker: { activities: 100, transfers: 4 },
    });
    expect(config.store).toEqual({ type: 'local', path: path.join(folder, 'var/store') });
    expect(config.limits).toEqual({
      packageBytes: 5 * 1024 ** 3,
      itemBytes: 1024 ** 3,
      freeDiskBytes: 10 * 1024 ** 3,
    });
    expect(config.portals.get('staging')?.url).toBe('https://staging.example.com/portal/sharing/rest');
    expect(config.portals.get('production')).toMatchObject({
      ca: path.join(folder, 'certificates/production.pem'),
      aliases: ['https://maps.example.com/portal'],
      insecure: false,
      responseTimeoutMs: 120_000,
      concurrency: { exports: 1, imports: 1 },
    });
    expect(config.routes.get('transport')?.options).toEqual({
      overwrite: false,
      data: 'keep',
      approval: 'ask',
      items: undefined,
      take: [],
      keepPackages: false,
      jobDeadlineMs: 21_600_000,
      decisionTimeoutMs: 604_800_000,
    });
  });

  it('reads durations and sizes with their units', () => {
    const config = load(`${portals}
limits: { packageBytes: 7.5GB, itemBytes: 2048, freeDiskBytes: 500 MB }
routes:
  r:
    source: { portal: staging, group: g }
    target: { portal: production, group: g }
    jobDeadline: 90m
    decisionTimeout: 36h
`);
    expect(config.limits).toEqual({
      packageBytes: 7.5 * 1024 ** 3,
      itemBytes: 2048,
      freeDiskBytes: 500 * 1024 ** 2,
    });
    expect(config.routes.get('r')?.options).toMatchObject({
      jobDeadlineMs: 5_400_000,
      decisionTimeoutMs: 129_600_000,
    });
  });

  it('notifies of each problem by default', () => {
    const config = load(`${portals}
notify:
  - command: [./tell.sh, team]
  - { on: [parked], webhook: https://chat.example.com/planted, insecure: true }
`);
    expect(config.notify).toMatchObject([
      {
        setting: 'notify.0',
        on: ['parked', 'waiting', 'partial', 'failed', 'overdue', 'recovered'],
        command: ['./tell.sh', 'team'],
        folder,
      },
      { setting: 'notify.1', on: ['parked'], insecure: true },
    ]);
    expect(inspect(config.notify) + JSON.stringify(config.notify)).not.toContain('planted');
  });

  it('notifies in the events and the format of each receiver', () => {
    const config = load(
      `${portals}
notify:
  - { webhook: 'https://hc.example.com/planted', format: healthchecks, routes: [protect/staging/all] }
  - { webhook: 'https://chat.example.com/planted', format: slack }
`.replace('url: https://staging', 'protect: { all: { groups: all } }\n    url: https://staging'),
    );
    expect(config.notify).toMatchObject([
      { format: 'healthchecks', on: ['started', 'succeeded', 'parked', 'partial', 'failed', 'overdue'] },
      { format: 'slack', on: ['parked', 'waiting', 'partial', 'failed', 'overdue', 'recovered'] },
    ]);
    const message = problemsOf(`${portals}
notify:
  - { command: [./tell.sh], format: teams }
  - { webhook: { env: CHAT }, format: slack, secret: { env: S } }
  - { webhook: { env: CHAT }, format: sms }
  - { webhook: { env: CHAT }, routes: [none] }
`);
    expect(message).toBe(`FILE has 4 problems:
  notify.2.format: write teams or slack or healthchecks
  notify.0.format: belongs to a webhook; a command gets JSON
  notify.1.secret: signs JSON only; remove it or format
  notify.3.routes: unknown route, pipeline or rule "none"; defined: none`);
  });

  it('reports invalid hooks of a portal', () => {
    const routes = `
routes:
  r: { source: { portal: staging, group: g }, target: { portal: production, group: g } }
`;
    expect(
      problemsOf(`${portals}${routes}
hooks:
  a: { secret: { env: S }, portal: production, routes: [r, protect/production/all] }
  b: { secret: { env: S }, portal: staging, route: r }
  c: { secret: { env: S }, portal: staging, allow: [reason] }
  d: { secret: { env: S }, route: r, routes: [r] }
  e: { secret: { env: S }, portal: staging, routes: [r] }
  f: { secret: { env: S }, portal: none, routes: [r] }
`),
    ).toBe(`FILE has 8 problems:
  hooks.a.routes: unknown route or rule of portal production "r"; defined: none
  hooks.a.routes: unknown route or rule of portal production "protect/production/all"; defined: none
  hooks.b: set either route, or pipeline and stage, or portal and routes
  hooks.c.routes: is missing
  hooks.c.allow: a portal's webhook sets nothing
  hooks.d.routes: belongs to a portal
  hooks.f.portal: unknown portal "none"; defined: staging, production
  hooks.f.routes: unknown route or rule of portal none "r"; defined: none`);
  });

  it('reports invalid receivers without their addresses', () => {
    const message = problemsOf(`${portals}
notify:
  - on: []
  - { command: ./tell.sh }
  - { command: [''], webhook: https://chat.example.com/planted }
  - { on: [parked, ended], webhook: http://chat.example.com/planted }
  - { webhook: planted }
  - { webhook: { url: planted } }
  - webhook: https://me:planted@chat.example.com/
  - { webhook: { env: CHAT }, header: x }
`);
    expect(message).toBe(`FILE has 11 problems:
  notify.0.on: write at least one event, or leave it out for all problem events
  notify.1.command: write the program and its arguments as a list, [PROGRAM, ARGUMENT]; no shell splits them
  notify.2.command: write the program and its arguments as a list, [PROGRAM, ARGUMENT]; no shell splits them
  notify.3.on.1: write started or waiting or parked or succeeded or partial or failed or promoted or rolled-back or overdue or recovered
  notify.5.webhook: write the URL, { env: NAME }, { file: PATH } or { command: [PROGRAM, ARGUMENT] }
  notify.7.header: unknown setting
  notify.0: set either command or webhook
  notify.2: set either command or webhook
  notify.3.webhook: would be sent unencrypted; use https, or set insecure: true for this receiver
  notify.4.webhook: is not a URL; write it as https://HOST/PATH
  notify.6.webhook: must not hold a user name or password`);
    expect(message).not.toContain('planted');
  });

  it('reads windows', () => {
    const windowsOf = (policy: string) =>
      load(`portals:
  a:
    url: https://a/portal/sharing/rest
    auth: { type: token, token: { env: T } }
    policy: ${policy}
`).portals.get('a')?.policy.windows;
    expect(windowsOf('{ writes: ask }')).toEqual([]);
    expect(
      windowsOf(`
      windows:
        - allow: { cron: "0  20 * * 1-4", for: 8h, timezone: Europe/Berlin }
        - deny: { from: 2026-12-18, to: 2027-01-04, reason: holidays }`),
    ).toEqual([
      { kind: 'allow', cron: '0 20 * * 1-4', forMs: 8 * 3_600_000, timezone: 'Europe/Berlin' },
      { kind: 'deny', from: '2026-12-18', to: '2027-01-04', timezone: 'UTC', reason: 'holidays' },
    ]);
  });

  it('reports invalid windows', () => {
    expect(
      problemsOf(`
portals:
  a:
    url: https://a/portal/sharing/rest
    auth: { type: token, token: { env: T } }
    policy:
      windows:
        - allow: { cron: "0 25 * * *", for: 8h }
        - allow: { cron: "0 0 30 2 *", for: 40d, timezone: Berlin }
        - allow: { cron: "0 20 * * *" }
        - deny: { from: 2026-02-30, to: christmas, timezone: +02:00 }
        - deny: { from: 2027-01-04, to: 2026-12-18 }
        - {}
        - { allow: { cron: "0 20 * * *", for: 8h }, deny: { from: 2026-12-18, to: 2026-12-18 } }
        - { deny: { from: 2026-12-18, to: 2026-12-18, why: holidays } }
        - on weekdays
`),
    ).toBe(`FILE has 13 problems:
  portals.a.policy.windows.0.allow.cron: "25" is not a valid hour; write 0 to 23, a list, a range or a step
  portals.a.policy.windows.1.allow.cron: is never due: no such month has such a day
  portals.a.policy.windows.1.allow.for: is from 1m to 31d
  portals.a.policy.windows.1.allow.timezone: is not a time zone; write one such as Europe/Berlin
  portals.a.policy.windows.2.allow.for: write a duration with a unit, such as 90s, 6h or 7d
  portals.a.policy.windows.3.deny.from: is not a day; write it as 2026-12-18
  portals.a.policy.windows.3.deny.to: is not a day; write it as 2026-12-18
  portals.a.policy.windows.3.deny.timezone: is not a time zone; write one such as Europe/Berlin
  portals.a.policy.windows.7.deny.why: unknown setting
  portals.a.policy.windows.8: expected object, received string
  portals.a.policy.windows.4.deny: ends on 2026-12-18, before it begins on 2027-01-04
  portals.a.policy.windows.5: set either allow or deny
  portals.a.policy.windows.6: set either allow or deny`);
  });

  it.each([
    ['address: somewhere', 'serve.address: is not HOST:PORT'],
    ['address: 0.0.0.0:8350, url: portolan', 'serve.url: is not an http or https address'],
    ['address: 0.0.0.0:8350, opn: true', 'serve.opn: unknown setting; did you mean open?'],
    ['address: 0.0.0.0:8350, tls: true', 'serve.tls: expected object, received boolean'],
    ['address: 0.0.0.0:8350, insecure: please', 'serve.insecure: expected boolean, received string'],
  ])('reports all other problems of a malformed `serve`: %s', (malformed, said) => {
    const portals =
      'portals: { a: { url: https://a/portal/sharing/rest, auth: { type: token, token: { env: T } } } }';
    const lines = problemsOf(`
${portals}
serve: { ${malformed}, codec: { origins: ['https://b'] }, signIn: { portal: b, appId: c } }
`).split('\n');
    expect(lines).toEqual(
      expect.arrayContaining([
        `  ${said}`,
        '  serve.signIn.portal: unknown portal "b"; defined: a',
        '  serve.codec: nothing to decrypt; list the keys in temporal.encryption',
      ]),
    );
    expect(lines.some((line) => line.startsWith('  serve.address: 0.0.0.0'))).toBe(
      malformed.includes('opn') || malformed.includes('url: portolan'),
    );
  });

  it.each([
    ['insecure: please', 'portals.a.insecure: expected boolean, received string'],
    ['policy: { windows: [5] }', 'portals.a.policy.windows.0: expected object, received number'],
  ])('reports no consequence of a malformed value: %s', (malformed, said) => {
    const auth = 'auth: { type: token, token: { env: T } }';
    const url = malformed.includes('insecure') ? 'http://a' : 'https://a';
    expect(problemsOf(`portals: { a: { url: ${url}/portal/sharing/rest, ${auth}, ${malformed} } }`)).toBe(
      `FILE has 1 problem:\n  ${said}`,
    );
  });

  it('reports nothing that depends on a malformed part', () => {
    expect(
      problemsOf(`${portals}
temporal: localhost
pipelines:
  p:
    groups: roads
    settings: please
    stages:
      dev: { portal: staging, groups: { roads: r1 } }
      live: { portal: nowhere, groups: { roads: r2 }, settings: true }
schedules:
  weekly: { kind: promotion, pipeline: q, cron: "0 3 * * *" }
  drill: { kind: drill, route: r, cron: "0 3 * * *" }
routes:
  r: { source: { portal: staging, group: g }, target: { portal: production, group: g }, backup: daily }
hooks: { h: later, i: { secret: { env: S }, pipeline: p, stage: prod } }
serve: { codec: { origins: ["https://b"] } }
`),
    ).toBe(`FILE has 8 problems:
  temporal: expected object, received string
  routes.r.backup: expected object, received string
  pipelines.p.groups: expected array, received string
  pipelines.p.settings: expected boolean, received string
  schedules.weekly.kind: write backup or sync or drill or release or promote
  hooks.h: expected object, received string
  pipelines.p.stages.live.portal: unknown portal "nowhere"; defined: staging, production
  hooks.i.stage: unknown stage "prod"; defined: dev, live`);
  });

  it('reports all problems in one message', () => {
    expect(
      problemsOf(`
temporal: { adress: localhost:7233, address: localhost }
store: { type: ftp }
limits: { packageBytes: 5 apples }
portals:
  staging:
    url: http://staging.example.com/portal/sharing/rest
    auth: { type: password, username: sync }
  production:
    url: https://production.example.com/portal
    auth: { type: kerberos }
routes:
  transport:
    source: { portal: staging, group: "a/b" }
    target: { portal: production, group: 12 }
    aproval: none
    jobDeadline: 6
`),
    ).toBe(`FILE has 12 problems:
  temporal.address: is not HOST:PORT
  temporal.adress: unknown setting; did you mean address?
  store.type: write local or s3
  limits.packageBytes: write a size such as 500MB or 5GB
  portals.staging.auth.password: is missing
  portals.production.url: must end in /sharing/rest, as in https://HOST/portal/sharing/rest
  portals.production.auth.type: write password, token, apiKey or clientCredentials
  routes.transport.source.group: is not a group id: letters, digits and hyphens only
  routes.transport.target.group: write the group id in quotes
  routes.transport.jobDeadline: write a duration with a unit, such as 90s, 6h or 7d
  routes.transport.aproval: unknown setting; did you mean approval?
  portals.staging.url: would send the password unencrypted; use https, or set insecure: true for this portal`);
  });

  it.each([
    [
      'http://staging.example.com/portal/sharing/rest',
      'would send the password unencrypted; use https, or set insecure: true for this portal',
    ],
    [
      'https://staging.example.com/portal',
      'must end in /sharing/rest, as in https://HOST/portal/sharing/rest',
    ],
    [
      'https://me:pw@staging.example.com/portal/sharing/rest',
      'must not hold a user name or password; put them under auth',
    ],
    ['staging.example.com', 'is not a URL; write it as https://HOST/portal/sharing/rest'],
    ['ftp://staging.example.com/portal/sharing/rest', 'must begin with https://'],
  ])('refuses the address %s', (url, problem) => {
    expect(problemsOf(`portals: { a: { url: "${url}", auth: { type: token, token: { env: T } } } }`)).toBe(
      `FILE has 1 problem:\n  portals.a.url: ${problem}`,
    );
  });

  it('refuses a secret in the file without repeating it [P15]', () => {
    const message = problemsOf(
      'portals: { a: { url: "https://a/portal/sharing/rest", auth: { type: password, username: u, password: hunter2 } } }',
    );
    expect(message).toContain(
      'portals.a.auth.password: do not write the secret itself here; write { env: NAME }',
    );
    expect(message).not.toContain('hunter2');
  });

  it('is refused when it is no mapping', () => {
    for (const text of ['hello', '- a list', '3']) expect(problemsOf(text)).toMatch(/^FILE.*\n.*the file: /);
  });

  it('reports the line of invalid YAML without repeating it', () => {
    const message = problemsOf('portals:\n  a: { password: hunter2\nroutes: {}\n');
    expect(message).toMatch(/^FILE has \d problems?:\n {2}line 3, column 1: is not valid YAML/);
    expect(message).not.toContain('hunter2');
  });

  it('is refused with too many aliases, like any document', () => {
    const laughs = Array.from({ length: 9 }, (_, at) =>
      at === 0
        ? 'a0: &a0 [ha, ha, ha, ha, ha, ha, ha, ha, ha]'
        : `a${at}: &a${at} [${Array(9)
            .fill(`*a${at - 1}`)
            .join(', ')}]`,
    ).join('\n');
    const words = 'it has too many aliases (anchors are expanded more than 100 times)';
    expect(() => load(laughs)).toThrow(words);
    const file = path.join(folder, 'document.yaml');
    writeFileSync(file, laughs);
    expect(() => readDocument(file)).toThrow(`[USAGE] ${file} cannot be read: ${words}.`);
    expect(() => load('portals: *none')).toThrow('an alias refers to nothing');
    writeFileSync(file, 'a: &a [1]\nb: *a\n');
    expect(readDocument(file)).toEqual({ a: [1], b: [1] });
  });

  it('reads a task as PORTAL/USER/TASK, and a banner with colors', () => {
    const route = load(
      withRoute('taskRun: production/ann/t1, banner: { text: Soon, bgColor: red }'),
    ).routes.get('r');
    expect(route?.taskRun).toEqual({ portal: 'production', username: 'ann', taskId: 't1' });
    expect(route?.options.banner).toEqual({ text: 'Soon', bgColor: 'red', fontColor: '#000000' });
    expect(problemsOf(withRoute('taskRun: production/ann, banner: { text: "", bgColor: "#12" }')))
      .toBe(`FILE has 3 problems:
  routes.r.taskRun: write PORTAL/USER/TASK or PORTAL/USER/TASK/TASK-RUN
  routes.r.banner.text: has no text
  routes.r.banner.bgColor: is not a color; write a CSS name such as gold, or hexadecimal such as "#ffd700"`);
    expect(problemsOf(withRoute('taskRun: produktion/ann/t1'))).toMatch(
      /routes\.r\.taskRun: unknown portal "produktion"; defined: staging, production/,
    );
  });

  it('reads the items that a route excludes and takes', () => {
    const { options } = load(
      withRoute('take: ["0a1"], exclude: { items: ["0b2"], types: [Web Map], tags: [draft] }'),
    ).routes.get('r')!;
    expect(options).toMatchObject({
      take: ['0a1'],
      exclude: { items: ['0b2'], types: ['Web Map'], tags: ['draft'] },
    });
    expect(problemsOf(withRoute('exclude: {}'))).toContain(
      'routes.r.exclude: excludes nothing; write items, types or tags',
    );
    expect(problemsOf(withRoute('exclude: { types: [], item: [a] }'))).toMatch(/^FILE has 2 problems:/);
  });

  it('reads concurrency as whole numbers from 1 on', () => {
    const withConcurrency = (concurrency: string) =>
      `portals: { a: { url: "https://a/portal/sharing/rest", auth: { type: token, token: { env: T } }, concurrency: ${concurrency} } }`;
    expect(load(withConcurrency('{ imports: 2 }')).portals.get('a')?.concurrency).toEqual({
      exports: 1,
      imports: 2,
    });
    expect(problemsOf(withConcurrency('{ exports: 0, imports: 1.5, import: 1 }'))).toBe(`FILE has 3 problems:
  portals.a.concurrency.exports: write a whole number of at least 1
  portals.a.concurrency.imports: write a whole number of at least 1
  portals.a.concurrency.import: unknown setting; did you mean imports?`);
  });

  it('suggests the setting for a mistyped one', () => {
    expect(
      problemsOf(`
portals:
  a: { url: "https://a/portal/sharing/rest", auth: { type: password, user: u, pasword: { env: P } }, polcy: {} }
route: {}
schedules: { nightly: { route: r, corn: "0 3 * * *" } }
notify: [{ comand: [./tell.sh] }]
store: { encription: { key: { env: K } } }
routes:
  r: { source: { portal: a, grup: g }, targt: {}, backup: { keep: { dayly: 3, color: 1 } } }
`).match(/\S+: unknown setting.*/g),
    ).toEqual([
      'store.encription: unknown setting; did you mean encryption?',
      'portals.a.auth.user: unknown setting',
      'portals.a.auth.pasword: unknown setting; did you mean password?',
      'portals.a.polcy: unknown setting; did you mean policy?',
      'routes.r.source.grup: unknown setting; did you mean group?',
      'routes.r.backup.keep.dayly: unknown setting; did you mean daily?',
      'routes.r.backup.keep.color: unknown setting',
      'routes.r.targt: unknown setting; did you mean target?',
      'schedules.nightly.corn: unknown setting; did you mean cron?',
      'notify.0.comand: unknown setting; did you mean command?',
      'route: unknown setting; did you mean routes?',
    ]);
  });

  it('is reported when it is missing', () => {
    expect(() => loadConfig(path.join(folder, 'none.yaml'))).toThrow(
      `[CONFIG_INVALID] No configuration at ${path.join(folder, 'none.yaml')}.`,
    );
  });

  it('is found by PORTOLAN_CONFIG', () => {
    const file = load(portals).path;
    const before = process.env.PORTOLAN_CONFIG;
    process.env.PORTOLAN_CONFIG = file;
    try {
      expect(loadConfig().path).toBe(file);
    } finally {
      if (before === undefined) delete process.env.PORTOLAN_CONFIG;
      else process.env.PORTOLAN_CONFIG = before;
    }
  });
});
