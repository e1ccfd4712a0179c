import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { workflowBundlePath } from '../support/temporal';

describe('the workflow bundle', () => {
  it('holds no schema library, HTTP client or portal, and only names of the store', () => {
    const modules = [
      ...readFileSync(workflowBundlePath(), 'utf8').matchAll(/^\/\*{3}\/ "(\.\/[^"]+)"/gm),
    ].map(([, name]) => name!);
    expect(modules.length).toBeGreaterThan(10);
    expect(
      modules.filter((name) =>
        /node_modules\/(zod|undici|pino)|src\/(portal|store\/(?!keys\.)|activities|cli|config)\//.test(name),
      ),
    ).toEqual([]);
  });
});
