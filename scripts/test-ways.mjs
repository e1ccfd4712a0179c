// The ways to run Portolan, each held against whoever reads it: `npm run test:ways`, or some of them by name.
import { checkCompose } from './ways/compose.mjs';
import { checkImage } from './ways/image.mjs';
import { checkKubernetes } from './ways/kubernetes.mjs';
import { checkPackage } from './ways/package.mjs';
import { say, Wrong } from './ways/run.mjs';
import { checkSystemd } from './ways/systemd.mjs';

const ways = {
  compose: checkCompose,
  image: checkImage,
  kubernetes: checkKubernetes,
  package: checkPackage,
  systemd: checkSystemd,
};

const named = process.argv.slice(2);
const unknown = named.filter((name) => !(name in ways));
if (unknown.length > 0) {
  say(`there is no ${unknown.join(', ')}; name some of: ${Object.keys(ways).join(' ')}`);
  process.exitCode = 2;
} else {
  for (const name of named.length > 0 ? named : Object.keys(ways)) {
    say('');
    say(`--- ${name}`);
    await ways[name]().catch((error) => {
      say(error instanceof Wrong ? error.message : error.stack);
      process.exitCode = 1;
    });
  }
  say(process.exitCode ? 'some of it is not as it should be' : 'all of it is as it should be');
}
