import { createHmac, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Settings } from './options';
import { Files } from './state/files';
import { Journal } from './state/journal';
import type {
  FolderRecord,
  GroupRecord,
  ItemRecord,
  JobRecord,
  PortalRecord,
  ResourceRecord,
  ServiceRecord,
  TaskRecord,
  TaskRunRecord,
  UserRecord,
  WebhookRecord,
} from './state/records';
import { Table } from './state/table';

/** The whole state of a simulated portal. Tests may change it while the portal runs. */
export class World {
  private readonly journal: Journal;
  private readonly portals: Table<PortalRecord>;
  /** Items by group at a version of their table. */
  private shared?: { readonly version: number; readonly byGroup: ReadonlyMap<string, ItemRecord[]> };
  readonly users: Table<UserRecord>;
  readonly groups: Table<GroupRecord>;
  readonly folders: Table<FolderRecord>;
  readonly items: Table<ItemRecord>;
  readonly resources: Table<ResourceRecord>;
  readonly services: Table<ServiceRecord>;
  readonly jobs: Table<JobRecord>;
  readonly tasks: Table<TaskRecord>;
  readonly taskRuns: Table<TaskRunRecord>;
  readonly webhooks: Table<WebhookRecord>;
  readonly files: Files;
  /** Uploads whose parts are being joined. */
  readonly joins = new Set<Promise<void>>();
  /** Consecutive wrong passwords, by the name sent with them; lost when the portal stops. */
  readonly wrongPasswords = new Map<string, number>();
  /** Exchanged codes and revoked tokens; lost when the portal stops. */
  readonly spentTokens = new Set<string>();
  /** `scheme://host:port`, set once the portal listens. */
  origin = '';
  /** `scheme://host:port` of the storage server for redirects. */
  storageOrigin = '';

  constructor(
    readonly stateFolder: string,
    readonly settings: Settings,
  ) {
    mkdirSync(stateFolder, { recursive: true });
    this.journal = new Journal(join(stateFolder, 'journal.ndjson'));
    this.portals = new Table('portal', this.journal);
    this.users = new Table('users', this.journal);
    this.groups = new Table('groups', this.journal);
    this.folders = new Table('folders', this.journal);
    this.items = new Table('items', this.journal);
    this.resources = new Table('resources', this.journal);
    this.services = new Table('services', this.journal);
    this.jobs = new Table('jobs', this.journal);
    this.tasks = new Table('tasks', this.journal);
    this.taskRuns = new Table('taskRuns', this.journal);
    this.webhooks = new Table('webhooks', this.journal);
    this.files = new Files(stateFolder, () => settings.diskBytes);
    this.journal.open();
    if (!this.portals.has('self')) this.portals.put('self', freshPortal(settings));
    if (settings.clock !== undefined) this.setClock(settings.clock);
  }

  get portal(): PortalRecord {
    return this.portals.get('self')!;
  }

  changePortal(fields: Partial<PortalRecord>): void {
    this.portals.change('self', fields);
  }

  /**
   * The portal's time: of items, jobs, packages and edits. Lags and expiry of tokens and signed URLs use the machine's
   * clock, like clients.
   *
   * @format milliseconds since the epoch
   */
  now(): number {
    return Date.now() + (this.portal.clockAheadMs ?? 0);
  }

  /** Sets the portal's clock, which keeps running, also across restarts; without a time, to the machine's. */
  setClock(ms: number | undefined): void {
    this.changePortal({ clockAheadMs: ms === undefined ? undefined : ms - Date.now() });
  }

  /** URL of the portal's web adaptor, such as `http://127.0.0.1:1234/portal`. */
  get portalUrl(): string {
    return `${this.origin}/portal`;
  }

  /** {base_url} of the interface. */
  get sharingUrl(): string {
    return `${this.portalUrl}/sharing/rest`;
  }

  /** The server of hosted services. */
  get hostingServerUrl(): string {
    return `${this.origin}/server`;
  }

  /** A federated server that hosts nothing, so its services are never exported. */
  get gisServerUrl(): string {
    return `${this.origin}/gis`;
  }

  get closed(): boolean {
    return this.journal.closed;
  }

  /** Items of a group, in order of creation. */
  itemsIn(groupId: string): readonly ItemRecord[] {
    const { version } = this.items;
    if (this.shared?.version !== version) {
      const byGroup = new Map<string, ItemRecord[]>();
      for (const item of this.items.values())
        for (const id of item.groups) {
          const items = byGroup.get(id);
          if (items) items.push(item);
          else byGroup.set(id, [item]);
        }
      this.shared = { version, byGroup };
    }
    return this.shared.byGroup.get(groupId) ?? [];
  }

  /** Resources of an item, in order of creation. */
  resourcesOf(itemId: string): ResourceRecord[] {
    return this.resources.filter((resource) => resource.itemId === itemId);
  }

  newId(): string {
    return randomUUID().replaceAll('-', '');
  }

  hash(text: string): string {
    return createHmac('sha256', this.portal.secret).update(text).digest('hex');
  }

  matches(text: string, hash: string): boolean {
    const ours = Buffer.from(this.hash(text));
    const theirs = Buffer.from(hash);
    return ours.length === theirs.length && timingSafeEqual(ours, theirs);
  }

  /** Expires every token issued so far. */
  expireTokens(): void {
    this.changePortal({ tokenGeneration: this.portal.tokenGeneration + 1 });
  }

  /** Once it resolves, another process can use the state folder. */
  async close(): Promise<void> {
    this.journal.close();
    await Promise.all(this.joins);
  }
}

function freshPortal(settings: Settings): PortalRecord {
  return {
    name: settings.name,
    orgId: settings.deployment === 'hosted' ? randomBytes(8).toString('hex') : '0123456789ABCDEF',
    guid: randomUUID(),
    secret: randomBytes(32).toString('hex'),
    tokenGeneration: 1,
    created: settings.clock ?? Date.now(),
    seeded: false,
    settings: {},
    categorySchema: [],
  };
}
