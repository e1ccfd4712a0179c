import { existsSync } from 'node:fs';
import path from 'node:path';
import { cache, has, makeWhole } from '../commands.mjs';
import { run, say, Wrong } from './run.mjs';

/** Programs by which the files of deploy/ and docker-compose.yml are read, each at one version. */
const tools = {
  /** The reader of the Compose Specification that `docker compose` itself goes by. */
  compose: { package: 'github.com/compose-spec/compose-go/v2/cmd', version: 'v2.16.2', makes: 'cmd' },
  kustomize: { package: 'sigs.k8s.io/kustomize/kustomize/v5', version: 'v5.8.1', makes: 'kustomize' },
  kubeconform: {
    package: 'github.com/yannh/kubeconform/cmd/kubeconform',
    version: 'v0.8.0',
    makes: 'kubeconform',
  },
};

const withGo = () => {
  if (!has('go', 'version'))
    throw new Wrong('Go is not on PATH; it builds what reads these files. Install it, and try again');
};

/** Path of a tool, which is built once with Go into the project's cache folder. */
export async function goTool(name) {
  const { package: from, version, makes } = tools[name];
  const executable = path.join(cache, `${name}-${version}`, makes);
  if (existsSync(executable)) return executable;
  withGo();
  say(`builds ${from}@${version} with Go, once`);
  await makeWhole(
    executable,
    (GOBIN) => {
      const { status, stderr } = run('go', ['install', `${from}@${version}`], {
        env: { ...process.env, GOBIN },
      });
      if (status !== 0) throw new Wrong(`${from}@${version} cannot be built\n${stderr}`);
      return status;
    },
    makes,
  );
  return executable;
}

/** Folder of a Go module's sources, which Go fetches once and holds against its checksum database. */
export function goModule(name, version) {
  withGo();
  const { status, stdout, stderr } = run('go', ['mod', 'download', '-json', `${name}@${version}`], {
    cwd: cache,
  });
  if (status !== 0) throw new Wrong(`${name}@${version} cannot be fetched\n${stderr}`);
  return JSON.parse(stdout).Dir;
}
