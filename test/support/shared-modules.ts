import { jest } from '@jest/globals';

/** Modules that all suites of a process share, since each would spend a twentieth of its time on making them anew. */
const { sharedModules } = globalThis as unknown as { sharedModules: Record<string, object> };

for (const name of Object.keys(sharedModules)) jest.mock(name, () => sharedModules[name]);
