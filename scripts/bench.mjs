// Sets the project up, compiles bench/ and runs it. What is measured is the build in dist/, as it is shipped.
// With `--scale` as its first word it runs bench/scale/, else bench/bench.ts.
import { spawnSync } from 'node:child_process';
import { mkdir, readFile, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const built = path.join(root, 'node_modules', '.cache', 'portolan-bench');

const node = (...args) => spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' }).status ?? 1;

/** Beside the compiled files `src` is the build: `../src/x` is what it is in the sources, compiled. */
async function compile() {
  const { transform } = await import('@swc/core');
  await rm(built, { recursive: true, force: true });
  await mkdir(built, { recursive: true });
  await symlink(path.join(root, 'dist'), path.join(built, 'src'));
  for (const name of await readdir(path.join(root, 'bench'), { recursive: true })) {
    if (!name.endsWith('.ts')) continue;
    const { code } = await transform(await readFile(path.join(root, 'bench', name), 'utf8'), {
      filename: name,
      jsc: { target: 'es2022', parser: { syntax: 'typescript' } },
      module: { type: 'commonjs' },
    });
    const file = path.join(built, 'bench', name.replace(/\.ts$/, '.js'));
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, code);
  }
}

const given = process.argv.slice(2);
const isScale = given[0] === '--scale';
process.exitCode = node(path.join('scripts', 'setup.mjs'));
if (process.exitCode === 0) {
  await compile();
  const entry = isScale ? path.join('scale', 'scale.js') : 'bench.js';
  process.exitCode = node(path.join(built, 'bench', entry), ...given.slice(isScale ? 1 : 0));
}
