import { readFileSync } from 'node:fs';
import path from 'node:path';

export const root = path.join(__dirname, '..', '..');

/** The portolan.yaml that comes with each way to run, in the repository. */
export const samples = {
  compose: 'docker/portolan.yaml',
  kubernetes: 'deploy/kubernetes/base/portolan.yaml',
  example: 'deploy/kubernetes/example/portolan.yaml',
  systemd: 'deploy/systemd/portolan.yaml',
} as const;
export type SampleName = keyof typeof samples;

export const readDeployed = (name: string): string => readFileSync(path.join(root, name), 'utf8');
export const readSample = (name: SampleName): string => readDeployed(samples[name]);
