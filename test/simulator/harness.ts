import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Portal, type PortalOptions } from '../../src/portal/client';
import type { SimulatorOptions } from '../../src/simulator/options';
import { builtInUsers } from '../../src/simulator/seed/users';
import { startSimulator, type Simulator } from '../../src/simulator/simulator';

const open = new Set<Simulator | Portal>();
const folders = new Set<string>();

export async function freshFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'simulator-'));
  folders.add(folder);
  return folder;
}

/** Starts a portal, on a fresh folder unless one is given; `stopAll` closes it and removes the folder. */
export async function start(options: Partial<SimulatorOptions> = {}): Promise<Simulator> {
  const state = options.state ?? (await freshFolder());
  const simulator = await startSimulator({
    name: 'test',
    version: '11.4',
    searchLagMs: 0,
    commitLagMs: 0,
    jobPolls: 1,
    ...options,
    state,
  });
  open.add(simulator);
  return simulator;
}

/** Portolan's own client of a portal; `stopAll` closes it. */
export function connect(
  { settings, url }: Simulator,
  user: keyof typeof builtInUsers,
  more: Partial<PortalOptions> = {},
): Portal {
  const { username, password } = builtInUsers[user];
  const auth = { type: 'password', username, secret: () => Promise.resolve(password) } as const;
  const portal = new Portal({ name: settings.name, url, auth, ...more });
  open.add(portal);
  return portal;
}

export async function stopAll(): Promise<void> {
  await Promise.all([...open].map((each) => each.close()));
  open.clear();
  await Promise.all([...folders].map((folder) => rm(folder, { recursive: true, force: true })));
  folders.clear();
}

export interface Fault {
  readonly error?: {
    readonly code: number;
    readonly message: string;
    readonly messageCode?: string;
    readonly details: unknown;
  };
}

/** A plain client of one user; it knows nothing of the simulator. */
export class Client {
  constructor(
    readonly simulator: Simulator,
    readonly token: string | undefined,
    readonly referer = 'http://test',
  ) {}

  /** POSTs urlencoded parameters with `f=json`. */
  async call<T extends object>(path: string, params: Record<string, string> = {}): Promise<T & Fault> {
    const response = await this.post(path, new URLSearchParams({ f: 'json', ...params }));
    return (await response.json()) as T & Fault;
  }

  async post(path: string, body: URLSearchParams | FormData): Promise<Response> {
    return fetch(this.address(path), { method: 'POST', body, headers: this.headers() });
  }

  async get(path: string, headers: Record<string, string> = {}): Promise<Response> {
    return fetch(this.address(path), { headers: { ...this.headers(), ...headers } });
  }

  /** Uploads a file as addItem does. */
  async upload<T extends object>(
    path: string,
    bytes: Uint8Array,
    params: Record<string, string>,
    as: { readonly field?: string; readonly name?: string } = {},
  ): Promise<T & Fault> {
    const form = new FormData();
    for (const [name, value] of Object.entries({ f: 'json', ...params })) form.set(name, value);
    const { field = 'file', name = params['filename'] ?? 'package.epk' } = as;
    form.set(field, new Blob([Uint8Array.from(bytes)]), name);
    return (await (await this.post(path, form)).json()) as T & Fault;
  }

  /** Looks a job up until it is no longer `processing`. */
  async wait(job: { jobId: string; key: string }): Promise<JobRecord> {
    for (;;) {
      const record = await this.call<JobRecord>(`/portals/self/jobs/${job.jobId}`, { key: job.key });
      if (record.status !== 'processing') return record;
      await sleep(5);
    }
  }

  private address(path: string): string {
    return path.startsWith('http') ? path : `${this.simulator.url}${path}`;
  }

  private headers(): Record<string, string> {
    return {
      referer: this.referer,
      ...(this.token !== undefined && { 'x-esri-authorization': `Bearer ${this.token}` }),
    };
  }
}

export interface JobRecord {
  readonly id: string;
  readonly status: string;
  readonly definition: Record<string, string>;
  readonly messages: readonly string[];
  readonly result?: {
    readonly itemId?: string;
    readonly itemsImported?: readonly { itemId: string }[];
    readonly itemsSkipped?: readonly { itemId: string }[];
    readonly itemsFailedImport?: readonly { itemId: string }[];
  };
}

export interface Token {
  readonly token: string;
  readonly expires: number;
}

/** Signs in with user and password, bound to a referer. */
export async function signIn(
  simulator: Simulator,
  who: keyof typeof builtInUsers,
  more: Record<string, string> = {},
): Promise<Client> {
  const { username, password } = builtInUsers[who];
  const anonymous = new Client(simulator, undefined);
  const made = await anonymous.call<Token>('/generateToken', {
    username,
    password,
    client: 'referer',
    referer: anonymous.referer,
    ...more,
  });
  return new Client(simulator, made.token);
}

/** Exports a group and returns the bytes of the package. */
export async function exportBytes(
  client: Client,
  groupId: string,
  params: Record<string, string> = {},
): Promise<Buffer> {
  const job = await client.call<{ jobId: string; key: string }>(`/community/groups/${groupId}/export`, {
    async: 'true',
    ...params,
  });
  const { result } = await client.wait(job);
  const response = await client.get(`/content/items/${result?.itemId ?? ''}/data`);
  return Buffer.from(await response.arrayBuffer());
}

/** Adds a package as an item of `owner`. @returns its id */
export async function addPackage(client: Client, bytes: Uint8Array, username = 'owner'): Promise<string> {
  const { id } = await client.upload<{ id: string }>(`/content/users/${username}/addItem`, bytes, {
    title: 'package',
    type: 'Export Package',
    typeKeywords: 'Export Package,epk',
    tags: 'epk',
    filename: 'package.epk',
  });
  return id;
}
