import { lastEdit } from '../../domain/transfer/layers';
import { notAsLeft } from '../../domain/transfer/created-items';
import type { CreatedItems } from '../../model/transfer/plan';
import type { Item } from '../../portal/resources/items/item';
import { z } from 'zod';
import { requireUser, type RunOnTarget } from '../../domain/transfer/portal-facts';
import type { Portal } from '../../portal/client';
import { deleteFolder, listFolders } from '../../portal/resources/folders';
import { readGroup } from '../../portal/resources/groups';
import { userContentPages } from '../../portal/resources/listings';
import { madeFolders } from '../../model/transfer/placement';
import { lastError } from '../attempt/heartbeat';
import { keys } from '../../store/keys';
import type { Store } from '../../store/store';

/** The account's folders before an import, and those it used. */
const importFolders = z.object({
  /** @default the importing account */
  owner: z.string().optional(),
  before: z.array(z.string()),
  used: z.array(z.string()),
});
type ImportFolders = z.infer<typeof importFolders>;

/**
 * Deletes folders a run created, if they are empty. Returns those that could not be deleted, one line each. A folder in
 * use stays.
 */
export async function removeMadeFolders({
  store,
  portal,
  runId,
}: {
  readonly store: Store;
  readonly portal: Portal;
  readonly runId: string;
}): Promise<string[]> {
  const left: string[] = [];
  for (const { owner, title, folderId } of (await store.readJson(keys.madeFolders(runId), madeFolders)) ??
    []) {
    try {
      const found = (await listFolders(portal, owner)).find(
        // The response to its creation was lost.
        (each) => (folderId === undefined ? each.title === title : each.id === folderId),
      );
      if (found && !(await holdsSomething(portal, owner, found.id)))
        await deleteFolder(portal, { username: owner, folderId: found.id });
    } catch (thrown) {
      left.push(`the folder "${title}" of ${owner} could not be deleted: ${lastError(thrown).plainMessage}`);
    }
  }
  return left;
}

async function holdsSomething(portal: Portal, owner: string, folderId: string): Promise<boolean> {
  for await (const { items } of userContentPages(portal, owner, { folderId }))
    if (items.length > 0) return true;
  return false;
}

/** Recognizes the folder an import created among existing ones. docs/reference/portal-interface.md, "Import" */
export class MadeFolder {
  private readonly owner: string;
  private noted: ImportFolders | undefined;

  constructor(
    private readonly store: Store,
    private readonly portal: Portal,
    private readonly ends: RunOnTarget,
  ) {
    this.owner = ends.route.target.folderOwner ?? requireUser(ends.target);
  }

  /** Records the existing folders. Call before an import. */
  async rememberOthers(): Promise<void> {
    const folders = await listFolders(this.portal, this.owner);
    await this.write({ owner: this.owner, before: folders.map(({ id }) => id), used: [] });
  }

  /** Records the folder of an imported item, before it is deleted. */
  async rememberUsed(folderId: string | undefined): Promise<void> {
    const noted = await this.read();
    if (!folderId || !noted || noted.used.includes(folderId)) return;
    await this.write({ ...noted, used: [...noted.used, folderId] });
  }

  /**
   * Deletes the folder if it is new, empty, and held imported items or has the name imports give. If something else is in
   * it, returns its title.
   */
  async remove(): Promise<{ stays?: string }> {
    const noted = await this.read();
    if (!noted) return {};
    // A rollback may have another owner, or none, in its route.
    const { owner = this.owner } = noted;
    const fresh = (await listFolders(this.portal, owner)).filter(({ id }) => !noted.before.includes(id));
    if (fresh.length === 0) return {};
    const { title } = await readGroup(this.portal, this.ends.route.target.groupId);
    const made = fresh.find((folder) => noted.used.includes(folder.id) || folder.title === title);
    if (!made) return {};
    if (await holdsSomething(this.portal, owner, made.id)) return { stays: made.title ?? made.id };
    await deleteFolder(this.portal, { username: owner, folderId: made.id });
    return {};
  }

  private async read(): Promise<ImportFolders | undefined> {
    this.noted ??= await this.store.readJson(keys.importFolders(this.ends.runId), importFolders);
    return this.noted;
  }

  private async write(folders: ImportFolders): Promise<void> {
    await this.store.writeJson(keys.importFolders(this.ends.runId), folders);
    this.noted = folders;
  }
}

/** Why an item may have changed since a run made it, its features included; undefined if it has not. */
export async function whyNotAsLeft(
  portal: Portal,
  found: Item,
  noted: CreatedItems | undefined,
): Promise<string | undefined> {
  const left = noted?.items[found.id];
  if (!noted || !left) return 'the run did not record that it imported it';
  const not = notAsLeft(found, left, noted);
  if (not !== undefined || left.edited === undefined) return not;
  const edited = await lastEdit(portal, found);
  if (edited === left.edited) return undefined;
  return edited === null
    ? 'Portolan cannot tell whether its features have been edited since'
    : 'its features have been edited since';
}
