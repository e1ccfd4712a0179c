// The metrics of `portolan serve`, the dashboard and the alarms over them, with a real Prometheus: test/ops. Prometheus
// and promtool are those on PATH; else those of Debian's package.
import path from 'node:path';
import { jest, runner, sayAs } from './commands.mjs';
import { findPrograms } from './debian-programs.mjs';

const say = sayAs('ops');
const run = runner(say);

const folder = await findPrograms('prometheus', ['prometheus', 'promtool'], say);
if (folder === undefined) {
  say('there is no Prometheus here: put prometheus and promtool on PATH, and try again');
  process.exitCode = 1;
} else {
  say(`takes prometheus and promtool of ${folder}`);
  const env = { ...process.env, PORTOLAN_TEST_PROMETHEUS: folder };
  process.exitCode =
    run(process.execPath, [path.join('scripts', 'setup.mjs')]) ||
    run(process.execPath, jest('-c', 'test/ops/jest.config.js'), { env });
}
