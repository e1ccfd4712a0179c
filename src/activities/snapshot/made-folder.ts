import { z } from 'zod';
import type { PortalFacts } from '../../domain/transfer/portal-facts';
import type { Route } from '../../model/transfer/route';
import type { Portal } from '../../portal/client';
import { deleteFolder, listFolders } from '../../portal/resources/folders';
import { readGroup } from '../../portal/resources/groups';
import { userContentPages } from '../../portal/resources/listings';
import type { CallOptions } from '../../portal/http/request';
import { madeFolders } from '../../model/transfer/arrangement';
import { lastError } from '../attempt/heartbeat';
import { keys } from '../../store/keys';
import type { Store } from '../../store/store';
import { requireUser } from '../transfer/exports';

export interface ImportEnds {
  readonly runId: string;
  readonly route: Route;
  readonly target: PortalFacts;
}

/** Folders of the account that an import gives its items to: as they were before it, and those that it used. */
const importFolders = z.object({
  /** @default the account that imports */
  owner: z.string().optional(),
  before: z.array(z.string()),
  used: z.array(z.string()),
});
type ImportFolders = z.infer<typeof importFolders>;

/**
 * Removes the folders that a run has made for what it created, where nothing is in them any more. Returns which could not
 * be removed, a line each; one that somebody uses stays theirs.
 */
export async function removeMadeFolders(
  { store, portal, runId }: { readonly store: Store; readonly portal: Portal; readonly runId: string },
  options: CallOptions,
): Promise<string[]> {
  const left: string[] = [];
  for (const { owner, title, folderId } of (await store.readJson(keys.madeFolders(runId), madeFolders)) ??
    []) {
    try {
      const found = (await listFolders(portal, owner, options)).find(
        // The answer to its making was never heard.
        (each) => (folderId === undefined ? each.title === title : each.id === folderId),
      );
      if (found && !(await holdsSomething(portal, owner, found.id, options)))
        await deleteFolder(portal, { username: owner, folderId: found.id }, options);
    } catch (thrown) {
      left.push(`the folder "${title}" of ${owner} could not be deleted: ${lastError(thrown).plainMessage}`);
    }
  }
  return left;
}

async function holdsSomething(
  portal: Portal,
  owner: string,
  folderId: string,
  options: CallOptions,
): Promise<boolean> {
  for await (const { items } of userContentPages(portal, owner, { folderId }, options))
    if (items.length > 0) return true;
  return false;
}

/** An import makes the folder that it needs: tells that one from folders that were there. docs/reference/portal-interface.md, "Import" */
export class MadeFolder {
  private readonly owner: string;
  private noted: ImportFolders | undefined;

  constructor(
    private readonly store: Store,
    private readonly portal: Portal,
    private readonly ends: ImportEnds,
    private readonly options: CallOptions,
  ) {
    this.owner = ends.route.target.folderOwner ?? requireUser(ends.target);
  }

  /** Remembers which folders are there, while nothing is imported. */
  async rememberOthers(): Promise<void> {
    const folders = await listFolders(this.portal, this.owner, this.options);
    await this.write({ owner: this.owner, before: folders.map(({ id }) => id), used: [] });
  }

  /** Remembers where an imported item lies, before it is removed. */
  async rememberUsed(folderId: string | undefined): Promise<void> {
    const noted = await this.read();
    if (!folderId || !noted || noted.used.includes(folderId)) return;
    await this.write({ ...noted, used: [...noted.used, folderId] });
  }

  /**
   * Removes the folder that was not there before, is empty, and held what was imported or has the name that imports
   * give. Returns its title where it stays because something else is in it.
   */
  async remove(): Promise<{ stays?: string }> {
    const noted = await this.read();
    if (!noted) return {};
    // Whoever undoes a run may name nobody, or somebody else.
    const { owner = this.owner } = noted;
    const fresh = (await listFolders(this.portal, owner, this.options)).filter(
      ({ id }) => !noted.before.includes(id),
    );
    if (fresh.length === 0) return {};
    const { title } = await readGroup(this.portal, this.ends.route.target.groupId, this.options);
    const made = fresh.find((folder) => noted.used.includes(folder.id) || folder.title === title);
    if (!made) return {};
    if (await holdsSomething(this.portal, owner, made.id, this.options))
      return { stays: made.title ?? made.id };
    await deleteFolder(this.portal, { username: owner, folderId: made.id }, this.options);
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
