import { describe, expect, it } from '@jest/globals';
import { correctedRoute } from '../../../src/model/run/run-input';
import type { Route } from '../../../src/model/transfer/route';

const route = {
  name: 'transport',
  target: { portal: 'production', folderId: 'f1', folderOwner: 'svc' },
  options: { overwrite: false, data: 'keep', jobDeadlineMs: 1000, limits: { freeDiskBytes: 10 } },
} as unknown as Route;

describe('a corrected route', () => {
  it('has the corrections, the rest unchanged', () => {
    expect(correctedRoute(route, { folderId: 'f2', overwrite: true, freeDiskBytes: 5 })).toEqual({
      ...route,
      target: { ...route.target, folderId: 'f2' },
      options: { ...route.options, overwrite: true, limits: { freeDiskBytes: 5 } },
    });
  });

  it('loses removed settings', () => {
    expect(correctedRoute(route, { folderId: null, folderOwner: null }).target).toEqual({
      portal: 'production',
      folderId: undefined,
      folderOwner: undefined,
    });
  });
});
