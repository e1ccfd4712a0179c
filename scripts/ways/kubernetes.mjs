import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseAllDocuments } from 'yaml';
import { freePort } from './free-port.mjs';
import { goTool } from './go-tool.mjs';
import { KUBERNETES, kubernetesSchemas } from './kubernetes-schemas.mjs';
import { root } from '../commands.mjs';
import { must, run, say, Wrong } from './run.mjs';

/** deploy/kubernetes is rendered by kustomize, and every object is held against the schemas of Kubernetes. */
export async function checkKubernetes() {
  const [kustomize, kubeconform] = [await goTool('kustomize'), await goTool('kubeconform')];
  const schemas = await kubernetesSchemas();
  const location = path.join(schemas, '{{.ResourceKind}}{{.KindSuffix}}.json');
  const validate = ['-strict', '-summary', '-verbose', '-schema-location', location, '-'];
  for (const folder of ['base', 'example']) {
    const where = path.join('deploy', 'kubernetes', folder);
    const input = must(`kustomize renders ${where}`, kustomize, ['build', where]);
    const printed = must(`kubeconform accepts it, by Kubernetes ${KUBERNETES}`, kubeconform, validate, {
      input,
    });
    say(printed.trim().split('\n').at(-1));
    if (folder !== 'base') continue;
    // The schemas would let nothing of this pass, or the checks above say nothing.
    refused(kubeconform, validate, input, 'a misspelt field', [
      'terminationGracePeriodSeconds',
      'gracePeriodSeconds',
    ]);
    refused(kubeconform, validate, input, 'a number in place of a text', ['path: /healthz', 'path: 1']);
    refused(kubeconform, validate, input, 'a version that there is not', [
      'apiVersion: apps/v1\n',
      'apiVersion: apps/v9\n',
    ]);
  }
  await rehearsePreparation();
}

function refused(kubeconform, validate, input, what, [from, to]) {
  const wrong = input.replaceAll(from, to);
  if (wrong === input || run(kubeconform, validate, { input: wrong }).status === 0)
    throw new Wrong(`NOT: it refuses ${what}`);
  say(`it refuses ${what}`);
}

/** What the Job types, typed twice to a Temporal server of this machine: once where nothing is, once where all is. */
async function rehearsePreparation() {
  const text = await readFile(path.join(root, 'deploy/kubernetes/base/prepare-temporal.yaml'), 'utf8');
  const [job] = parseAllDocuments(text).map((document) => document.toJS());
  const [container] = job.spec.template.spec.containers;
  const [shell, ...flags] = container.command;
  const { findTemporalCli } = createRequire(import.meta.url)(
    path.join(root, 'dist/temporal/dev-server/temporal-cli.js'),
  );
  const { path: temporal } = await findTemporalCli();
  const port = await freePort();
  const server = spawn(temporal, ['server', 'start-dev', '--headless', '--port', String(port)], {
    stdio: 'ignore',
  });
  const env = {
    ...process.env,
    PATH: `${path.dirname(temporal)}${path.delimiter}${process.env.PATH}`,
    TEMPORAL_ADDRESS: `127.0.0.1:${port}`,
    TEMPORAL_NAMESPACE: 'prepared',
  };
  try {
    for (let tries = 1; run(temporal, ['operator', 'cluster', 'health'], { env }).status !== 0; tries += 1) {
      if (tries > 100) throw new Wrong('NOT: a Temporal server starts on this machine');
      await sleep(200);
    }
    must('what prepare-temporal types makes a namespace', shell, [...flags, ...container.args], { env });
    must('and leaves what is there', shell, [...flags, ...container.args], { env });
    const listed = must('Temporal lists it', temporal, ['operator', 'search-attribute', 'list'], { env });
    const missing = ['Kind', 'Route', 'Phase', 'Outcome'].filter(
      (name) => !listed.includes(`Portolan${name}`),
    );
    if (missing.length > 0) throw new Wrong(`NOT: it registers every search attribute\n${listed}`);
    say('it registers every search attribute');
  } finally {
    server.kill();
  }
}
