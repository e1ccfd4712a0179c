/** The records of a simulated portal. They are replaced, never changed in place: see `Table`. */

export interface PortalRecord {
  /** Name shown to people. */
  readonly name: string;
  /** Identifier of the organization, as in `portals/<id>`. */
  readonly orgId: string;
  /** GUID with hyphens, as packages name their source. */
  readonly guid: string;
  /** Key for hashing tokens, passwords and job keys. */
  readonly secret: string;
  /** Tokens of an earlier generation are expired. */
  readonly tokenGeneration: number;
  /** Port to listen on again after a restart, because items contain it. */
  readonly port?: number;
  readonly storagePort?: number;
  readonly created: number;
  /** Release last started on this state. */
  readonly release?: string;
  /** How far the portal's clock is ahead of the machine's. @format milliseconds */
  readonly clockAheadMs?: number;
  readonly seeded: boolean;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly categorySchema: readonly unknown[];
}

export interface UserRecord {
  readonly username: string;
  readonly fullName: string;
  readonly role: 'org_admin' | 'org_publisher' | 'org_user' | 'org_viewer';
  /** Set for custom roles, whose users are no full administrators. */
  readonly roleId?: string;
  readonly privileges: readonly string[];
  readonly passwordHash: string;
  readonly created: number;
}

export interface GroupRecord {
  readonly id: string;
  readonly title: string;
  readonly owner: string;
  readonly members: readonly string[];
  readonly access: Access;
  /** @default none */
  readonly tags?: readonly string[];
  /** `updateitemcontrol` makes it a Shared-updates group. */
  readonly capabilities: readonly string[];
  readonly created: number;
  readonly modified: number;
}

export type Access = 'private' | 'shared' | 'org' | 'public';

export interface FolderRecord {
  readonly id: string;
  readonly username: string;
  readonly title: string;
  readonly created: number;
}

/** Where an item's bytes are: in a file, in the record (if small), or generated at each read. */
export type DataRef =
  | { readonly kind: 'file' }
  | { readonly kind: 'inline'; readonly base64: string }
  | { readonly kind: 'generated'; readonly seed: number };

export interface ItemRecord {
  readonly id: string;
  readonly owner: string;
  readonly created: number;
  readonly modified: number;
  readonly name: string | null;
  readonly title: string;
  readonly type: string;
  readonly typeKeywords: readonly string[];
  readonly description: string | null;
  readonly tags: readonly string[];
  readonly snippet: string | null;
  readonly extent: readonly (readonly number[])[];
  readonly categories: readonly string[];
  readonly spatialReference: string | null;
  readonly accessInformation: string | null;
  readonly licenseInfo: string | null;
  readonly culture: string;
  readonly properties: Readonly<Record<string, unknown>> | null;
  readonly url: string | null;
  readonly access: Access;
  /** Bytes of the data; -1 for services. */
  readonly size: number;
  readonly protected: boolean;
  /** For example `thumbnail/map.png`. */
  readonly thumbnail?: string | null;
  readonly ownerFolder: string | null;

  /** Groups the item is shared with. */
  readonly groups: readonly string[];
  readonly data: DataRef | null;
  readonly status: 'partial' | 'processing' | 'completed' | 'failed';
  readonly statusMessage?: string;
  /** When the item becomes readable and searchable, in milliseconds since the epoch by the machine's clock. */
  readonly readableAt: number;
  readonly indexedAt: number;
  /** Import job that created or overwrote the item. */
  readonly importedBy?: string;
  /** When a preview of this package was first requested, by group, in milliseconds since the epoch by the machine's clock. */
  readonly previews?: Readonly<Record<string, number>>;
  /** When it was moved to the recycle bin. */
  readonly deletedAt?: number;
  /** Related item IDs, by relationship type. */
  readonly relations: readonly { readonly type: string; readonly to: string }[];
}

export interface ResourceRecord {
  readonly itemId: string;
  /** Path of the resource, such as `config/config.json`. */
  readonly resource: string;
  readonly size: number;
  readonly created: number;
}

export interface LayerRecord {
  readonly id: number;
  readonly name: string;
  /** Absent for tables. */
  readonly geometryType?: string;
  readonly fields: readonly { readonly name: string; readonly type: string }[];
  readonly count: number;
  /** Milliseconds since the epoch; absent if the layer is not editable. */
  readonly lastEditDate?: number;
}

/** A feature or map service at `<server>/rest/services/<path>`. */
export interface ServiceRecord {
  /** The server's folder, then the service's path, such as `server/Hosted/Roads/FeatureServer`. */
  readonly path: string;
  readonly itemId?: string;
  readonly layers: readonly LayerRecord[];
  readonly tables: readonly LayerRecord[];
}

export interface JobRecord {
  readonly id: string;
  readonly type: 'export' | 'import';
  readonly groupId: string;
  readonly groupTitle: string;
  readonly username: string;
  readonly keyHash: string;
  readonly operationId: string;
  readonly created: number;
  readonly modified: number;
  readonly polls: number;
  readonly messages: readonly string[];
  readonly request: ExportRequest | ImportRequest;
  /** Set once the work is done. */
  readonly outcome?: { readonly ok: boolean; readonly result?: Readonly<Record<string, unknown>> };
}

export interface ExportRequest {
  readonly kind: 'export';
  readonly itemIds: readonly string[];
  readonly skipped: readonly Entry[];
  readonly failed: readonly Entry[];
  readonly title: string;
  readonly folderId: string | null;
}

export interface ImportRequest {
  readonly kind: 'import';
  readonly packageId: string;
  readonly itemIds?: readonly string[];
  readonly overwrite: boolean;
  readonly keepPackage: boolean;
  readonly folderId: string | null;
  readonly folderOwner: string;
}

/** An entry of the lists that an export or import returns. */
export interface Entry {
  readonly itemId: string;
  readonly reason?: string;
}

export interface TaskRecord {
  readonly id: string;
  readonly username: string;
  readonly itemId: string | null;
  readonly type: string;
  readonly title: string;
  readonly cronSchedule: Readonly<Record<string, string>>;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly created: number;
  readonly updated: number;
  readonly active: boolean;
}

export interface WebhookRecord {
  readonly id: string;
  readonly name: string;
  readonly url: string;
  /** Signs the events. @default they are not signed */
  readonly secret?: string;
}

export interface TaskRunRecord {
  readonly id: string;
  readonly taskId: string;
  readonly status: string;
  readonly result: string;
  readonly created: number;
  readonly modified: number;
}
