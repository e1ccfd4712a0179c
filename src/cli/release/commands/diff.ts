import { Command } from '@commander-js/extra-typings';
import { loadConfig } from '../../../config/load-config';
import { compareReleases, releasesDiffer } from '../../../domain/release/compare-releases';
import { findRelease } from '../../../domain/release/find-release';
import { openSnapshots } from '../../../domain/snapshot/open-snapshots';
import { exitStatus } from '../../../model/errors/error-codes';
import { statusArgument } from '../../terminal/arguments';
import { perform } from '../../terminal/globals';
import { releaseDiffTable } from '../render/release-diff';

/** `portolan release diff`: what one release has that another has not. */
export const releaseDiffCommand = () =>
  new Command('diff')
    .summary('how two releases differ')
    .description(
      'Compares two releases group by group and item by item, and their settings and categories value by value. Ends with 20 where they differ.',
    )
    .argument('<earlier>', 'id, an end of it, latest, or latest:PIPELINE')
    .argument('<later>', 'the same')
    .option(
      '--exit-code <status>',
      'ends with this where they differ',
      statusArgument,
      exitStatus.differences,
    )
    .action((earlier, later, { exitCode }, command) =>
      perform(command, async (output, globals) => {
        const config = loadConfig(globals.config);
        const snapshots = openSnapshots(config);
        const { releases } = snapshots;
        const [before, after] = [
          await releases.read(await findRelease(releases, earlier)),
          await releases.read(await findRelease(releases, later)),
        ];
        const comparison = await compareReleases(config, snapshots, before.manifest, after.manifest);
        output.show(comparison, (style) => releaseDiffTable(comparison, style));
        return releasesDiffer(comparison) ? exitCode : exitStatus.done;
      }),
    );
