import { jest } from '@jest/globals';

/** Packages as this process has loaded them, by name: see shared-modules.js. */
const { sharedModules } = globalThis as unknown as { sharedModules: Record<string, () => object> };

for (const [name, load] of Object.entries(sharedModules)) jest.mock(name, load);
