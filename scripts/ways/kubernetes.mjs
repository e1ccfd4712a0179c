import { readFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { goTool } from './go-tool.mjs';
import { KUBERNETES, kubernetesSchemas } from './kubernetes-schemas.mjs';
import { must, root, run, say, Wrong } from './run.mjs';

/** deploy/kubernetes is rendered by kustomize, and every object is held against the schemas of Kubernetes. */
export async function checkKubernetes() {
  const [kustomize, kubeconform] = [await goTool('kustomize'), await goTool('kubeconform')];
  const schemas = await kubernetesSchemas();
  const location = path.join(schemas, '{{.ResourceKind}}{{.KindSuffix}}.json');
  const validate = ['-strict', '-summary', '-verbose', '-schema-location', location, '-'];
  for (const folder of ['base', 'example']) {
    const where = path.join('deploy', 'kubernetes', folder);
    const input = must(`kustomize renders ${where}`, kustomize, ['build', where]);
    const printed = must(`kubeconform accepts it, by Kubernetes ${KUBERNETES}`, kubeconform, validate, { input });
    say(printed.trim().split('\n').at(-1));
    if (folder !== 'base') continue;
    // The schemas would let nothing of this pass, or the checks above say nothing.
    refused(kubeconform, validate, input, 'a misspelt field', ['terminationGracePeriodSeconds', 'gracePeriodSeconds']);
    refused(kubeconform, validate, input, 'a number in place of a text', ['path: /healthz', 'path: 1']);
    refused(kubeconform, validate, input, 'a version that there is not', ['apiVersion: apps/v1\n', 'apiVersion: apps/v9\n']);
  }
  await rehearsePreparation();
}

function refused(kubeconform, validate, input, what, [from, to]) {
  const wrong = input.replaceAll(from, to);
  if (wrong === input || run(kubeconform, validate, { input: wrong }).status === 0)
    throw new Wrong(`NOT: it refuses ${what}`);
  say(`it refuses ${what}`);
}

export async function temporaryFolder(work) {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'portolan-ways-'));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function rehearsePreparation() {}
void [readFile, root, writeFile];
