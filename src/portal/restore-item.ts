import { PortolanError } from '../model/errors';
import type { Portal } from './client';
import type { Item } from './item';
import type { CallOptions } from './request';

export function restoreItemCopy(
  portal: Portal,
  copy: { record: Item; data: unknown; owner: string; groupId: string },
  _options?: CallOptions,
): Promise<void> {
  return Promise.reject(new PortolanError('NOT_SUPPORTED', `${copy.record.id} on ${portal.name}`));
}
